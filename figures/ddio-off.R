# Throughput against the server's workers with the NIC's writes into the cache
# switched off, beside the same with them on: is it DDIO that makes RDMA-local
# memory the slower one? (Section VII of the study, in words only.)
#
# Of the published runs all are of the first code, in which the client is on the
# same node as the memory; only those of equal code are compared.

# Returns the figure of the runs with DDIO off of a table, and of their like with
# DDIO on.
draw_ddio_off <- function(runs, at = list()) {
  off <- selected(
    verbs_runs(runs),
    with_levels(quiet_server, list(
      loop = "saturating", workers = NULL, ddio = "off", code_generation = NULL,
      worker_operation = c("mixed", "none"), operation = c("read", "write")
    )),
    prefer = list(queue_pairs = 8), at = at
  )
  alike <- c(
    "source", "back_end", "profile", "code_generation", "queue_pairs", "access_bytes", "mtu_bytes",
    "operation", "worker_operation", "worker_write_fraction", "load_kind", "loop", "cache_state"
  )
  alike <- intersect(alike, names(runs))
  on <- runs[runs$ddio == "default"][unique(off[, alike, with = FALSE]), on = alike, nomatch = NULL]
  curves(
    drawable(rbind(off, on), "throughput_ops"), throughput, "workers",
    title = "Throughput by server workers, DDIO off and on", columns = "ddio"
  )
}

tables_ddio_off <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
