# Through the real scripts, in a process of their own, from another folder.

script_names <- c("latency-by-queue-pairs", "throughput-by-queue-pairs")

run_script <- function(name, ..., folder = figures) {
  errors <- tempfile()
  before <- setwd(tempdir())
  on.exit(setwd(before))
  output <- suppressWarnings(system2(
    file.path(R.home("bin"), "Rscript"),
    c("--vanilla", shQuote(file.path(folder, paste0(name, ".R"))), shQuote(c(...))),
    stdout = TRUE, stderr = errors
  ))
  status <- attr(output, "status")
  list(
    status = if (is.null(status)) 0L else status,
    output = as.character(output), errors = paste(readLines(errors), collapse = "\n")
  )
}

test_that("a script writes what is asked for and prints the paths", {
  runs <- write_fixture(fixture_runs())
  for (name in script_names) {
    out <- file.path(tempfile("out"), "new folder")
    run <- run_script(name, "--runs", runs, "--out", out, "--formats", "svg,png")
    expect_equal(run$status, 0L)
    expect_equal(run$output, file.path(out, paste0(name, c(".svg", ".png"))))
    expect_equal(list.files(out), paste0(name, c(".png", ".svg")))
    expect_equal(run$errors, "")
  }
})

test_that("a script finds its library beside itself, in a path with a space", {
  copy <- file.path(tempfile("copy"), "my figures")
  dir.create(copy, recursive = TRUE)
  file.copy(file.path(figures, c("lib", paste0(script_names, ".R"))), copy, recursive = TRUE)
  out <- tempfile("out")
  runs <- write_fixture(fixture_runs())
  run <- run_script(
    script_names[1], paste0("--runs=", runs), "--out", out, "--formats", "svg",
    folder = copy
  )
  expect_equal(run$errors, "")
  expect_equal(run$status, 0L)
  expect_true(file.exists(file.path(out, "latency-by-queue-pairs.svg")))
})

test_that("a table without the drawn column ends with exit 2, file and column named", {
  runs <- write_fixture(fixture_runs()[, !"throughput_ops"])
  out <- tempfile("out")
  run <- run_script("throughput-by-queue-pairs", "--runs", runs, "--out", out)
  expect_equal(run$status, 2L)
  expect_match(run$errors, paste0(runs, ": lacks the column 'throughput_ops'"), fixed = TRUE)
  expect_false(file.exists(out))
})

test_that("an unknown argument ends with exit 2 and the usage", {
  run <- run_script("latency-by-queue-pairs", "--runs", "x", "--out", "y", "--colour", "red")
  expect_equal(run$status, 2L)
  expect_match(run$errors, "unknown argument '--colour'", fixed = TRUE)
  expect_match(run$errors, "usage: Rscript", fixed = TRUE)
})

test_that("wrong command lines are refused one by one", {
  refused <- function(given, message) {
    expect_error(parse_arguments(given), message, class = "usage_error", fixed = TRUE)
  }
  refused(character(), "argument '--runs' is missing")
  refused(c("--runs", "x"), "argument '--out' is missing")
  refused(c("--runs", "--out", "y"), "argument '--runs' needs a value")
  refused(c("--out", "y", "--runs"), "argument '--runs' needs a value")
  refused(c("--runs", "x", "--runs", "z", "--out", "y"), "'--runs' is given twice")
  refused(c("x", "y"), "unexpected argument 'x'")
  refused(c("--runs", "x", "--out", "y", "--formats", "pdf,gif"), "unknown format 'gif'")
})

test_that("a right command line is taken apart", {
  asked <- parse_arguments(c("--out=o", "--runs", "r", "--formats", "png,pdf"))
  expect_equal(asked[c("runs", "out", "formats")], list(
    runs = "r", out = "o", formats = c("png", "pdf")
  ))
  expect_equal(parse_arguments(c("--out", "o", "--runs", "r"))$formats, figure_formats)
})

test_that("an experiment narrows the table, and an unknown one is refused", {
  runs <- write_fixture(rbind(fixture_runs(), fixture_runs(fixed = list(experiment = "other"))))
  asked <- asked_runs(list(runs = runs, experiment = "other"), "latency_mean_ns")
  expect_equal(unique(asked$experiment), "other")
  expect_equal(nrow(asked), nrow(fixture_runs()))
  expect_error(
    asked_runs(list(runs = runs, experiment = "none"), character()),
    "no run of experiment 'none' (there: 'fixture' and 'other')",
    class = "figure_error", fixed = TRUE
  )
})

test_that("help is printed with exit 0", {
  run <- run_script("latency-by-queue-pairs", "--help")
  expect_equal(run$status, 0L)
  expect_match(run$output[1], "usage: Rscript --vanilla figures/latency-by-queue-pairs.R")
})
