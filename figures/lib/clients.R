# The tables that stand beside the one of runs: clients, one row a run and queue
# pair, and window traces, one row a run and window. They name a run as the table of
# runs does, which alone says how it was made.

# The clients of one table: of its columns those of the key and `columns`.
read_clients <- function(path, columns = character()) {
  named <- c(setdiff(run_key, "back_end"), "queue_pair")
  read_table(
    "clients", path, c(named, columns), run_levels["source"], named,
    also = c("back_end", columns)
  )
}

# The window traces of one table.
read_traces <- function(path, columns = character()) {
  named <- c(setdiff(run_key, "back_end"), "window")
  needed <- c(named, "start_ns", "clients", "throughput_ops", columns)
  read_table("traces", path, needed, run_levels["source"], named, also = columns)
}

# The rows of `table` that belong to `runs`, each with the columns of its run.
with_runs <- function(table, runs) {
  key <- intersect(run_key, intersect(names(table), names(runs)))
  of_run <- runs[, c(key, setdiff(names(runs), names(table))), with = FALSE]
  joined <- of_run[table, on = key, nomatch = NULL]
  if (nrow(joined) == 0) refuse_absent("the tables have no run of this figure in common")
  joined
}
