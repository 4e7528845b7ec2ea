# How much faster or slower one access at a time is to RDMA-remote memory than to RDMA-local
# memory, against queue pairs up to the number that the card keeps up with. (Fig 3b of the
# study, which draws the speedup; latency-ratio-by-queue-pairs has the inverse, and all of them.)

# Returns the figure of the closed-loop runs of a table.
draw_speedup_by_queue_pairs <- function(runs, at = list()) {
  runs <- selected(
    verbs_runs(runs), with_levels(quiet_server, list(loop = "closed")),
    at = at
  )
  runs <- runs[which(runs$queue_pairs <= range_ends[1])]
  if (nrow(runs) == 0) refuse_absent("no run has ", range_ends[1], " queue pairs or fewer")
  ratio_curves(
    drawable(runs, "latency_mean_ns"), latency, "queue_pairs",
    title = "Speedup by RDMA-remote memory, closed loop (the study's Fig 3b)",
    columns = "access_bytes", as = as_speedup, ranges = FALSE,
    stated = stated_curves("speedup-by-queue-pairs")
  )
}

tables_speedup_by_queue_pairs <- function() list(runs = closed_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
