# Completion latency against queue pairs, one work request in flight at a time:
# does the latency of a one-sided access depend on the node of its target memory,
# and from how many queue pairs on does it rise? (The study's Fig 3a.)
#
# The mean, because it is what the study reports and all five sources hold; it is
# taken inside a run by the harness and over runs here.

# Returns the figure of the closed-loop runs of a table.
draw_latency_by_queue_pairs <- function(runs, at = list()) {
  runs <- selected(
    verbs_runs(runs), with_levels(quiet_server, list(loop = "closed")),
    at = at
  )
  curves(
    drawable(runs, "latency_mean_ns"), latency, "queue_pairs",
    title = "Completion latency by queue pairs, closed loop (the study's Fig 3a)",
    columns = "access_bytes",
    ranges = TRUE
  )
}

tables_latency_by_queue_pairs <- function() list(runs = closed_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
