# Which window traces a figure shows, and how it names them.

# What a figure needs of the runs that the traces belong to.
trace_run_columns <- c(
  run_key, "nic", "operation", "locality", "access_bytes", "workers", "load_kind", "load_bytes",
  "doubts"
)

# The rows with a number for each `run`, whose id another source may use too, and the
# number of those `together` among which traces are chosen.
numbered_runs <- function(rows) {
  rows[, run := .GRP, by = c(intersect(run_key, names(rows)))]
  rows$together <- measured_together(rows)
  rows
}

# The length of the windows of traces, in milliseconds.
window_ms <- function(rows) {
  steps <- rows[, list(step = diff(sort(start_ns))), by = "run"]$step
  if (length(steps) == 0) refuse_absent("no trace has two windows: nothing to draw")
  median(steps) / 1e6
}

# Windows in which all clients of a run were at work.
all_at_work <- function(rows) {
  rows$clients == rows[, list(most = max(clients)), by = "run"][rows, on = "run"]$most
}

# A row a run: `v`, the coefficient of variation of its windows in which all clients
# were at work; runs of fewer than three of them have none and are left out.
trace_unsteadiness <- function(rows) {
  full <- rows[all_at_work(rows)]
  runs <- full[, list(v = if (.N >= 3) sd(throughput_ops) / mean(throughput_ops) else NA_real_),
    by = c("together", "nic", "operation", "run_id", "run")
  ]
  runs$regime <- run_regimes(unique(full, by = "run")[runs, on = "run"])
  runs <- runs[!is.na(v)]
  if (nrow(runs) == 0) refuse_absent("no trace has three windows of all clients: nothing to draw")
  runs[order(together, nic, operation, v, run_id)]
}

# A page holds no more.
most_other_traces <- 6L

# Of every NIC and operation the usual runs that vary least, middlingly and most,
# then the first of another regime: `run`, `v` and the `panel` number, in drawing order.
chosen_traces <- function(unsteady) {
  usual <- unsteady[regime == "usual"]
  some <- usual[, .SD[unique(c(1, ceiling(.N / 2), .N))], by = c("together", "nic", "operation")]
  other <- head(unsteady[regime != "usual"], most_other_traces)
  chosen <- rbind(some[, list(run, v)], other[, list(run, v)])
  chosen$number <- seq_len(nrow(chosen))
  chosen
}

# What a run was, in two lines; a line more where several origins stand side by side.
trace_label <- function(rows) {
  origin <- labelled_origins(rows)
  nic <- paste0(fcoalesce(rows$nic, rows$profile), ", ")
  paste0(
    if (is_overlay(origin)) paste0(origin, "\n") else nic,
    operation_labels[as.character(rows$operation)], ", ",
    size_label(rows$access_bytes), "\n",
    locality_labels[as.character(stated_locality(rows$locality))], ", ",
    fifelse(
      rows$workers %in% 0,
      fifelse(
        rows$load_kind %in% "none", "no workers",
        paste("load of", decimal_size_label(rows$load_bytes))
      ),
      level_label("workers", rows$workers)
    ),
    sprintf(", v\u00a0=\u00a0%.1f\u00a0%%", 100 * rows$v)
  )
}

# A row a window: `seconds` since the first, `value` in `unit`, whether `full`, the
# `place` and the `panel`.
trace_points <- function(rows, unit) {
  labels <- trace_label(rows)
  # Two runs may share a label; a panel is one run.
  first <- !duplicated(rows$number)
  unique_labels <- make.unique(labels[first][order(rows$number[first])], sep = " #")
  data.table(
    seconds = rows$start_ns / 1e9, value = rows$throughput_ops / unit$per,
    full = all_at_work(rows), place = stated_locality(rows$locality),
    panel = factor(unique_labels[rows$number], unique_labels)
  )
}
