# The table of memory latencies, one row a node of processors and a node of memory.

# `path`: a file, or several joined by commas, such as what is stated and what was
# measured. `latency_ns` is what was measured or stated. Where a text states no more than
# a range, it is empty and `latency_low_ns`, `latency_high_ns` are the range's ends. Only
# the matrix of idle memory is kept: `onesided memory-latency` writes sweeps of working
# sets and matrices under load into the same table.
read_memory_latency <- function(path, columns = character()) {
  paths <- if (file.exists(path)) path else strsplit(path, ",", fixed = TRUE)[[1]]
  tables <- lapply(paths, read_one_memory_latency, columns)
  table <- rbindlist(tables, use.names = TRUE, fill = TRUE)
  check_key(table, memory_latency_key, path)
  table
}

memory_latency_identity <- c("source", "profile", "cpu_node", "memory_node")
memory_latency_key <- c(memory_latency_identity, "replicate")

read_one_memory_latency <- function(path, columns) {
  key <- c(memory_latency_key, "part", "working_set_bytes", "load_threads")
  levels <- levels_of("memory-latency", c("source", "part"))
  table <- read_table(
    "memory-latency", path, c(memory_latency_identity, "latency_ns", columns), levels, key
  )
  for (column in setdiff(c("part", "load_threads"), names(table))) {
    set(table, j = column, value = NA)
  }
  kept <- which(table$part %in% c(NA, "matrix") & table$load_threads %in% c(NA, 0))
  if (length(kept) == 0) {
    refuse_absent(path, ": has no matrix of idle memory, only sweeps or loads: nothing to draw")
  }
  table[kept]
}

# A row a pair of nodes of every machine: the median `latency` over `n` rows, the ends
# of a stated range, and the `label` of the tile.
memory_latency_tiles <- function(table) {
  for (column in c("latency_low_ns", "latency_high_ns")) {
    if (!column %in% names(table)) set(table, j = column, value = NA_real_)
  }
  tiles <- table[, list(
    n = sum(!is.na(latency_ns)), latency = median(latency_ns, na.rm = TRUE),
    low = min(latency_low_ns), high = max(latency_high_ns)
  ), keyby = c("source", "profile", "cpu_node", "memory_node")]
  tiles$latency[tiles$n == 0] <- NA
  # Of what was measured these columns are quartiles, and no range to be drawn.
  for (column in c("low", "high")) set(tiles, which(tiles$n > 0), column, NA_real_)
  tiles$label <- fcase(
    tiles$n > 0, sprintf("%.1f", tiles$latency),
    !is.na(tiles$low) & !is.na(tiles$high), sprintf("%.1f to\n%.1f", tiles$low, tiles$high),
    rep_len(TRUE, nrow(tiles)), "not stated"
  )
  tiles
}
