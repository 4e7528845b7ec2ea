# Throughput against the server's own threads working on the same memory, nine
# writes to one read: whose accesses suffer, those to the node of the NIC or those
# to the other? (The study's Fig 5a on ConnectX-3 and 5b on ConnectX-4.)

# Returns the figure of the saturating runs beside 90:10 workers of a table.
draw_throughput_by_workers <- function(runs, at = list()) {
  runs <- beside_workers(runs, prefer = list(queue_pairs = 8, access_bytes = 8), at = at)
  curves(
    drawable(runs, "throughput_ops"), throughput, "workers",
    title = "Throughput by server workers on the accessed memory", columns = "nic"
  )
}

tables_throughput_by_workers <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
