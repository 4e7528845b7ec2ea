points_of <- function(remote, local) {
  data.table(
    value = c(remote, local), low = NA_real_, high = NA_real_, level = 1, regime = "usual",
    place = rep(c("rdma-remote", "rdma-local"), c(length(remote), length(local))), bound = FALSE
  )
}

test_that("the ratio of three runs to three has the interval of Welch on logarithms", {
  # Logarithms -0.1, 0, 0.1 around log 2 and 0: equal variances 0.01, so 4 degrees
  # of freedom and a standard error of sqrt(0.02 / 3); t(0.975, 4) = 2.776445.
  spread <- exp(c(-0.1, 0, 0.1))
  ratio <- welch_ratio(2 * spread, spread)
  expect_equal(ratio$mean, 2)
  expect_equal(ratio$n, 3)
  expect_equal(log(ratio$high / 2), 2.776445 * sqrt(0.02 / 3), tolerance = 1e-6)
  expect_equal(ratio$low * ratio$high, 4)
})

test_that("Welch's interval agrees with that of R", {
  above <- c(2.1, 2.4, 2.2, 2.6)
  below <- c(2.0, 2.3, 1.9)
  test <- t.test(log(above), log(below))
  ratio <- welch_ratio(above, below)
  expect_equal(c(ratio$low, ratio$high), exp(as.vector(test$conf.int)))
})

test_that("fewer than three runs on one side have no interval over runs", {
  ratio <- welch_ratio(c(2, 2.2, 2.4), c(1, 1.1))
  expect_equal(ratio$n, 2)
  expect_true(is.na(ratio$low))
})

test_that("a ratio turned over has its interval turned over", {
  above <- c(2.1, 2.4, 2.2)
  below <- c(2.0, 2.3, 1.9)
  expect_equal(welch_ratio(above, below)$low, 1 / welch_ratio(below, above)$high)
})

test_that("runs' own intervals add up as variances of logarithms", {
  side <- function(value, by) data.table(value = value, low = value / by, high = value * by)
  ratio <- own_ratio(side(3, exp(0.3)), side(2, exp(0.4)))
  expect_equal(ratio$own_high, 1.5 * exp(0.5))
  expect_equal(ratio$own_low, 1.5 * exp(-0.5))
})

test_that("a level without one of the localities has no ratio", {
  cells <- ratio_cells(rbind(points_of(3, 2), points_of(5, numeric())[, level := 2]), "level")
  expect_equal(cells$level, 1)
  expect_equal(cells$mean, 1.5)
  expect_error(ratio_cells(points_of(5, numeric()), "level"), class = "nothing_to_draw")
})

test_that("runs of another regime stay out of a ratio", {
  points <- rbind(points_of(c(3, 9), 2))
  points$regime[2] <- "fast"
  expect_equal(ratio_cells(points, "level")$mean, 1.5)
})

test_that("runs that are in no ratio are counted as not drawn, by reason", {
  points <- rbind(points_of(c(3, 9), 2), points_of(5, numeric())[, level := 2])
  for (column in c(panel_columns, "origin")) set(points, j = column, value = "")
  points$regime[2] <- "fast"
  reasons <- in_no_ratio(points)
  counts <- vapply(reasons, function(reason) sum(reason$points), 1L)
  expect_equal(counts, c(1L, 1L))
  expect_equal(which(reasons[[1]]$points), 2)
  expect_equal(which(reasons[[2]]$points), 4)
  expect_null(in_no_ratio(points[4]))
})

test_that("the ratio figure, which has no arrows, says whose threads are too many", {
  runs <- fixture_runs(operation = "read", access_bytes = 64, loop = "closed")
  runs[queue_pairs == 8, doubts := "oversubscribed"]
  figure <- draw_latency_ratio_by_queue_pairs(read_fixture(runs))
  expect_match(caption_of(figure), "Doubts about runs drawn: oversubscribed 6.", fixed = TRUE)
})

test_that("the ratio figure has a line at 1 and both intervals, each said", {
  runs <- fixture_runs(operation = "read", access_bytes = 64, loop = "closed")
  drop <- runs$queue_pairs == 8 & runs$replicate > 1
  runs <- runs[!drop][, `:=`(latency_sd_ns = 300, operations = 1e4)]
  figure <- draw_latency_ratio_by_queue_pairs(read_fixture(runs))
  expect_equal(unique(layer_data(figure$plot, 1)$yintercept), 1)
  expect_equal(nrow(layer_data(figure$plot, 3)), 3)
  expect_equal(nrow(layer_data(figure$plot, 4)), 1)
  first <- runs[queue_pairs == 1]
  geometric <- function(place) exp(mean(log(first[locality == place]$latency_mean_ns)))
  expect_equal(
    layer_data(figure$plot, 5)$y[1], geometric("rdma-remote") / geometric("rdma-local")
  )
  expect_match(caption_of(figure), "n = 1 to 3 at the place with fewer")
  expect_match(caption_of(figure), "95 % interval of Welch on logarithms")
  expect_match(caption_of(figure), "Thin bars, n < 3")
})
