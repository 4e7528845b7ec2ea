# Throughput against the server's workers, for objects that share cache lines and for
# objects with a line each: is it the sharing of lines that makes RDMA-local memory the
# slower one? (No figure of the study, whose objects all share lines.)

# Returns the figure of the saturating runs beside 90:10 workers of a table.
draw_slot_layout <- function(runs, at = list()) {
  # Beside other workers, layouts would stand under the figure of worker patterns.
  runs <- beside_workers(
    runs,
    prefer = list(queue_pairs = 8, access_bytes = 8, worker_pattern = c("as-published", NA)),
    at = at
  )
  # How much memory the objects take follows from their layout.
  runs <- swept(runs, "slot_layout", but = "working_set_bytes")
  curves(
    drawable(runs, "throughput_ops"), throughput, "workers",
    title = "Throughput by server workers and layout of objects", columns = "slot_layout"
  )
}

tables_slot_layout <- function() list(runs = c(saturating_columns, "slot_layout"))

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
