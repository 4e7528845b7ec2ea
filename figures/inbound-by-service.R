# READs and WRITEs a second against their payload, for each service: what do acknowledgements cost a
# WRITE, and up to which payload is the card the limit? (Fig 12 of Kalia et al., there without
# NUMA; that of the model is shapes-by-size.)

# Returns the figure of the saturating reads and writes of a table with several services.
draw_inbound_by_service <- function(runs, at = list()) {
  runs <- selected(
    verbs_runs(runs),
    with_levels(quiet_server, list(loop = "saturating", operation = c("read", "write"))), at = at
  )
  if (is.null(runs$service) || uniqueN(runs$service, na.rm = TRUE) < 2) {
    refuse_absent("the runs have one service or none: nothing to compare")
  }
  curves(
    drawable(runs, "throughput_ops"), throughput, "access_bytes",
    title = "READs and WRITEs, by payload and service", columns = "service", rows = "client_hosts",
    note = "Of the service uc what was sent is counted, whether it arrived or not."
  )
}

tables_inbound_by_service <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
