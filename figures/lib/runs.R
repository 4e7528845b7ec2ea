# The table of runs, one row a run.

# Closed sets of levels, in the order in which they are drawn.
run_levels <- list(
  source = c("published", "measured", "soft-roce", "emulated", "simulated"),
  operation = c(
    "read", "write", "write-with-immediate", "mixed", "compare-and-swap", "fetch-and-add", "send"
  ),
  locality = c("rdma-local", "rdma-remote"),
  loop = c("closed", "saturating", "open", "ping-pong"),
  worker_operation = c("none", "read", "write", "mixed", "compare-and-swap", "fetch-and-add"),
  load_node = c("none", "agnostic", "rdma-local", "rdma-remote")
)

run_numbers <- c(
  "replicate", "queue_pairs", "threads", "access_bytes", "mtu_bytes", "max_rd_atomic",
  "window", "workers", "worker_write_fraction", "load_bytes", "operations",
  "throughput_published_ops", "throughput_ops", "throughput_low_ops", "throughput_high_ops",
  "latency_mean_ns", "latency_sd_ns", "latency_p50_ns", "latency_p99_ns", "latency_p999_ns",
  "samples", "closure", "window_fraction", "fast_regime_fraction", "working_set_bytes",
  "think_time_ns", "post_list", "signal_every", "inline_bytes", "worker_access_bytes",
  "worker_think_time_ns", "worker_rate_per_second", "worker_accesses_per_second",
  "load_thread_count", "load_write_fraction", "load_accesses_per_second", "client_hosts"
)

# Columns no figure can do without; a figure adds the one it draws.
run_identity <- c(
  "source", "back_end", "run_id", "operation", "locality", "queue_pairs", "access_bytes",
  "loop", "valid"
)

# Together they name a run: a run id is derived from the design point only, so
# two machines or two sources may share one.
run_key <- c("source", "back_end", "profile", "experiment", "run_id")

# The runs of one table as a data.table: numbers in their own units, choices as
# factors in a fixed order, `valid` as a logical. `columns`: those needed beyond
# `run_identity`.
read_runs <- function(path, columns = character()) {
  runs <- read_table(path, c(run_identity, columns), run_numbers, run_levels, run_key)
  set(runs, j = "valid", value = as_truth(runs$valid, "valid", path))
  runs
}

# Whether each run has the doubt called `name`; a table without doubts has none.
has_doubt <- function(runs, name) {
  if (!"doubts" %in% names(runs)) {
    return(rep(FALSE, nrow(runs)))
  }
  grepl(paste0(" ", name, " "), paste0(" ", runs$doubts, " "), fixed = TRUE)
}

# How many of the runs have each doubt, for the caption; NULL when none has any.
# `told`: the doubts that another note of the same figure tells.
doubts_note <- function(runs, told = character()) {
  if (!"doubts" %in% names(runs)) {
    return(NULL)
  }
  # A run may be drawn in several panels.
  runs <- unique(runs, by = intersect(run_key, names(runs)))
  counts <- table(unlist(strsplit(runs$doubts[!is.na(runs$doubts)], " ", fixed = TRUE)))
  counts <- counts[setdiff(names(counts), told)]
  if (length(counts) == 0) {
    return(NULL)
  }
  paste0("Doubts about runs drawn: ", paste0(names(counts), " ", counts, collapse = ", "), ".")
}
