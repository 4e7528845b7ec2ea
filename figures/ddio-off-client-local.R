# Throughput against the server's workers with the NIC's writes into the cache switched
# off, beside the same with them on, of a client that stays on its NIC's node: is it DDIO
# that makes RDMA-local memory the slower one, where nothing moves but the memory? (No
# figure of the study, whose client moved along.)

# Returns the figure of the runs with DDIO off of a table whose client is RDMA-local, and
# of their like with DDIO on.
draw_ddio_off_client_local <- function(runs, at = list()) {
  runs <- of_moving_memory(runs)
  off <- with_ddio_off(runs, at)
  off_and_on(off, runs, ", client RDMA-local")
}

# Of every origin the runs of an RDMA-local client, where it used memory of both nodes.
of_moving_memory <- function(runs) {
  if (!"client_locality" %in% names(runs)) {
    refuse_absent("the table has no column 'client_locality': nothing to draw")
  }
  together <- measured_together(runs)
  still <- runs$client_locality %in% "rdma-local"
  away <- still & runs$locality %in% "rdma-remote" & runs$ddio %in% "off"
  kept <- still & together %in% together[away]
  if (!any(kept)) {
    refuse_absent("no RDMA-local client used RDMA-remote memory with DDIO off: nothing to draw")
  }
  runs[kept]
}

tables_ddio_off_client_local <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
