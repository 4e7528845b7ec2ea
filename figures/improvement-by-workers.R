# By how much throughput of RDMA-remote memory is above that of RDMA-local memory, against
# the server's own threads that use the same memory, nine writes to one read. (Figs 5a and 5b
# of the study, which draw the improvement in per cent.)

# Returns the figure of the saturating runs beside 90:10 workers of a table.
draw_improvement_by_workers <- function(runs, at = list()) {
  runs <- beside_workers(runs, prefer = list(queue_pairs = 8, access_bytes = 8), at = at)
  ratio_curves(
    drawable(runs, "throughput_ops"), throughput, "workers",
    title = "Improvement by RDMA-remote memory, by server workers (the study's Fig 5)",
    columns = "nic", as = as_percent_more, ranges = FALSE,
    stated = stated_curves("improvement-by-workers")
  )
}

tables_improvement_by_workers <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
