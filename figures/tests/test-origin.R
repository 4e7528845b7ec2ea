origin <- function(...) {
  read_fixture(fixture_runs(
    queue_pairs = 1, operation = "read", access_bytes = 64, fixed = list(...)
  ))
}

test_that("soft-roce carries its own name and claims no performance", {
  expect_equal(
    origin_statement(origin()),
    "source: soft-roce, back end verbs on rdma_rxe: function only, no performance claim"
  )
})

test_that("a measurement names its NIC and profile", {
  expect_equal(
    origin_statement(origin(source = "measured", nic = "mlx5_0", profile = "cx4")),
    "source: measured, back end verbs on mlx5_0, profile cx4: hardware"
  )
})

test_that("a NIC and a back end that are missing are not invented", {
  expect_equal(
    origin_statement(origin(source = "published", back_end = NA, nic = NA, profile = NA)),
    "source: published, back end not stated: the study's own data"
  )
})

test_that("every source says what it may be taken for", {
  expect_equal(names(origin_meaning), run_levels$source)
  simulated <- origin_statement(origin(source = "simulated", back_end = "sim", nic = NA))
  expect_match(simulated, "not a measurement")
})

test_that("several origins are all stated, in the order of the sources", {
  both <- rbind(origin(), origin(source = "measured"))
  lines <- strsplit(origin_statement(both), "\n")[[1]]
  expect_match(lines[1], "^source: measured")
  expect_match(lines[2], "^source: soft-roce")
  expect_length(lines, 2)
})
