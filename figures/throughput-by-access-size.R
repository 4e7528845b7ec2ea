# Throughput against the bytes an access moves: where does the penalty of
# RDMA-remote reads end, and what does a larger access cost? (The study's Fig 4.)

# Returns the figure of the saturating runs of a table.
draw_throughput_by_access_size <- function(runs, at = list()) {
  runs <- selected(
    verbs_runs(runs), with_levels(quiet_server, list(loop = "saturating")),
    prefer = list(queue_pairs = 8, mtu_bytes = 256, campaign = c("a", NA)), at = at
  )
  curves(
    drawable(runs, "throughput_ops"), throughput, "access_bytes",
    title = "Throughput by access size, saturating loop (the study's Fig 4)",
    columns = "queue_pairs"
  )
}

tables_throughput_by_access_size <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
