# Throughput against queue pairs of one client thread that keeps their send queues full:
# how much does one thread get out of the NIC, and does the node of the target memory
# matter to it? (No figure of the study, which has two threads for each queue pair.)

# Returns the figure of the saturating runs of a table whose threads drive several
# queue pairs.
draw_throughput_of_one_thread <- function(runs, at = list()) {
  runs <- of_shared_threads(saturating_alone(runs, at))
  by_queue_pairs(runs, "Throughput by queue pairs of one thread, saturating loop")
}

tables_throughput_of_one_thread <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
