base <- function(...) fixture_runs(queue_pairs = c(1, 4), access_bytes = 64, loop = "closed", ...)

with_suffix <- function(runs, suffix) runs[, run_id := paste0(run_id, suffix)]

test_that("replicates of one design need no variants", {
  runs <- read_fixture(base())
  expect_equal(splitting_factors(runs), character())
  expect_equal(nlevels(run_variants(runs, character())), 1)
})

test_that("a factor with several levels at one point splits the runs", {
  runs <- read_fixture(rbind(
    base(), with_suffix(base(fixed = list(mtu_bytes = 256)), "b")
  ))
  expect_equal(splitting_factors(runs), "mtu_bytes")
  expect_equal(levels(run_variants(runs, "mtu_bytes")), c("MTU 256 B", "MTU 1024 B"))
})

test_that("client hosts split runs of equal threads, and are named", {
  runs <- read_fixture(rbind(
    base(fixed = list(client_hosts = 1, threads = 4)),
    with_suffix(base(fixed = list(client_hosts = 2, threads = 4)), "b")
  ))
  expect_equal(splitting_factors(runs), "client_hosts")
  expect_equal(levels(run_variants(runs, "client_hosts")), c("1 client host", "2 client hosts"))
})

test_that("a factor that follows from another splits nothing more", {
  busy <- list(workers = 8, worker_operation = "read", worker_locality = "rdma-local")
  runs <- read_fixture(rbind(base(), with_suffix(base(fixed = busy), "b")))
  expect_equal(splitting_factors(runs), "workers")
  expect_equal(levels(run_variants(runs, "workers")), c("0 workers", "8 workers"))
})

test_that("a missing level is a level of its own", {
  runs <- read_fixture(rbind(base(), with_suffix(base(fixed = list(window = NA)), "b")))
  expect_equal(levels(run_variants(runs, "window")), c("window 1", "window not stated"))
})

test_that("origins are kept apart even where they share no point", {
  other <- fixture_runs(
    queue_pairs = 64, access_bytes = 64, loop = "closed",
    fixed = list(source = "measured", nic = "mlx5_0", profile = "cx4")
  )
  runs <- read_fixture(rbind(base(), other))
  expect_equal(splitting_factors(runs), "source")
  expect_equal(levels(run_variants(runs, "source")), c("measured", "soft-roce"))
})

test_that("what is fixed and what changes with the axes is said", {
  runs <- base()
  runs[, threads := queue_pairs]
  note <- variation_note(read_fixture(runs), shown_factors)
  expect_match(note[1], "^Fixed: MTU\u00a01024\u00a0B, max_rd_atomic\u00a01")
  expect_equal(note[2], "Not fixed but changing along with the axes or panels: threads.")
  expect_length(variation_note(read_fixture(base()), shown_factors), 1)
})

test_that("origins that differ from panel to panel are warned of like factors", {
  first <- list(source = "published", profile = "old", code_generation = "v1")
  old <- with_suffix(base(fixed = first), "b")
  new <- base(fixed = list(
    source = "published", profile = "new", code_generation = "v2", campaign = "b"
  ))
  runs <- read_fixture(rbind(old[, campaign := "a"], new))
  expect_equal(splitting_factors(runs), "profile")
  expect_equal(
    tail(variation_note(runs, c(shown_factors, "profile")), 1),
    "Not fixed but changing along with the axes or panels: code generation, campaign."
  )
})

test_that("experiments of equal factors are replicates of one another", {
  again <- with_suffix(base(fixed = list(experiment = "again")), "b")
  expect_equal(splitting_factors(read_fixture(rbind(base(), again))), character())
})

test_that("code generations and campaigns are kept apart even where they share no point", {
  for (column in c("code_generation", "campaign")) {
    one <- base()[queue_pairs == 1][, (column) := "a"]
    other <- with_suffix(base(), "b")[queue_pairs == 4][, (column) := "b"]
    expect_equal(splitting_factors(read_fixture(rbind(one, other))), column)
  }
})

test_that("a factor that a figure shows splits nothing", {
  runs <- read_fixture(rbind(base(), with_suffix(base(fixed = list(mtu_bytes = 256)), "b")))
  expect_equal(splitting_factors(runs, c(shown_factors, "mtu_bytes")), character())
})

test_that("a factor that no script names splits the runs, too, under its own name", {
  plain <- base()[, send_queue_depth := 128]
  deeper <- with_suffix(base(), "b")[, send_queue_depth := 512]
  runs <- read_fixture(rbind(plain, deeper))
  expect_equal(splitting_factors(runs), "send_queue_depth")
  variants <- levels(run_variants(runs, "send_queue_depth"))
  expect_equal(variants, c("send queue depth 128", "send queue depth 512"))
})

test_that("every factor that the schema knows tells runs apart", {
  ways <- c(design_factors, "operation", "locality", "loop")
  expect_equal(sort(ways), sort(factors_of_runs))
})

test_that("a place that was asked for is not said beside what came of it", {
  runs <- base()
  runs[, server_region := fifelse(locality == "rdma-local", "node:0", "node:1")]
  expect_no_match(variation_note(read_fixture(runs), shown_factors), "server region")
  there <- read_fixture(runs)
  expect_match(paste(variation_note(there, setdiff(shown_factors, "locality")), collapse = " "),
    "server region"
  )
})

test_that("levels are told in the words of their factor", {
  expect_equal(level_label("workers", c(1, 4)), c("1 worker", "4 workers"))
  expect_equal(level_label("mtu_bytes", 1024), "MTU 1024 B")
  expect_equal(level_label("rate_ops_per_second", 1000), "1000 ops/s offered")
  expect_equal(level_label("ddio", "off"), "DDIO off")
})
