# Through the real scripts, in a process of their own, from another folder.

script_names <- c("latency-by-queue-pairs", "throughput-by-queue-pairs")

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
  parts <- c("lib", "draw", paste0(script_names, ".R"))
  file.copy(file.path(figures, parts), copy, recursive = TRUE)
  # What the schemas say of columns, where it is in the project.
  schema <- file.path(dirname(copy), "data", "schema")
  dir.create(schema, recursive = TRUE)
  file.copy(file.path(dirname(figures), "data", "schema", "columns.csv"), schema)
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
  refused(c("--out", "y"), "argument '--runs' is missing")
  refused(c("--runs", "x"), "argument '--out' is missing")
  refused(c("--runs", "x", "--out", "y", "--at", "mtu_bytes"), "is not COLUMN=LEVEL")
  refused(c("--runs", "x", "--out", "y", "--at", "a=1,a=2"), "has 'a' twice")
  refused(c("--runs", "x", "--out", "y", "--if-any=no"), "'--if-any' takes no value")
  refused(c("--runs", "--out", "y"), "argument '--runs' needs a value")
  refused(c("--out", "y", "--runs"), "argument '--runs' needs a value")
  refused(c("--runs", "x", "--runs", "z", "--out", "y"), "'--runs' is given twice")
  refused(c("x", "y"), "unexpected argument 'x'")
  refused(c("--runs", "x", "--out", "y", "--formats", "pdf,gif"), "unknown format 'gif'")
})

test_that("a right command line is taken apart", {
  asked <- parse_arguments(c("--out=o", "--runs", "r", "--formats", "png,pdf"))
  expect_equal(asked[c("paths", "out", "formats")], list(
    paths = list(runs = "r"), out = "o", formats = c("png", "pdf")
  ))
  expect_false(asked$if_any)
  more <- c("--out", "o", "--runs", "r", "--if-any", "--at", "queue_pairs=4+8,mtu_bytes=any")
  asked <- parse_arguments(more)
  expect_true(asked$if_any)
  expect_equal(asked$at, list(queue_pairs = c("4", "8"), mtu_bytes = "any"))
  expect_equal(parse_arguments(c("--out", "o", "--runs", "r"))$formats, figure_formats)
})

test_that("an experiment narrows the table, and an unknown one is refused", {
  runs <- write_fixture(rbind(fixture_runs(), fixture_runs(fixed = list(experiment = "other"))))
  arguments <- list(paths = list(runs = runs), experiment = "other")
  asked <- asked_tables(arguments, list(runs = "latency_mean_ns"))$runs
  expect_equal(unique(asked$experiment), "other")
  expect_equal(nrow(asked), nrow(fixture_runs()))
  expect_error(
    asked_tables(list(paths = list(runs = runs), experiment = "none"), list(runs = character())),
    "no run of experiment 'none' (there: 'fixture' and 'other')",
    class = "figure_error", fixed = TRUE
  )
})

test_that("a table without a figure's runs ends with exit 3, or 0 and no file when that will do", {
  runs <- write_fixture(fixture_runs())
  out <- tempfile("out")
  run <- run_script("throughput-by-workers", "--runs", runs, "--out", out)
  expect_equal(run$status, 3L)
  expect_match(run$errors, "no run has workers: nothing to draw")
  expect_false(file.exists(out))
  run <- run_script("throughput-by-workers", "--runs", runs, "--out", out, "--if-any")
  expect_equal(run$status, 0L)
  expect_match(run$errors, "nothing to draw")
  expect_equal(list.files(out), character())
})

test_that("where a page is to say that there is nothing, each format is there and says why", {
  invalid <- fixture_runs()
  invalid$valid <- "false"
  for (case in list(
    list(runs = fixture_runs(), name = "throughput-by-workers", why = "no run has workers"),
    list(runs = invalid, name = "latency-by-queue-pairs", why = "marked invalid")
  )) {
    out <- tempfile("out")
    runs <- write_fixture(case$runs)
    run <- run_script(case$name, "--runs", runs, "--out", out, "--or-say")
    expect_equal(run$status, 0L)
    expect_match(run$errors, case$why)
    expect_equal(list.files(out), paste0(case$name, c(".pdf", ".png", ".svg", ".txt")))
    page <- paste(readLines(file.path(out, paste0(case$name, ".svg"))), collapse = " ")
    expect_match(page, "Nothing to draw:", fixed = TRUE)
  }
})

test_that("a wrong table is refused with exit 2, whatever will do", {
  runs <- write_fixture(fixture_runs(fixed = list(schema_version = 0)))
  run <- run_script(
    "throughput-by-workers", "--runs", runs, "--out", tempfile("out"), "--if-any"
  )
  expect_equal(run$status, 2L)
  expect_match(run$errors, paste(
    "column 'schema_version' is '0', and this reader knows", listed(versions_of("runs")), "only"
  ))
})

test_that("tables are found in their folder, and those not in it are told apart", {
  folder <- tempfile("tables")
  dir.create(folder)
  runs <- file.path(folder, "runs.csv")
  paths <- function(tables) table_paths(list(tables = folder), tables)
  expect_error(paths("runs"), "no such file", class = "figure_error")
  write_fixture(fixture_runs(), runs)
  expect_equal(paths("runs"), list(runs = runs))
  expect_error(paths("clients"), "has no table 'clients.csv.gz'", class = "nothing_to_draw")
  expect_error(
    table_paths(list(tables = "/nonexistent"), "clients"), "no such folder", class = "figure_error"
  )
  expect_equal(table_paths(list(tables = folder, clients = "c"), "clients"), list(clients = "c"))
})

test_that("help is printed with exit 0", {
  run <- run_script("latency-by-queue-pairs", "--help")
  expect_equal(run$status, 0L)
  expect_match(run$output[1], "usage: Rscript --vanilla figures/latency-by-queue-pairs.R")
})
