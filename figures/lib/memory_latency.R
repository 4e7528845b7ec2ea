# The table of memory latencies, one row a node of processors and a node of memory.

# Of the rows of one table `latency_ns` is what was measured or stated. Where a text
# states no more than a range, it is empty and `latency_low_ns`, `latency_high_ns`
# are the range's ends.
read_memory_latency <- function(path, columns = character()) {
  named <- c("source", "profile", "cpu_node", "memory_node")
  numbers <- c("cpu_node", "memory_node", "latency_ns", "latency_low_ns", "latency_high_ns")
  read_table(
    path, c(named, "latency_ns", columns), numbers, run_levels["source"], c(named, "replicate")
  )
}

# A row a pair of nodes of every machine: the mean `latency` over `n` rows, the ends
# of a stated range, and the `label` of the tile.
memory_latency_tiles <- function(table) {
  for (column in c("latency_low_ns", "latency_high_ns")) {
    if (!column %in% names(table)) set(table, j = column, value = NA_real_)
  }
  tiles <- table[, list(
    n = sum(!is.na(latency_ns)), latency = mean(latency_ns, na.rm = TRUE),
    low = min(latency_low_ns), high = max(latency_high_ns)
  ), keyby = c("source", "profile", "cpu_node", "memory_node")]
  tiles$latency[tiles$n == 0] <- NA
  tiles$label <- fcase(
    tiles$n > 0, sprintf("%.1f", tiles$latency),
    !is.na(tiles$low) & !is.na(tiles$high), sprintf("%.1f to\n%.1f", tiles$low, tiles$high),
    rep_len(TRUE, nrow(tiles)), "not stated"
  )
  tiles
}
