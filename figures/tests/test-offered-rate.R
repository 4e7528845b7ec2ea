# Latency by offered rate: invented runs of an open loop.

offered_runs <- function(rates = c(1000, 10000, 100000), ...) {
  runs <- rbindlist(lapply(rates, function(rate) {
    one <- fixture_runs(
      queue_pairs = 2, operation = "read", access_bytes = 64, loop = "open",
      fixed = list(window = 128, ...)
    )
    # Nothing beyond 50,000 a second.
    one[, `:=`(
      rate_ops_per_second = rate, throughput_ops = pmin(rate, 50000),
      latency_p50_ns = 2000 * replicate, latency_p99_ns = 9000 * replicate,
      run_id = paste0(run_id, "-", rate)
    )]
  }))
  read_fixture(runs)
}

test_that("what was offered stands beside what was achieved, and both quantiles", {
  figure <- draw_latency_by_offered_rate(offered_runs())
  cells <- figure$plot$data
  expect_equal(sort(unique(cells$offered)), c(1, 10, 100))
  expect_equal(sort(unique(cells$achieved)), c(1, 10, 50))
  # The geometric mean of 1, 2 and 3 times the quantile.
  expect_equal(unique(round(cells$mean, 6)), round(c(2, 9) * 6^(1 / 3), 6))
  expect_true(all(cells$low < cells$mean & cells$mean < cells$high))
  expect_match(caption_of(figure), "All 18 runs drawn")
})

test_that("spacings of requests are panels of their own, as any factor is", {
  fixed <- offered_runs(arrivals = "fixed")
  poisson <- offered_runs(arrivals = "poisson")[, run_id := paste0(run_id, "p")]
  figure <- draw_latency_by_offered_rate(rbind(fixed, poisson))
  expect_equal(levels(figure$plot$data$variant), c("arrivals fixed", "arrivals poisson"))
})

test_that("a table without open loops, or with one rate, has nothing to draw", {
  expect_error(draw_latency_by_offered_rate(read_fixture(fixture_runs())), "no run has loop open")
  expect_error(draw_latency_by_offered_rate(offered_runs(1000)), "several levels")
})
