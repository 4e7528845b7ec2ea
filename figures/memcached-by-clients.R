# Throughput of a key-value store over RDMA against its clients, by where client and
# server are and by where an independent load runs. (The study's Fig 6a without
# load, 6b with load on both nodes, 6c with load on the RDMA-local node, and its
# mirror, load on the RDMA-remote node, which no paper shows.)

# Returns the figure of the runs of the application of a table.
draw_memcached_by_clients <- function(runs, at = list()) {
  runs <- selected(runs, list(experiment = application_experiments), at = at)
  of_trials <- "A published point is the mean of ten trials, whose spread was not kept."
  curves(
    drawable(runs, "throughput_published_ops"), throughput_published, "queue_pairs",
    title = "RDMA-Memcached by clients, placement and load (the study's Fig 6)",
    columns = "load_node",
    look = placement_look, x_name = "Clients",
    note = if (any(runs$source == "published")) c(n = of_trials)
  )
}

tables_memcached_by_clients <- function() {
  list(runs = c("throughput_published_ops", "experiment", "load_node", "client_locality"))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
