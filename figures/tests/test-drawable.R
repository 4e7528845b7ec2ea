table_of <- function(...) {
  fixture_runs(queue_pairs = 1:2, operation = "read", access_bytes = 64, ...)
}

test_that("only the runs of the loop asked for are drawn and counted", {
  drawn <- drawable(read_fixture(table_of()), "closed", "latency_mean_ns")
  expect_equal(as.character(unique(drawn$runs$loop)), "closed")
  expect_equal(drawn$note, "All 12 runs drawn, none marked invalid.")
})

test_that("invalid runs are left out and counted", {
  runs <- table_of()
  runs[loop == "closed", valid := rep(c("true", "true", "false"), 4)]
  drawn <- drawable(read_fixture(runs), "closed", "latency_mean_ns")
  expect_equal(nrow(drawn$runs), 8)
  expect_true(all(drawn$runs$valid))
  expect_equal(drawn$note, "4 of 12 runs not drawn: 4 marked invalid.")
})

test_that("every reason for leaving a run out is counted by itself", {
  runs <- table_of(loop = "closed")
  runs[, duplicate_of := NA_character_]
  runs[1:2, valid := "false"]
  runs[2:4, duplicate_of := "fixture-0009"]
  runs[5, latency_mean_ns := NA]
  runs[6, queue_pairs := NA]
  drawn <- drawable(read_fixture(runs), "closed", "latency_mean_ns")
  expect_equal(nrow(drawn$runs), 6)
  expect_match(drawn$note, "6 of 12 runs not drawn: 2 marked invalid, ", fixed = TRUE)
  expect_match(drawn$note, "2 a duplicate of another run", fixed = TRUE)
  expect_match(drawn$note, "1 without latency_mean_ns", fixed = TRUE)
  expect_match(drawn$note, "1 without a complete design point", fixed = TRUE)
})

test_that("a run whose validity is not stated is drawn and counted", {
  runs <- table_of(loop = "closed")
  runs[1:3, valid := NA]
  drawn <- drawable(read_fixture(runs), "closed", "latency_mean_ns")
  expect_equal(nrow(drawn$runs), 12)
  expect_match(drawn$note, "Validity not stated for 3 drawn.", fixed = TRUE)
})

test_that("a table with nothing to draw is refused with the reason", {
  closed <- read_fixture(table_of(loop = "closed"))
  expect_error(
    drawable(closed, "saturating", "throughput_ops"), "no run has loop 'saturating'",
    class = "figure_error"
  )
  invalid <- read_fixture(table_of(loop = "closed", fixed = list(valid = "false")))
  expect_error(
    drawable(invalid, "closed", "latency_mean_ns"), "12 marked invalid",
    class = "figure_error"
  )
})
