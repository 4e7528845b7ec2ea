# Datagrams a second against queue pairs, for each number of threads that send and with or
# without lists of requests: how many queue pairs does a thread need for lists to help, and
# how many threads use the card up? (003 Fig 11b, there without NUMA.)

# Returns the figure of the saturating datagrams of a table whose queue pairs vary.
draw_sends_by_queue_pairs <- function(runs, at = list()) {
  runs <- saturating_sends(runs, at)
  if (is.null(runs$service) || !"ud" %in% runs$service) {
    refuse_absent("the runs have no datagrams")
  }
  datagrams <- swept(runs[runs$service %in% "ud"], "queue_pairs")
  sends_that_arrived(
    datagrams, "queue_pairs",
    title = "Datagrams, by queue pairs and threads", columns = "threads"
  )
}

tables_sends_by_queue_pairs <- function() list(runs = c(saturating_columns, "threads"))

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
