# Client threads and the queue pairs that they drive.

# Of every origin the runs, where threads of it drive several queue pairs each: those of
# the study have one or more of their own.
of_shared_threads <- function(runs) {
  if (!"threads" %in% names(runs)) {
    refuse_absent("the table has no column 'threads': nothing to draw")
  }
  together <- measured_together(runs)
  kept <- together %in% together[which(runs$threads < runs$queue_pairs)]
  if (!any(kept)) refuse_absent("no client thread drives several queue pairs: nothing to draw")
  runs[kept]
}

# The figure of saturating runs by queue pairs.
by_queue_pairs <- function(runs, title) {
  drawn <- drawable(runs, "throughput_ops")
  curves(
    drawn, throughput, "queue_pairs",
    title = title, columns = "access_bytes", note = rates_note(drawn$runs)
  )
}

# That writes may have gone at either of two rates, where some but not all runs say at which.
rates_note <- function(runs) {
  writes <- runs[which(runs$operation == "write")]
  known <- !is.na(writes$fast_regime_fraction)
  if (!any(known) || all(known)) {
    return(NULL)
  }
  at <- paste(sort(unique(writes$queue_pairs[known])), collapse = ", ")
  sprintf("Writes of this card have two rates. Only with %s queue pairs is it known at which.", at)
}

# Saturating runs beside nothing.
saturating_alone <- function(runs, at) {
  selected(
    verbs_runs(runs), with_levels(quiet_server, list(loop = "saturating")),
    prefer = list(campaign = c("a", NA)), at = at
  )
}

# The figure of runs by workers at 32 queue pairs.
by_workers <- function(runs, title) {
  curves(
    drawable(runs, "throughput_ops"), throughput, "workers",
    title = title, columns = "access_bytes"
  )
}

# Runs with 32 queue pairs beside 90:10 workers.
at_32_connections <- function(runs, at) {
  beside_workers(
    runs,
    where = list(queue_pairs = 32), prefer = list(access_bytes = 8), at = at
  )
}
