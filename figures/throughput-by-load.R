# Throughput against the memory that an independent load on the server ranges over,
# its threads bound to no node: does it slow RDMA-remote accesses, which cross to
# the other node as it does? (Section V-C of the study, in words only.)

# The runs with those beside no load as a load of no bytes.
beside_loads <- function(runs) {
  runs <- runs[which(runs$load_kind == "none" | !is.na(runs$load_bytes))]
  idle <- runs$load_kind == "none"
  if (all(idle)) refuse_absent("no run has a load of known size beside it: nothing to draw")
  # Where an absent load would have run tells nothing apart.
  runs$load_bytes[idle] <- 0
  runs$load_node[idle] <- "agnostic"
  runs$load_kind[idle] <- runs$load_kind[!idle][1]
  runs
}

# Returns the figure of the saturating runs beside loads of a table.
draw_throughput_by_load <- function(runs, at = list()) {
  levels <- with_levels(quiet_server, list(loop = "saturating", load_kind = NULL))
  prefer <- list(queue_pairs = 8, campaign = c("b", NA), mtu_bytes = 256, experiment = "load")
  runs <- beside_loads(selected(verbs_runs(runs), levels, prefer, at))
  # A load bound to a node has one size in the published runs: no curve.
  unbound <- selected(runs, prefer = list(load_node = "agnostic"), at = at)
  bound <- nrow(runs) - nrow(unbound)
  left <- sprintf("Not drawn: %s beside a load bound to a node.", counted(bound, "run"))
  curves(
    drawable(unbound, "throughput_ops"), throughput, "load_bytes",
    title = "Throughput beside an independent load", columns = "access_bytes",
    note = if (bound > 0) left
  )
}

tables_throughput_by_load <- function() {
  list(runs = c(saturating_columns, "load_bytes", "load_node"))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
