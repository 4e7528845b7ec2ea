# Throughput against the share of writes in what the server's workers do: is it
# their writes that slow accesses to the memory of the NIC's node? (Section V-D of
# the study, in words only.)

# Returns the figure of the saturating runs beside workers of a table.
draw_throughput_by_write_ratio <- function(runs, at = list()) {
  runs <- beside_workers(
    runs,
    where = list(worker_operation = "mixed"),
    prefer = list(worker_write_fraction = NULL, queue_pairs = 8, access_bytes = 8), at = at
  )
  # A share needs accesses to be a share of.
  runs <- runs[which(runs$workers > 0)]
  if (uniqueN(runs$worker_write_fraction, na.rm = TRUE) < 2) {
    refuse_absent("the workers write one share of their accesses only: no sweep to draw")
  }
  curves(
    drawable(runs, "throughput_ops"), throughput, "worker_write_fraction",
    title = "Throughput by the workers' share of writes", columns = "workers"
  )
}

tables_throughput_by_write_ratio <- function() {
  list(runs = c(saturating_columns, "worker_write_fraction"))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
