# Throughput against the pause that a client makes between a completion and its next
# request: from how idle a card on does the node of the memory no longer matter? (No
# figure of the study, whose clients do not pause.)

# Returns the figure of the closed-loop runs of a table.
draw_throughput_by_think_time <- function(runs, at = list()) {
  runs <- selected(
    verbs_runs(runs), with_levels(quiet_server, list(loop = "closed")),
    at = at
  )
  curves(
    drawable(swept(runs, "think_time_ns"), "throughput_ops"), throughput, "think_time_ns",
    title = "Throughput by think time, closed loop", columns = "queue_pairs"
  )
}

tables_throughput_by_think_time <- function() list(runs = c(saturating_columns, "think_time_ns"))

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
