# Throughput from a server whose caches were flushed before the run, and from one
# where reading workers have brought the memory back: do one-sided accesses fare
# worse without the cache? (Section VII of the study, in words only.)

# Returns the figure of the runs of a table of flushed and of warmed caches.
draw_flushed_caches <- function(runs, at = list()) {
  runs <- selected(
    verbs_runs(runs),
    with_levels(quiet_server, list(
      loop = "saturating", workers = NULL, cache_state = c("flushed", "warm"),
      code_generation = NULL, worker_operation = c("read", "none")
    )),
    at = at
  )
  curves(
    drawable(runs, "throughput_ops"), throughput, "workers",
    title = "Throughput from flushed caches, and with readers warming them",
    columns = "access_bytes",
    note = "0 workers: caches flushed before the run. From 1 worker on: readers warm them again."
  )
}

tables_flushed_caches <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
