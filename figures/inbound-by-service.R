# READs and WRITEs a second against their payload, for each service: what do acknowledgements cost a
# WRITE, and up to which payload is the card the limit? (Fig 12 of Kalia et al., there without
# NUMA; that of the model is shapes-by-size.)

# Returns the figure of the saturating reads and writes of a table with several services.
draw_inbound_by_service <- function(runs, at = list()) {
  runs <- reads_and_writes(runs, at)
  if (is.null(runs$service) || uniqueN(runs$service, na.rm = TRUE) < 2) {
    refuse_absent("the runs have one service or none: nothing to compare")
  }
  curves(
    drawable(runs, "throughput_ops"), throughput, "access_bytes",
    title = "READs and WRITEs, by payload and service", columns = "service", rows = "client_hosts",
    note = writes_note
  )
}

tables_inbound_by_service <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
