# Latency and bandwidth of remote reads by size, from one node and from both, and of
# fetch-and-adds: what does the emulated fabric add to what cores take anyway? (Fig 7
# and Table 2 of Scale-Out NUMA, of which the text states single numbers.)

# Returns the figure of the reads of a table.
draw_fabric_reads <- function(fabric_reads, at = list()) {
  sound <- sound_fabric(selected(fabric_reads, at = at))
  rows <- sound$rows
  sides <- fifelse(is.na(rows$sides), "", paste0(", ", rows$sides))
  threads <- fifelse(rows$threads_per_node %in% 1, ", one thread a node", "")
  shallow <- is_shallow(rows)
  depth <- fifelse(shallow, sprintf(", %s under way", format_number(rows$window)), "")
  is_direct <- rows$read_way %in% "emulated-direct"
  direct <- fifelse(is_direct, ", direct", "")
  rows$series <- paste0(fabric_machine(rows), direct, sides, threads, depth)
  # One at a time is the same whatever is under way otherwise.
  rows$latency_ns[shallow] <- NA
  # At the side of the curve of reads, and without a bandwidth that anybody asks for.
  added <- rows$operation %in% "fetch-and-add"
  rows$access_bytes[added] <- 8
  rows$bandwidth_gbit_per_s[added] <- NA
  rows$joined <- !added
  cells <- fabric_cells(rows, "access_bytes", list(
    "Latency (µs)" = list(column = "latency_ns", unit = 1e3),
    "Bandwidth (Gb/s)" = list(column = "bandwidth_gbit_per_s", unit = 1)
  ))
  fabric_plot(
    cells, rows, "Bytes an operation", "Remote reads and fetch-and-adds by size",
    c(
      if (any(added)) "At 8 bytes: fetch-and-add, one at a time.",
      if (!all(is.na(rows$sides))) "single: one node asks; double: both at the same time.",
      if (any(rows$threads_per_node %in% 1)) {
        "One thread a node asks and answers in turns; else one asks and another answers."
      },
      if (any(is_direct)) {
        paste(
          "direct: loads of the other node's memory, which is not asked: no memory controller does",
          "that."
        )
      },
      if (any(shallow)) "Curves that name no number under way have the most that were measured.",
      sound$note
    )
  )
}

# Whether fewer operations were under way than in other rows that are alike in all else.
is_shallow <- function(rows) {
  alike <- intersect(setdiff(fabric_key, c("window", "replicate")), names(rows))
  deepest <- rows[, list(row = .I, most = max(.SD$window)), by = alike, .SDcols = "window"]
  most <- deepest$most[order(deepest$row)]
  !is.na(rows$window) & rows$window < most
}

tables_fabric_reads <- function() {
  list("fabric-reads" = c("operation", "access_bytes", "latency_ns", "bandwidth_gbit_per_s"))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
