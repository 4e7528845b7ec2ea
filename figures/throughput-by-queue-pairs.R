# Throughput against queue pairs with the send queues kept full: how many queue
# pairs saturate the NIC, and does the node of the target memory move the ceiling?

# Returns the figure of the saturating runs of a table.
draw_throughput_by_queue_pairs <- function(runs, at = list()) {
  by_queue_pairs(saturating_alone(runs, at), "Throughput by queue pairs, saturating loop")
}

tables_throughput_by_queue_pairs <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
