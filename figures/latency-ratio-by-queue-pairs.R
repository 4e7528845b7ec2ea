# Completion latency of RDMA-remote memory over that of RDMA-local memory against
# queue pairs, one work request in flight at a time: what does the other node cost,
# and is it anything beyond the noise? (The study's Fig 3b.)

# Returns the figure of the closed-loop runs of a table.
draw_latency_ratio_by_queue_pairs <- function(runs, at = list()) {
  runs <- selected(
    verbs_runs(runs), with_levels(quiet_server, list(loop = "closed")),
    at = at
  )
  ratio_curves(
    drawable(runs, "latency_mean_ns"), latency, "queue_pairs",
    title = "Latency of RDMA-remote over RDMA-local memory, closed loop",
    columns = "access_bytes"
  )
}

tables_latency_ratio_by_queue_pairs <- function() list(runs = closed_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
