# Runs beside worker threads of the server.

# What figures of saturating runs need of a table.
saturating_columns <- c(
  "profile", "throughput_ops", "workers", "worker_operation", "load_kind", "cache_state", "ddio"
)

# And of closed-loop runs.
closed_columns <- c("latency_mean_ns", setdiff(saturating_columns, "throughput_ops"))

# What only workers have: of idle ones these factors say nothing.
worker_factors <- c(
  "workers", "worker_operation", "worker_write_fraction", "worker_locality", "worker_threads",
  "worker_pattern", "worker_access_bytes", "worker_think_time_ns", "worker_rate_per_second"
)

# The saturating runs beside workers that write nine times of ten, and beside none:
# without workers it does not matter what they would have done.
beside_workers <- function(runs, where = list(), prefer = list(), at = list()) {
  levels <- with_levels(quiet_server, list(
    loop = "saturating", workers = NULL, worker_operation = c("mixed", "none")
  ))
  studied <- list(worker_write_fraction = c(0.9, NA), campaign = c("b", NA), mtu_bytes = 256)
  runs <- selected(
    verbs_runs(runs), with_levels(levels, where), with_levels(studied, prefer), at
  )
  if (all(runs$workers %in% 0)) refuse_absent("no run has workers: nothing to draw")
  runs
}

# The runs with those beside no workers once for each level of `column` that occurs with
# workers: what idle workers would have done tells nothing apart. `alike`: further
# factors in which idle runs must be like those with workers.
beside_every_level <- function(runs, column, alike = character()) {
  idle <- runs[which(runs$workers %in% 0)]
  busy <- runs[which(!runs$workers %in% 0)]
  if (nrow(busy) == 0) {
    return(runs)
  }
  origin <- intersect(c(origin_factors, "queue_pairs", "access_bytes", "ddio", alike), names(runs))
  there <- unique(busy[, c(origin, column), with = FALSE])
  idle[[column]] <- NULL
  rbind(busy, there[idle, on = origin, nomatch = NULL, allow.cartesian = TRUE], use.names = TRUE)
}

# Of every profile the runs of the latest code that it was measured with.
of_latest_code <- function(runs) {
  if (!"code_generation" %in% names(runs)) {
    return(runs)
  }
  is_latest <- function(code) code %in% max(c("", code), na.rm = TRUE) | all(is.na(code))
  runs[, .SD[is_latest(code_generation)], by = c("source", "profile")]
}

# Of every profile the runs beside workers that mix reads and writes, or, where
# there are none, beside workers that write; and those beside no workers.
of_busiest_workers <- function(runs) {
  kept <- runs[, list(
    row = .I,
    kept = workers %in% 0 |
      worker_operation == if (any(worker_operation == "mixed")) "mixed" else "write"
  ), by = c("source", "profile")]
  runs[kept$row[kept$kept]]
}
