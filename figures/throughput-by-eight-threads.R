# Throughput against the server's workers with 32 connections of eight client threads:
# does the advantage of RDMA-remote memory outlive more connections where the client is
# not short of processors? (No figure of the study, whose client is.)

# Returns the figure of the runs with 32 queue pairs beside 90:10 workers whose threads
# drive several queue pairs.
draw_throughput_by_eight_threads <- function(runs, at = list()) {
  runs <- of_shared_threads(at_32_connections(runs, at))
  by_workers(runs, "Throughput by server workers, 32 connections of eight threads")
}

tables_throughput_by_eight_threads <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
