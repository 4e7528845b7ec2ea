# Throughput against the server's workers with 32 connections instead of eight:
# does the advantage of RDMA-remote memory outlive a client that is short of
# processors? (Section V-D of the study, in words only.)

# Returns the figure of the runs with 32 queue pairs beside 90:10 workers.
draw_throughput_at_32_connections <- function(runs, at = list()) {
  by_workers(at_32_connections(runs, at), "Throughput by server workers, 32 connections")
}

tables_throughput_at_32_connections <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
