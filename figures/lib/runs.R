# Reading the table of runs, one row a run. Missing is an empty field and
# becomes NA, never 0; whatever the reader does not know, it refuses.

runs_schema_version <- "1"

# Closed sets of levels, in the order in which they are drawn.
run_levels <- list(
  source = c("published", "measured", "soft-roce", "emulated", "simulated"),
  operation = c("read", "write", "mixed", "compare-and-swap", "fetch-and-add", "send"),
  locality = c("rdma-local", "rdma-remote"),
  loop = c("closed", "saturating", "open")
)

run_numbers <- c(
  "replicate", "queue_pairs", "threads", "access_bytes", "mtu_bytes", "max_rd_atomic",
  "window", "workers", "worker_write_fraction", "load_bytes", "operations",
  "throughput_published_ops", "throughput_ops", "throughput_low_ops", "throughput_high_ops",
  "latency_mean_ns", "latency_sd_ns", "latency_p50_ns", "latency_p99_ns", "latency_p999_ns",
  "samples"
)

# Columns no figure can do without; a figure adds the one it draws.
run_identity <- c(
  "source", "back_end", "run_id", "operation", "locality", "queue_pairs", "access_bytes",
  "loop", "valid"
)

# Together they name a run: a run id is derived from the design point only, so
# two machines or two sources may share one.
run_key <- c("source", "back_end", "profile", "experiment", "run_id")

# The value of `code`, or a refusal of `path` when it stops or warns. A warning
# is let through to its end first: fread cut short spoils the fread after it.
read_soundly <- function(code, path) {
  doubts <- character()
  value <- withCallingHandlers(
    tryCatch(code, error = function(condition) {
      doubts <<- c(conditionMessage(condition), doubts)
    }),
    warning = function(condition) {
      doubts <<- c(doubts, conditionMessage(condition))
      invokeRestart("muffleWarning")
    }
  )
  if (length(doubts) > 0) refuse(path, ": not a readable CSV table: ", doubts[1])
  value
}

read_lines <- function(path) {
  file <- gzfile(path, "rt", encoding = "UTF-8")
  on.exit(close(file))
  readLines(file)
}

# All fields of a CSV file, compressed or not, as text; an empty field is NA.
read_text_table <- function(path) {
  if (!file.exists(path) || dir.exists(path)) refuse(path, ": no such file")
  lines <- read_soundly(read_lines(path), path)
  if (length(lines) == 0) refuse(path, ": is empty, without even a header")
  # A header alone is a table without rows, which fread would take for data.
  rows <- if (length(lines) == 1) c(lines, "") else lines
  table <- read_soundly(
    fread(
      text = rows, header = TRUE, colClasses = "character", sep = ",", na.strings = "",
      strip.white = FALSE
    ),
    path
  )
  if (length(lines) == 1) table[0] else table
}

check_schema_version <- function(runs, path) {
  if (!"schema_version" %in% names(runs)) {
    return(invisible())
  }
  unknown <- setdiff(runs$schema_version, runs_schema_version)
  if (length(unknown) > 0) {
    unknown[is.na(unknown)] <- "(empty)"
    refuse(
      path, ": column 'schema_version' is ", listed(unknown), ", and this reader knows '",
      runs_schema_version, "' only"
    )
  }
}

# A column of numbers, or a refusal that names the first field that is none.
as_numbers <- function(text, column, path) {
  numbers <- suppressWarnings(as.numeric(text))
  wrong <- which(!is.na(text) & !is.finite(numbers))
  if (length(wrong) > 0) {
    refuse(path, ": column '", column, "' has '", text[wrong[1]], "', which is not a number")
  }
  numbers
}

as_levels <- function(text, column, path) {
  unknown <- setdiff(text[!is.na(text)], run_levels[[column]])
  if (length(unknown) > 0) {
    refuse(
      path, ": column '", column, "' has ", listed(unknown), " (known: ",
      listed(run_levels[[column]]), ")"
    )
  }
  factor(text, run_levels[[column]])
}

as_truth <- function(text, column, path) {
  unknown <- setdiff(text[!is.na(text)], c("true", "false"))
  if (length(unknown) > 0) {
    refuse(path, ": column '", column, "' has ", listed(unknown), " (known: 'true' and 'false')")
  }
  text == "true"
}

# A run counted twice would make every interval too narrow.
check_key <- function(runs, path) {
  key <- intersect(run_key, names(runs))
  twice <- which(duplicated(runs, by = key))
  if (length(twice) > 0) {
    refuse(path, ": run_id '", runs$run_id[twice[1]], "' stands there more than once")
  }
}

# The runs of one table as a data.table: numbers in their own units, choices as
# factors in a fixed order, `valid` as a logical. `columns`: those needed beyond
# `run_identity`. Stops with `figure_error` naming the file and the column.
read_runs <- function(path, columns = character()) {
  runs <- read_text_table(path)
  absent <- setdiff(c(run_identity, columns), names(runs))
  if (length(absent) > 0) {
    refuse(path, ": lacks the column", if (length(absent) > 1) "s", " ", listed(absent))
  }
  twice <- unique(names(runs)[duplicated(names(runs))])
  if (length(twice) > 0) refuse(path, ": has more than one column ", listed(twice))
  check_schema_version(runs, path)
  if (nrow(runs) == 0) refuse(path, ": has no runs")
  for (column in intersect(run_numbers, names(runs))) {
    set(runs, j = column, value = as_numbers(runs[[column]], column, path))
  }
  for (column in names(run_levels)) {
    set(runs, j = column, value = as_levels(runs[[column]], column, path))
  }
  set(runs, j = "valid", value = as_truth(runs$valid, "valid", path))
  check_key(runs, path)
  runs
}
