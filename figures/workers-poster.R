# Reads against writes beside server workers, for memory of either node: which of
# the two verbs should a client use when the server is busy writing? (The study's
# posters: ConnectX-3 beside 90:10 workers, and beside writing workers on the
# machine whose caches were flushed.)

# Returns the figure of the reads and writes of a table beside workers that write.
draw_workers_poster <- function(runs, at = list()) {
  runs <- selected(
    verbs_runs(runs),
    list(
      loop = "saturating", operation = c("read", "write"), load_kind = "none",
      ddio = c("default", NA), worker_operation = c("none", "mixed", "write")
    ),
    prefer = list(
      queue_pairs = 8, access_bytes = 8, mtu_bytes = 256, worker_write_fraction = c(0.9, NA),
      campaign = c("b", NA)
    ), at = at
  )
  if (all(runs$workers %in% 0)) refuse_absent("no run has workers: nothing to draw")
  curves(
    drawable(of_busiest_workers(of_latest_code(runs)), "throughput_ops"), throughput, "workers",
    title = "Reads and writes beside server workers that write", columns = "locality",
    look = operation_look,
    note = "Workers write nine times of ten, or always."
  )
}

tables_workers_poster <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
