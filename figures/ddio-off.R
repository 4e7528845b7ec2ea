# Throughput against the server's workers with the NIC's writes into the cache
# switched off, beside the same with them on: is it DDIO that makes RDMA-local
# memory the slower one? (Section VII of the study, in words only.)
#
# Of the published runs all are of the first code, in which the client is on the same
# node as the memory, and of a campaign of which there are none with DDIO on: nothing
# is compared.

# Returns the figure of the runs with DDIO off of a table, and of their like with
# DDIO on.
draw_ddio_off <- function(runs, at = list()) {
  off_and_on(with_ddio_off(runs, at), runs)
}

tables_ddio_off <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
