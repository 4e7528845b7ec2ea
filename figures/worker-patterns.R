# Throughput against the server's workers, for each of the patterns in which they may
# access the memory: which part of what the study's workers do makes RDMA-local memory
# the slower one? (No figure of the study, whose workers have one pattern.)

# Returns the figure of the saturating runs beside 90:10 workers of a table.
draw_worker_patterns <- function(runs, at = list()) {
  runs <- beside_workers(runs, prefer = list(queue_pairs = 8, access_bytes = 8), at = at)
  busy <- swept(runs[which(runs$workers > 0)], "worker_pattern")
  idle <- runs[which(runs$workers == 0)]
  drawn <- drawable(rbind(idle, busy), "throughput_ops")
  # Other idle runs, of another window say, are the first point of no curve here.
  alike <- setdiff(design_factors, worker_factors)
  drawn$runs <- beside_every_level(drawn$runs, "worker_pattern", alike)
  curves(
    drawn, throughput, "workers",
    title = "Throughput by server workers and their pattern of access",
    columns = "worker_pattern"
  )
}

tables_worker_patterns <- function() list(runs = c(saturating_columns, "worker_pattern"))

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
