# Throughput of compare-and-swap by the NIC against the server's workers, by what
# the workers do: what do atomics cost, and do the server's own accesses to the
# same memory slow them? (No figure of the study; of its released data.)

# Returns the figure of the runs of atomic operations of a table.
draw_atomics <- function(runs, at = list()) {
  runs <- selected(
    verbs_runs(runs),
    list(
      loop = "saturating", operation = c("compare-and-swap", "fetch-and-add"), load_kind = "none"
    ),
    at = at
  )
  drawn <- drawable(runs, "throughput_ops")
  drawn$runs <- beside_every_level(drawn$runs, "worker_operation")
  curves(
    drawn, throughput, "workers",
    title = "Throughput of atomic operations by server workers", columns = "worker_operation",
    rows = "ddio"
  )
}

tables_atomics <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
