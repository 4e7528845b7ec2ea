# Throughput against the requests that a queue pair has under way, in batches and without a pause
# between them: how many are enough, and are more too many? (Fig 13 of Kalia et al., there without
# NUMA; that of the model is shapes-by-window.)

# Returns the figure of the reads and writes of a table that were posted in batches, and of those
# posted without a pause.
draw_throughput_by_window <- function(runs, at = list()) {
  runs <- selected(
    verbs_runs(runs),
    with_levels(
      quiet_server, list(loop = c("batch", "saturating"), operation = c("read", "write"))
    ),
    at = at
  )
  if (!"batch" %in% runs$loop) {
    refuse_absent("the runs have no batches: nothing to compare")
  }
  curves(
    drawable(swept(runs, "window"), "throughput_ops"), throughput, "window",
    title = "Throughput by window, in batches and without a pause", columns = "loop"
  )
}

tables_throughput_by_window <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
