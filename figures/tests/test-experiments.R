# A figure's own experiment among others of one table.

named <- function(experiment, suffix, fixed = list()) {
  one_size(fixed = c(fixed, list(experiment = experiment)))[, run_id := paste0(run_id, suffix)]
}

own_of <- function(runs, name = "latency-by-queue-pairs", at = list()) {
  of_own_experiment(read_fixture(runs), name, at)
}

own <- named("latency-by-queue-pairs", "-own")

test_that("of a table with the figure's own experiment only that one is drawn", {
  both <- rbind(own, named("queue-pairs-by-threads", "-other", list(threads = 2)))
  expect_setequal(own_of(both)$experiment, "latency-by-queue-pairs")
  path <- write_fixture(both)
  drawn <- function(...) {
    given <- c("--runs", path, "--out", tempfile("out"), "--formats", "svg", ...)
    draw_files("latency-by-queue-pairs", parse_arguments(given))
  }
  svg <- readLines(drawn())
  expect_true(any(grepl("All 48 runs drawn", svg)))
  svg <- readLines(drawn("--at", "experiment=any"))
  expect_true(any(grepl("All 96 runs drawn", svg)))
})

test_that("a figure of another name knows its experiment", {
  both <- rbind(own, named("throughput-by-access-size", "-other"))
  expect_setequal(own_of(both, "latency-ratio-by-queue-pairs")$experiment, "latency-by-queue-pairs")
  expect_setequal(own_of(both, "throughput-by-mtu")$experiment, "throughput-by-access-size")
  designs <- file.path(dirname(figures), "experiments", paste0(experiment_of_figure, ".toml"))
  skip_if_not(dir.exists(dirname(designs[1])), "no folder of experiments")
  expect_true(all(file.exists(designs)))
})

test_that("a figure that a design lists and that has another name knows an experiment", {
  designs <- list.files(file.path(dirname(figures), "experiments"), "[.]toml$", full.names = TRUE)
  skip_if_not(length(designs) > 0, "no folder of experiments")
  listing <- grep("^figures = ", unlist(lapply(designs, readLines)), value = TRUE)
  expect_length(listing, length(designs))
  listed <- unlist(regmatches(listing, gregexpr("[a-z0-9-]+(?=\")", listing, perl = TRUE)))
  others <- setdiff(listed, sub("[.]toml$", "", basename(designs)))
  expect_gt(length(others), 2)
  expect_equal(setdiff(others, names(experiment_of_figure)), character())
})

test_that("a table without it, another origin and the study are left whole", {
  other <- named("mine", "-other")
  expect_equal(nrow(own_of(rbind(other, named("also-mine", "-b")))), 2 * nrow(other))
  elsewhere <- named("mine", "", hardware)
  study <- named("v1-latency", "", list(source = "published"))
  kept <- own_of(rbind(own, other, elsewhere, study, named("latency-by-queue-pairs", "-b", list(
    source = "published"
  ))))
  expect_equal(kept[, .N, keyby = "source"]$N, c(2, 1, 1) * nrow(own))
  expect_false("mine" %in% kept[source == "soft-roce"]$experiment)
})

test_that("levels of the experiment that are asked for go first", {
  both <- rbind(own, named("mine", "-other"))
  expect_equal(nrow(own_of(both, at = list(experiment = "any"))), 2 * nrow(own))
})
