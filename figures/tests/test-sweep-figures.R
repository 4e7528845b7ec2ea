# Figures of the factors that the study could not vary, from tables of invented numbers.

# A row a run at the levels of `...`, both localities and three replicates, with `fixed`
# factors; the throughput counts the rows, the latency too.
sweep <- function(fixed, ...) {
  levels <- CJ(..., locality = c("rdma-local", "rdma-remote"), replicate = 1:3)
  one <- fixture_runs(
    queue_pairs = 1, operation = "read", access_bytes = 8, locality = "rdma-local",
    replicate = 1, loop = fixed$loop, fixed = fixed[setdiff(names(fixed), "loop")]
  )
  runs <- one[rep(1, nrow(levels))]
  for (column in names(levels)) set(runs, j = column, value = levels[[column]])
  runs[, `:=`(throughput_ops = 1e6 + 1e3 * .I, latency_mean_ns = 1e3 + .I)]
}

read_all <- function(...) {
  runs <- rbindlist(list(...), fill = TRUE)
  read_fixture(runs[, run_id := sprintf("run-%04d", .I)])
}

axis_labels <- function(figure) {
  axis <- ggplot_build(figure$plot)$layout$panel_params[[1]]$x
  axis$get_labels()[!is.na(axis$get_breaks())]
}

columns_of <- function(figure) levels(droplevels(layout_of(figure)$column))

saturating <- list(loop = "saturating")

test_that("reads in flight: a panel for each number of queue pairs, a row for each size", {
  runs <- read_all(sweep(
    c(saturating, window = 128),
    max_rd_atomic = c(1, 4, 16), queue_pairs = c(1, 8), access_bytes = c(8, 64)
  ))
  figure <- draw_reads_in_flight(runs)
  expect_equal(columns_of(figure), c("1 queue pair", "8 queue pairs"))
  expect_equal(levels(layout_of(figure)$variant), c("8 B accesses", "64 B accesses"))
  expect_equal(axis_labels(figure), c("1", "2", "4", "8", "16"))
  expect_equal(sort(unique(round(means_of(figure)$x))), c(0, 2, 4))
  expect_match(caption_of(figure), "All 72 runs drawn")
})

test_that("reads in flight: runs of one level, other designs' and writes are no part of it", {
  sweep_of <- function(...) {
    sweep(c(saturating, list(...)), max_rd_atomic = c(1, 4), queue_pairs = 8)
  }
  other <- sweep(c(saturating, mtu_bytes = 4096), queue_pairs = c(4, 8))
  runs <- read_all(sweep_of(), other, sweep_of(operation = "write"))
  expect_match(caption_of(draw_reads_in_flight(runs)), "All 12 runs drawn")
  expect_error(
    draw_reads_in_flight(read_all(other)), "no design has several levels of max_rd_atomic",
    class = "nothing_to_draw"
  )
})

test_that("queue pairs by threads: a panel for each number of threads", {
  closed <- list(loop = "closed")
  runs <- read_all(sweep(closed, queue_pairs = c(4, 16, 64), threads = c(1, 2)))
  figure <- draw_queue_pairs_by_threads(runs)
  expect_equal(columns_of(figure), c("1 client thread", "2 client threads"))
  expect_equal(axis_labels(figure), c("4", "8", "16", "32", "64"))
  expect_setequal(means_of(figure)$y, runs[replicate == 2]$latency_mean_ns / 1e3)
})

test_that("queue pairs by threads: with a thread for each queue pair neither can tell", {
  runs <- sweep(list(loop = "closed"), queue_pairs = c(4, 16, 64))[, threads := queue_pairs]
  expect_error(
    draw_queue_pairs_by_threads(read_all(runs)), "no design has several levels of threads",
    class = "nothing_to_draw"
  )
})

busy <- function(pattern, ...) {
  c(saturating, list(
    queue_pairs = 8, operation = "write", worker_operation = "mixed", worker_write_fraction = 0.9,
    worker_pattern = pattern, worker_access_bytes = 1, ...
  ))
}

idle <- c(saturating, list(
  queue_pairs = 8, operation = "write", workers = 0, worker_pattern = NA_character_
))

test_that("slot layout: a panel for each layout, idle servers at the left of each", {
  layouts <- c("packed", "padded", "unaligned")
  runs <- read_all(
    sweep(idle, slot_layout = layouts),
    sweep(busy("as-published"), slot_layout = layouts, workers = c(1, 8)),
    sweep(busy("uniform"), slot_layout = layouts, workers = c(1, 8))
  )
  figure <- draw_slot_layout(runs)
  expect_equal(columns_of(figure), paste(layouts, "objects"))
  expect_equal(as.vector(table(means_of(figure)$PANEL)), c(6, 6, 6))
  expect_match(caption_of(figure), "All 54 runs drawn")
  expect_error(
    draw_slot_layout(runs[slot_layout == "packed"]), "no design has several levels of slot_layout",
    class = "nothing_to_draw"
  )
})

test_that("worker patterns: idle runs are the first point of every pattern, if they are alike", {
  patterns <- c("as-published", "own-line")
  part <- function(pattern) sweep(busy(pattern), slot_layout = c("packed", "padded"), workers = 8)
  layouts <- sweep(idle, slot_layout = c("packed", "padded"))
  unlike <- sweep(c(idle, window = 64), slot_layout = "packed")
  runs <- read_all(layouts, unlike, part(patterns[1]), part(patterns[2]))
  figure <- draw_worker_patterns(runs)
  expect_equal(columns_of(figure), paste("workers go", patterns))
  expect_equal(levels(layout_of(figure)$variant), c("packed objects", "padded objects"))
  means <- as.data.table(means_of(figure))
  expect_equal(means[, .N, by = "PANEL"]$N, rep(4, 4))
  of_idle <- layouts[replicate == 2]$throughput_ops / 1e6
  expect_setequal(means[round(x) == 0]$y, of_idle)
  expect_error(
    draw_worker_patterns(read_all(layouts, part("own-line"))),
    "no design has several levels of worker_pattern",
    class = "nothing_to_draw"
  )
})

test_that("think time stands on an axis by powers of ten, with a place for none", {
  times <- c(0, 100, 10000, 100000)
  runs <- read_all(
    sweep(list(loop = "closed"), think_time_ns = times, queue_pairs = c(1, 8)),
    sweep(list(loop = "closed", think_time_ns = 0), queue_pairs = 4)
  )
  figure <- draw_throughput_by_think_time(runs)
  expect_equal(columns_of(figure), c("1 queue pair", "8 queue pairs"))
  expect_equal(axis_labels(figure), c("none", "100 ns", "1 \u00b5s", "10 \u00b5s", "100 \u00b5s"))
  expect_equal(sort(unique(round(means_of(figure)$x))), c(1, 2, 4, 5))
  expect_match(caption_of(figure), "All 48 runs drawn")
})

hosts_of <- function(...) sweep(saturating, client_hosts = c(1, 2, 4), ...)

test_that("client hosts may bring their queue pairs along, which is said", {
  runs <- hosts_of()[, `:=`(queue_pairs = 4 * client_hosts, threads = 4 * client_hosts)]
  others <- sweep(saturating, queue_pairs = c(8, 16), client_hosts = 1)
  figure <- draw_throughput_by_client_hosts(read_all(runs, others[, experiment := "other"]))
  expect_equal(nrow(layout_of(figure)), 1)
  expect_equal(axis_labels(figure), c("1", "2", "4"))
  expect_equal(unique(layer_data(figure$plot, 1)$group), 1:2)
  expect_match(caption_of(figure), "changing along with the axes or panels: queue pairs, threads.")
})

test_that("a table that does not say its client hosts has no figure of them, and exits with 3", {
  path <- write_fixture(fixture_runs())
  run <- run_script("throughput-by-client-hosts", "--runs", path, "--out", tempfile("out"))
  expect_equal(run$status, 3L)
  expect_match(run$errors, "the table has no column 'client_hosts': nothing to draw")
  one <- read_all(hosts_of()[client_hosts == 1])
  expect_error(draw_throughput_by_client_hosts(one), "several levels", class = "nothing_to_draw")
  unstated <- read_all(hosts_of()[, client_hosts := NA])
  expect_error(draw_throughput_by_client_hosts(unstated), class = "nothing_to_draw")
})

test_that("runs of different numbers of client hosts are no replicates of each other", {
  runs <- read_all(hosts_of(queue_pairs = c(1, 4, 8)))
  expect_equal(splitting_factors(runs), "client_hosts")
  figure <- draw_throughput_by_queue_pairs(runs)
  expect_equal(
    levels(layout_of(figure)$variant), c("1 client host", "2 client hosts", "4 client hosts")
  )
})
