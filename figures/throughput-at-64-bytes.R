# Throughput against the server's workers with accesses of a whole cache line: does
# the advantage of RDMA-remote memory need several objects to a line? (Section V-D
# of the study, in words only.)

# Returns the figure of the runs of 64-byte accesses beside 90:10 workers.
draw_throughput_at_64_bytes <- function(runs, at = list()) {
  runs <- beside_workers(
    runs,
    where = list(access_bytes = 64), prefer = list(queue_pairs = 8), at = at
  )
  curves(
    drawable(runs, "throughput_ops"), throughput, "workers",
    title = "Throughput by server workers, 64-byte accesses", columns = "queue_pairs"
  )
}

tables_throughput_at_64_bytes <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
