table_of <- function(...) {
  fixture_runs(queue_pairs = 1:2, operation = "read", access_bytes = 64, ...)
}

test_that("a table without flaws is drawn whole", {
  drawn <- drawable(read_fixture(table_of(loop = "closed")), "latency_mean_ns")
  expect_equal(nrow(drawn$runs), 12)
  expect_equal(drawn_note(drawn), "All 12 runs drawn, none marked invalid.")
})

test_that("what a figure leaves out itself is counted along", {
  drawn <- drawable(read_fixture(table_of(loop = "closed")), "latency_mean_ns")
  said <- function(count) drawn_note(drawn, c("of other designs" = count))
  expect_equal(said(3), "3 of 12 runs not drawn: 3 of other designs.")
  expect_equal(counted(1, "run"), "1 run")
  expect_equal(counted(2, "run"), "2 runs")
  expect_equal(said(0), "All 12 runs drawn, none marked invalid.")
})

test_that("invalid runs are left out and counted", {
  runs <- table_of(loop = "closed")
  runs[, valid := rep(c("true", "true", "false"), 4)]
  drawn <- drawable(read_fixture(runs), "latency_mean_ns")
  expect_equal(nrow(drawn$runs), 8)
  expect_true(all(drawn$runs$valid))
  expect_equal(drawn_note(drawn), "4 of 12 runs not drawn: 4 marked invalid.")
})

test_that("every reason for leaving a run out is counted by itself", {
  runs <- table_of(loop = "closed")
  runs[, duplicate_of := NA_character_]
  runs[1:2, valid := "false"]
  runs[2:4, duplicate_of := "fixture-0009"]
  runs[5, latency_mean_ns := NA]
  runs[6, queue_pairs := NA]
  drawn <- drawable(read_fixture(runs), "latency_mean_ns")
  expect_equal(nrow(drawn$runs), 6)
  expect_match(drawn_note(drawn), "6 of 12 runs not drawn:", fixed = TRUE)
  expect_match(drawn_note(drawn), "1 marked invalid", fixed = TRUE)
  expect_match(drawn_note(drawn), "3 a duplicate of another run", fixed = TRUE)
  expect_match(drawn_note(drawn), "1 without latency_mean_ns", fixed = TRUE)
  expect_match(drawn_note(drawn), "1 without a complete design point", fixed = TRUE)
})

test_that("a run whose validity is not stated is drawn and counted", {
  runs <- table_of(loop = "closed")
  runs[1:3, valid := NA]
  drawn <- drawable(read_fixture(runs), "latency_mean_ns")
  expect_equal(nrow(drawn$runs), 12)
  expect_match(drawn_note(drawn), "Validity not stated for 3 drawn.", fixed = TRUE)
})

test_that("a table with nothing to draw is refused with the reason", {
  closed <- read_fixture(table_of(loop = "closed"))
  expect_error(
    drawable(closed[, throughput_ops := NA_real_], "throughput_ops"),
    "none of 12 runs can be drawn: 12 without throughput_ops",
    class = "nothing_to_draw"
  )
  invalid <- read_fixture(table_of(loop = "closed", fixed = list(valid = "false")))
  expect_error(drawable(invalid, "latency_mean_ns"), "12 marked invalid", class = "nothing_to_draw")
})
