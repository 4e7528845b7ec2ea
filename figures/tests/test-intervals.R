test_that("the t interval of three runs is the textbook's", {
  # s = 2, t(0.975, 2) = 4.302653: 12 -+ 4.302653 * 2 / sqrt(3).
  expect_equal(
    t_interval(c(10, 12, 14)), list(n = 3L, mean = 12, low = 7.031725, high = 16.968275),
    tolerance = 1e-7
  )
})

test_that("the t interval of five runs is the textbook's", {
  # s^2 = 2.5, t(0.975, 4) = 2.776445: 3 -+ 2.776445 * sqrt(2.5 / 5).
  expect_equal(
    t_interval(c(5, 1, 3, 2, 4)), list(n = 5L, mean = 3, low = 1.036757, high = 4.963243),
    tolerance = 1e-6
  )
})

test_that("fewer than three runs have a mean and no interval", {
  expect_equal(t_interval(7), list(n = 1L, mean = 7, low = NA_real_, high = NA_real_))
  expect_equal(t_interval(c(6, 8)), list(n = 2L, mean = 7, low = NA_real_, high = NA_real_))
})

test_that("equal runs have an interval without width", {
  expect_equal(t_interval(c(4, 4, 4)), list(n = 3L, mean = 4, low = 4, high = 4))
})

test_that("the interval scales with the unit", {
  ns <- c(2100, 2250, 2180, 2400)
  expect_equal(t_interval(ns / 1000)$high, t_interval(ns)$high / 1000)
})

test_that("a missing value is a defect of the caller", {
  expect_error(t_interval(c(1, NA, 3)))
  expect_error(t_interval(numeric()))
})

test_that("replicates are grouped by their point", {
  runs <- data.table(queue_pairs = c(8, 1, 1, 8, 1), us = c(5, 1, 2, 7, 3))
  cells <- over_replicates(runs, "us", "queue_pairs")
  expect_equal(cells$queue_pairs, c(1, 8))
  expect_equal(cells$n, c(3L, 2L))
  expect_equal(cells$mean, c(2, 6))
  expect_equal(is.na(cells$low), c(FALSE, TRUE))
})

test_that("n and method are said as they are", {
  said <- function(n, low) interval_note(data.table(n = n, low = low))
  expect_match(said(3L, 1), "(n = 3). Bars: 95 % t interval over runs.", fixed = TRUE)
  expect_match(said(c(2L, 5L), c(NA, 1)), "(n = 2 to 5)", fixed = TRUE)
  expect_match(said(c(2L, 5L), c(NA, 1)), "if n \u2265 3", fixed = TRUE)
  expect_match(said(1L, NA_real_), "One run a point (n = 1). No intervals over runs", fixed = TRUE)
  expect_match(said(3L, -1), "Intervals are cut at 0.", fixed = TRUE)
  expect_no_match(said(3L, 1), "cut at 0")
})

test_that("a run's own interval is told apart from one over runs", {
  note <- interval_note(data.table(n = 1:4, low = NA_real_), singles = TRUE, "latency")
  expect_match(note, "Thin bars, n < 3: the run's own 95 % normal interval", fixed = TRUE)
  expect_match(note, "says nothing about the next run", fixed = TRUE)
})

test_that("a run's own interval of its mean latency is the textbook's", {
  # 2000 -+ 1.959964 * 300 / sqrt(900).
  own <- latency_within_run(c(2000, 2000), c(300, NA), 900)
  expect_equal(own$low, c(1980.40036, NA), tolerance = 1e-7)
  expect_equal(own$high, c(2019.59964, NA), tolerance = 1e-7)
})
