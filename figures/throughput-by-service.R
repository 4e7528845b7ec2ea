# Messages a second against their payload, for each service: what do acknowledgements
# cost, and what do lists of requests bring? (003 §3.2 and §5, there without NUMA.)

# Returns the figure of the saturating sends of a table.
draw_throughput_by_service <- function(runs, at = list()) {
  runs <- saturating_sends(runs, at)
  if (is.null(runs$service) || uniqueN(runs$service, na.rm = TRUE) < 2) {
    refuse_absent("the runs have one service or none: nothing to compare")
  }
  sends_that_arrived(
    runs, "access_bytes", title = "Messages, by payload and service", columns = "service"
  )
}

tables_throughput_by_service <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
