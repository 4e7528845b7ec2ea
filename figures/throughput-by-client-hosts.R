# Throughput of all clients together against the hosts they run on: is the ceiling that
# of the server's card, or of one client's? (No figure of the study, which has one
# client host.)

# Returns the figure of the saturating runs of a table that says from how many hosts
# they were made; one that does not has nothing to draw.
draw_throughput_by_client_hosts <- function(runs, at = list()) {
  runs <- selected(
    verbs_runs(runs), with_levels(quiet_server, list(loop = "saturating")),
    at = at
  )
  # More hosts may bring threads and queue pairs of their own; those that one host has in
  # other experiments are no part of the sweep.
  runs <- swept(runs, "client_hosts", but = c("queue_pairs", "threads"), also = "experiment")
  curves(
    drawable(runs, "throughput_ops"), throughput, "client_hosts",
    title = "Throughput by client hosts, saturating loop", columns = "access_bytes"
  )
}

tables_throughput_by_client_hosts <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
