runs_of <- function(...) {
  read_fixture(fixture_runs(
    queue_pairs = c(4, 8), operation = "read", access_bytes = 8, replicate = 1, ...
  ))
}

test_that("where narrows, and refuses as absent what the table does not have", {
  runs <- runs_of()
  expect_equal(unique(selected(runs, list(queue_pairs = 8))$queue_pairs), 8)
  expect_error(
    selected(runs, list(workers = 2)), "no run has workers 2 .*with '0'",
    class = "nothing_to_draw"
  )
})

test_that("prefer narrows a table that has the level and leaves any other alone", {
  runs <- runs_of()
  expect_equal(unique(selected(runs, prefer = list(queue_pairs = 8))$queue_pairs), 8)
  expect_equal(nrow(selected(runs, prefer = list(queue_pairs = 16))), nrow(runs))
})

test_that("a column that is not there counts as empty", {
  runs <- runs_of()
  expect_equal(nrow(selected(runs, list(code_generation = c("v2", NA)))), nrow(runs))
  expect_error(selected(runs, list(code_generation = "v2")), class = "nothing_to_draw")
})

test_that("levels asked for replace the figure's own, any lifts them", {
  runs <- runs_of()
  own <- list(queue_pairs = 8)
  expect_equal(unique(selected(runs, own, at = list(queue_pairs = "4"))$queue_pairs), 4)
  expect_equal(unique(selected(runs, prefer = own, at = list(queue_pairs = "4"))$queue_pairs), 4)
  expect_equal(nrow(selected(runs, own, at = list(queue_pairs = "any"))), nrow(runs))
  expect_equal(nrow(selected(runs, own, at = list(queue_pairs = c("4", "8")))), nrow(runs))
})

test_that("a level of a column that does not exist is refused, not ignored", {
  expect_error(
    selected(runs_of(), at = list(queue_pair = "4")), "names no column of the table: 'queue_pair'",
    class = "figure_error"
  )
})

test_that("runs of an application are none of verbs", {
  other <- fixture_runs(fixed = list(experiment = "memcached"))
  both <- read_fixture(rbind(fixture_runs(), other[, run_id := paste0(run_id, "-b")]))
  expect_equal(nrow(verbs_runs(both)), nrow(fixture_runs()))
  expect_error(verbs_runs(read_fixture(other)), "applications only", class = "nothing_to_draw")
})

test_that("levels of a list are replaced, added and taken out", {
  expect_equal(
    with_levels(list(a = 1, b = 2), list(a = c("x", NA), b = NULL, c = 3)),
    list(a = c("x", NA), c = 3)
  )
})
