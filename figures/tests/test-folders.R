# Several folders of tables in one figure.

table_folder <- function(...) {
  folder <- tempfile("tables")
  dir.create(folder)
  tables <- list(...)
  for (table in names(tables)) {
    write_fixture(tables[[table]], file.path(folder, table_files[[table]]))
  }
  folder
}

closed <- function(...) fixture_runs(queue_pairs = c(1, 8), loop = "closed", ...)

folders_of <- function(...) paste(c(...), collapse = ",")

# The tables of `folders` that the figure called `name` draws, and what it says.
tables_for <- function(folders, name = "latency-by-queue-pairs", experiment = NULL, at = list()) {
  columns <- of_figure("tables", name)()
  asked <- function(paths) {
    asked_tables(list(paths = paths, experiment = experiment), columns)
  }
  draw <- function(tables) do.call(of_figure("draw", name), c(unname(tables), list(at = at)))
  tables_of_folders(name, paths_in_folders(folders, names(columns)), asked, draw)
}

test_that("two sources in two folders may share their run ids, and every row is kept", {
  folders <- c(table_folder(runs = closed()), table_folder(runs = closed(fixed = hardware)))
  runs <- expect_silent(tables_for(folders))$runs
  expect_equal(as.vector(table(droplevels(runs$source))), rep(nrow(closed()), 2))
  expect_setequal(runs$profile, c("lab", "cx4"))
  expect_setequal(runs$nic, c("rxe0", "mlx5_0"))
  expect_equal(uniqueN(runs$run_id), nrow(closed()))
})

test_that("a column of one folder is empty in the other", {
  coded <- closed(fixed = hardware)[, code_generation := "v2"]
  runs <- tables_for(c(table_folder(runs = closed()), table_folder(runs = coded)))$runs
  expect_setequal(runs[source == "soft-roce"]$code_generation, NA)
  expect_setequal(runs[source == "measured"]$code_generation, "v2")
})

test_that("a folder given twice is refused, by whatever path", {
  folder <- table_folder(runs = closed())
  for (again in c(folder, paste0(folder, "/"), file.path(folder, "..", basename(folder)))) {
    expect_error(
      asked_folders(folders_of(folder, again)), "twice: its runs would count double",
      class = "usage_error"
    )
  }
  expect_error(asked_folders("a,,b"), "a folder has no name", class = "usage_error")
  expect_error(asked_folders("a,"), "a folder has no name", class = "usage_error")
})

test_that("a folder whose name has a comma can be given alone", {
  folder <- file.path(tempfile("tables"), "a,b")
  dir.create(folder, recursive = TRUE)
  expect_equal(asked_folders(folder), folder)
})

test_that("one run in two folders is refused, the folders and the run named", {
  folders <- c(table_folder(runs = closed()), table_folder(runs = closed()[3:5]))
  error <- expect_error(tables_for(folders), "would count double", class = "figure_error")
  for (folder in folders) expect_match(conditionMessage(error), folder, fixed = TRUE)
  expect_match(conditionMessage(error), "source 'soft-roce'.*run_id 'fixture-0003'")
})

test_that("a folder that has nothing of the figure is named, and the other drawn", {
  without <- table_folder(runs = fixture_runs(loop = "saturating", fixed = hardware))
  with <- table_folder(runs = closed())
  out <- tempfile("out")
  run <- run_script(
    "latency-by-queue-pairs", "--tables", folders_of(without, with), "--out", out,
    "--formats", "svg"
  )
  expect_equal(run$status, 0L)
  expect_equal(list.files(out), "latency-by-queue-pairs.svg")
  said <- paste0("latency-by-queue-pairs: ", without, " is left out: no run has loop closed")
  expect_match(run$errors, said, fixed = TRUE)
  expect_no_match(run$errors, with, fixed = TRUE)
})

test_that("a folder that lacks a table is left out of the figures that need it", {
  latencies <- data.table(
    source = "measured", profile = "two-nodes", cpu_node = 0, memory_node = 0:1,
    latency_ns = c(90, 140), replicate = 1
  )
  folders <- c(
    table_folder(runs = closed()),
    table_folder("memory-latency" = latencies, runs = closed(fixed = hardware))
  )
  expect_message(
    tables <- tables_for(folders, "memory-latency"),
    paste0(folders[1], " is left out: has no table 'memory-latency.csv': nothing to draw"),
    fixed = TRUE
  )
  expect_equal(nrow(tables[["memory-latency"]]), 2)
})

test_that("without anything in any folder the exit is 3, or 0 when that will do", {
  folders <- c(table_folder(runs = closed()), table_folder(runs = closed(fixed = hardware)))
  asked <- c("--tables", folders_of(folders), "--out", tempfile("out"))
  run <- run_script("throughput-by-workers", asked)
  expect_equal(run$status, 3L)
  expect_match(run$errors, "no folder has anything to draw")
  for (folder in folders) expect_match(run$errors, paste(folder, "is left out"), fixed = TRUE)
  expect_equal(run_script("throughput-by-workers", asked, "--if-any")$status, 0L)
})

test_that("what is wrong with one folder is refused whatever the other holds", {
  sound <- table_folder(runs = closed())
  refused <- function(other, ...) {
    run <- run_script(
      "latency-by-queue-pairs", "--tables", folders_of(sound, other), "--out", tempfile("out"),
      "--if-any", ...
    )
    expect_equal(run$status, 2L)
    run$errors
  }
  unknown <- table_folder(runs = closed(fixed = c(hardware, list(schema_version = 99))))
  expect_match(refused(unknown), paste0(unknown, "/runs.csv.gz: column 'schema_version' is '99'"))
  expect_match(refused("/nonexistent"), "/nonexistent: no such folder")
  expect_match(refused(sound), "twice")
  other <- table_folder(runs = closed(fixed = hardware))
  runs <- file.path(other, "runs.csv.gz")
  expect_match(refused(other, "--runs", runs), "'--runs' cannot stand beside several folders")
  expect_match(refused(other, "--experiment", "none"), "no folder is left: .*experiment 'none'")
  expect_match(refused(other, "--at", "colour=red"), "no folder is left: .*'colour'")
})

test_that("a folder without the experiment or column that is asked for is left out", {
  other <- closed(fixed = c(hardware, list(experiment = "other")))[, code_generation := "v2"]
  folders <- c(table_folder(runs = closed()), table_folder(runs = other))
  expect_message(
    runs <- tables_for(folders, experiment = "other")$runs, "no run of experiment 'other'"
  )
  expect_setequal(runs$profile, "cx4")
  expect_message(
    runs <- tables_for(folders, at = list(code_generation = "v2"))$runs, "names no column"
  )
  expect_setequal(runs$profile, "cx4")
})

test_that("several figures are drawn of several folders in one go", {
  folders <- c(
    table_folder(runs = fixture_runs()), table_folder(runs = fixture_runs(fixed = hardware))
  )
  out <- tempfile("out")
  run <- run_script(
    "draw", "--tables", folders_of(folders), "--out", out, "--formats", "svg", "--if-any",
    "--figures", "latency-by-queue-pairs,throughput-by-queue-pairs,atomics"
  )
  expect_equal(run$status, 0L)
  expect_equal(list.files(out), paste0(c("latency", "throughput"), "-by-queue-pairs.svg"))
  alone <- tempfile("alone")
  run_script(
    "latency-by-queue-pairs", "--tables", folders_of(folders), "--out", alone, "--formats", "svg"
  )
  sums <- tools::md5sum(file.path(c(out, alone), "latency-by-queue-pairs.svg"))
  expect_equal(unname(sums[1]), unname(sums[2]))
})
