# Throughput of reads against the reads that a queue pair may have in flight: does the
# cost of RDMA-remote reads fade once there are several? (No figure of the study, whose
# program allows one.)

# Returns the figure of the saturating reads of a table.
draw_reads_in_flight <- function(runs, at = list()) {
  runs <- selected(
    verbs_runs(runs), with_levels(quiet_server, list(loop = "saturating", operation = "read")),
    at = at
  )
  curves(
    drawable(swept(runs, "max_rd_atomic"), "throughput_ops"), throughput, "max_rd_atomic",
    title = "Throughput of reads by reads in flight", columns = "queue_pairs"
  )
}

tables_reads_in_flight <- function() list(runs = c(saturating_columns, "max_rd_atomic"))

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
