# Completion latency against queue pairs, for each number of client threads that drive
# them: is it the card or the client's processors that slows more than 16 queue pairs?
# (No figure of the study, which has a thread for each queue pair.)

# Returns the figure of the closed-loop runs of a table whose threads and queue pairs
# vary apart.
draw_queue_pairs_by_threads <- function(runs, at = list()) {
  runs <- selected(
    verbs_runs(runs), with_levels(quiet_server, list(loop = "closed")),
    at = at
  )
  curves(
    drawable(swept(runs, "threads"), "latency_mean_ns"), latency, "queue_pairs",
    title = "Completion latency by queue pairs and client threads", columns = "threads"
  )
}

tables_queue_pairs_by_threads <- function() list(runs = c(closed_columns, "threads"))

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
