# READs and inlined WRITEs a second against their payload: does a WRITE cost more where its request
# takes another line, and are READs more than such WRITEs? (Section 5.3.2 of Kalia et al., of what
# one host issues; that of the model is shapes-by-size.)

# Returns the figure of the saturating reads of a table and of those writes that are inlined.
draw_outbound_by_payload <- function(runs, at = list()) {
  runs <- reads_and_writes(runs, at)
  if (is.null(runs$inline_bytes) || all(is.na(runs$inline_bytes))) {
    refuse_absent("the runs have no writes whose payload is inlined")
  }
  runs <- runs[operation == "read" | (!is.na(inline_bytes) & access_bytes <= inline_bytes)]
  # Colours tell operations apart here, not where the memory is.
  places <- if (uniqueN(runs$locality) > 1) "locality"
  curves(
    drawable(runs, "throughput_ops"), throughput, "access_bytes",
    title = "READs and inlined WRITEs, by payload and service",
    columns = c("service", places), rows = "post_list", look = operation_look, note = writes_note
  )
}

tables_outbound_by_payload <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
