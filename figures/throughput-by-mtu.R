# Throughput against the bytes an access moves, for each path MTU: does it matter
# to RDMA-remote reads whether an access is one packet or several? (Sections V-B
# and VII of the study, in words only.)
#
# One campaign, because of the published runs the MTU of 256 B and the others were
# measured over different cables, which would pass for an effect of the MTU.

# Returns the figure of the saturating runs of a table.
draw_throughput_by_mtu <- function(runs, at = list()) {
  runs <- selected(
    verbs_runs(runs), with_levels(quiet_server, list(loop = "saturating")),
    prefer = list(queue_pairs = 8, campaign = c("b", NA)), at = at
  )
  if (uniqueN(runs$mtu_bytes, na.rm = TRUE) < 2) {
    refuse_absent("the runs have one MTU or none: no sweep to draw")
  }
  curves(
    drawable(runs, "throughput_ops"), throughput, "access_bytes",
    title = "Throughput by access size and path MTU", columns = "mtu_bytes"
  )
}

tables_throughput_by_mtu <- function() list(runs = c(saturating_columns, "mtu_bytes"))

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
