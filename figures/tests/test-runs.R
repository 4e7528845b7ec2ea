small <- function(...) fixture_runs(queue_pairs = 1, operation = "read", access_bytes = 64, ...)

refused <- function(runs, message, columns = character()) {
  path <- write_fixture(runs)
  error <- expect_error(read_runs(path, columns), class = "figure_error")
  expect_match(conditionMessage(error), path, fixed = TRUE)
  expect_match(conditionMessage(error), message, fixed = TRUE)
}

test_that("compressed and plain tables read the same", {
  runs <- small()
  expect_equal(
    read_runs(write_fixture(runs)), read_runs(write_fixture(runs, tempfile(fileext = ".csv")))
  )
})

test_that("an empty field is NA and never 0", {
  runs <- small()
  runs[1, `:=`(latency_mean_ns = NA, throughput_ops = NA, valid = NA, locality = NA)]
  read <- read_fixture(runs)
  expect_true(is.na(read$latency_mean_ns[1]))
  expect_true(is.na(read$throughput_ops[1]))
  expect_true(is.na(read$valid[1]))
  expect_true(is.na(read$locality[1]))
  expect_type(read$latency_p50_ns, "double")
  expect_true(all(is.na(read$latency_p50_ns)))
})

test_that("numbers, choices and truth get their types, in a fixed order of levels", {
  runs <- small()
  runs[run_id == "fixture-0002", valid := "false"]
  read <- read_fixture(runs[order(-rank(run_id))])
  expect_equal(levels(read$locality), c("rdma-local", "rdma-remote"))
  expect_equal(levels(read$loop), c("closed", "saturating", "batch", "open", "ping-pong"))
  expect_equal(read$run_id[!read$valid], "fixture-0002")
  expect_equal(read[run_id == "fixture-0001"]$latency_mean_ns, runs$latency_mean_ns[1])
})

test_that("a table without a needed column is refused by file and column", {
  refused(small()[, !"locality"], "lacks the column 'locality'")
  refused(
    small()[, !c("loop", "latency_mean_ns")],
    "lacks the columns 'loop' and 'latency_mean_ns'", "latency_mean_ns"
  )
})

test_that("an unknown schema version is refused", {
  refused(small(fixed = list(schema_version = 99)), "'schema_version' is '99'")
  runs <- small()[, schema_version := as.character(schema_version)]
  runs[1, schema_version := NA]
  refused(runs, "'schema_version' is '(empty)'")
})

test_that("a table without a schema version column is read", {
  runs <- small()
  expect_equal(nrow(read_fixture(runs[, !"schema_version"])), nrow(runs))
})

test_that("a table without runs is refused, with a header or without", {
  refused(small()[0], "has no rows")
  path <- tempfile()
  file.create(path)
  expect_error(read_runs(path), "is empty, without even a header", class = "figure_error")
})

test_that("a header alone that lacks a column is refused by the column", {
  refused(small()[0, !"source"], "lacks the column 'source'")
})

test_that("a file that is not there is refused", {
  expect_error(read_runs("/nonexistent/runs.csv.gz"), "no such file", class = "figure_error")
})

test_that("a damaged file is refused", {
  whole <- write_fixture(fixture_runs())
  bytes <- readBin(whole, "raw", file.size(whole))
  cut <- tempfile(fileext = ".csv.gz")
  writeBin(bytes[1:(length(bytes) %/% 2)], cut)
  expect_error(read_runs(cut), class = "figure_error")
  ragged <- write_fixture(small(), tempfile(fileext = ".csv"))
  cat("1,soft-roce,verbs\n", file = ragged, append = TRUE)
  expect_error(read_runs(ragged), "not a readable CSV table", class = "figure_error")
})

test_that("a last line without an end is refused, as its last number may be cut", {
  path <- write_fixture(small(), tempfile(fileext = ".csv"))
  text <- readChar(path, file.size(path))
  cat(substr(text, 1, nchar(text) - 1), file = path)
  expect_error(read_runs(path), "incomplete final line", class = "figure_error")
})

test_that("a field that is no number is refused by column and value", {
  runs <- small()[, latency_mean_ns := as.character(latency_mean_ns)]
  runs[1, latency_mean_ns := "fast"]
  refused(runs, "column 'latency_mean_ns' has 'fast'")
  runs[1, latency_mean_ns := "NA"]
  refused(runs, "column 'latency_mean_ns' has 'NA'")
})

test_that("an unknown level is refused by column and value", {
  refused(small(fixed = list(source = "guessed")), "column 'source' has 'guessed'")
  refused(small(locality = c("rdma-local", "near")), "column 'locality' has 'near'")
  refused(small(fixed = list(valid = "yes")), "column 'valid' has 'yes'")
})

test_that("a run that stands twice is refused", {
  refused(rbind(small(), small()[2]), "run_id 'fixture-0002' stands there more than once")
})

test_that("two sources may share a run id", {
  both <- rbind(small(), small(fixed = list(source = "measured")))
  expect_equal(nrow(read_fixture(both)), nrow(both))
})

test_that("a number that cannot be is refused by line, column and rule", {
  changed <- function(...) {
    runs <- small()
    values <- list(...)
    for (name in names(values)) {
      column <- if (is.null(runs[[name]])) rep(NA, nrow(runs)) else runs[[name]]
      runs[[name]] <- replace(column, 2, values[[name]])
    }
    runs
  }
  at <- function(column) paste0("line 3, column '", column, "' is '")
  refused(changed(throughput_published_ops = -1), at("throughput_published_ops"))
  refused(changed(throughput_published_ops = -1), "which breaks the rule: positive-if-valid")
  refused(changed(latency_p50_ns = 9, latency_p99_ns = 8), at("latency_p99_ns"))
  refused(changed(workers = 0, worker_accesses_per_second = 7), at("worker_accesses_per_second"))
  ends <- changed(throughput_ops = 5, throughput_low_ops = 6, throughput_high_ops = 7)
  refused(ends, "breaks the rule: low-of throughput_ops throughput_high_ops")
  refused(changed(throughput_low_ops = 1, throughput_high_ops = NA), at("throughput_low_ops"))
  refused(changed(write_fraction = 1.5), "breaks the rule: within 0 1")
  # A run that does not count may have measured nothing.
  nothing <- changed(valid = "false", throughput_published_ops = 0)
  expect_equal(nrow(read_fixture(nothing)), nrow(nothing))
})

test_that("a table that is not the one that was summed is refused", {
  folder <- tempfile()
  dir.create(folder)
  path <- write_fixture(small(), file.path(folder, "runs.csv.gz"))
  sum <- strsplit(system2("sha256sum", shQuote(path), stdout = TRUE), " ")[[1]][1]
  sums <- file.path(folder, "SHA256SUMS")
  writeLines(c(paste0(sum, "  runs.csv.gz"), "0000  other.csv"), sums)
  expect_gt(nrow(read_runs(path)), 0)
  writeLines(paste0(strrep("0", 64), "  runs.csv.gz"), sums)
  error <- expect_error(read_runs(path), class = "figure_error")
  expect_match(conditionMessage(error), paste0(path, ": is not the file that ", sums), fixed = TRUE)
  writeLines(paste0(sum, "  other.csv"), sums)
  error <- expect_error(read_runs(path), class = "figure_error")
  expect_match(conditionMessage(error), paste(sums, "does not list it"), fixed = TRUE)
})
