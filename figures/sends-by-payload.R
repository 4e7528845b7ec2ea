# Messages a second against a payload that is inlined into the request: at which payloads
# does a request take another line, and what does one without payload save? (003 Fig 11a
# and Table 5, there of datagrams.)

# Returns the figure of the saturating sends of a table whose payloads are inlined.
draw_sends_by_payload <- function(runs, at = list()) {
  runs <- saturating_sends(runs, at)
  if (is.null(runs$inline_bytes) || all(is.na(runs$inline_bytes))) {
    refuse_absent("the runs have no messages whose payload is inlined")
  }
  runs <- runs[!is.na(inline_bytes)]
  hosts <- if (uniqueN(runs$client_hosts) > 1) "client_hosts"
  sends_that_arrived(
    runs, "access_bytes",
    title = "Inlined messages, by payload and service", columns = c("service", hosts)
  )
}

tables_sends_by_payload <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
