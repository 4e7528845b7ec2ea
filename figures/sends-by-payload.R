# Messages a second against a payload that is inlined into the request: at which payloads
# does a request take another line, and what does one without payload save? (003 Fig 11a
# and Table 5, there of datagrams.)

# Returns the figure of the saturating sends of a table whose payloads are inlined.
draw_sends_by_payload <- function(runs, at = list()) {
  runs <- selected(
    verbs_runs(runs),
    with_levels(quiet_server, list(loop = "saturating", operation = "send")), at = at
  )
  if (is.null(runs$inline_bytes) || all(is.na(runs$inline_bytes))) {
    refuse_absent("the runs have no messages whose payload is inlined")
  }
  runs <- runs[!is.na(inline_bytes)]
  curves(
    drawable(runs, "throughput_ops"), throughput, "access_bytes",
    title = "Inlined messages, by payload and service", columns = "service", rows = "post_list",
    note = "Of the services uc and ud what was sent is counted, whether it arrived or not."
  )
}

tables_sends_by_payload <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
