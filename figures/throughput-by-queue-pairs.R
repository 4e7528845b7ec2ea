# Throughput against queue pairs with the send queues kept full: how many queue
# pairs saturate the NIC, and does the node of the target memory move the ceiling?

# Returns the figure of the saturating runs of a table.
draw_throughput_by_queue_pairs <- function(runs) {
  drawn <- drawable(runs, "saturating", "throughput_ops")
  unit <- throughput_unit(drawn$runs$throughput_ops)
  queue_pair_curves(
    drawn,
    value = drawn$runs$throughput_ops / unit$per,
    y_label = sprintf("Throughput (%s)", unit$name),
    title = "Throughput by queue pairs, saturating loop"
  )
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  # Rscript hands a space in a path on as ~+~.
  lib <- file.path(dirname(normalizePath(gsub("~+~", " ", script, fixed = TRUE))), "lib")
  for (part in list.files(lib, "[.]R$", full.names = TRUE)) source(part, encoding = "UTF-8")
  quit(status = make_figure(
    "throughput-by-queue-pairs", draw_throughput_by_queue_pairs, "throughput_ops"
  ))
}
