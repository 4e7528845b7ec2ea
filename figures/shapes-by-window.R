# Simulated READs and WRITEs of 14 threads by requests in flight: how many does a card
# need, and how many do its caches hold? (Fig 13 of Kalia et al.)

# Returns the figure of the sweeps of a table.
draw_shapes_by_window <- function(shapes, at = list()) {
  table <- selected(shapes, list(study = "window"), at = at)
  table$panel <- table$machine
  parts <- shape_parts(table, "window", "throughput_ops", 1e6)
  axes <- list(
    shape_log2("Requests in flight of each thread", parts$x), from_zero("M operations/s")
  )
  shape_plot(
    table, parts, axes, "READs and WRITEs by requests in flight",
    c(
      stated_notes(parts, "where READs are most"),
      simulated_note(parts,
        "14 threads of one host, 8 bytes. How many requests the card's cache holds was put in from",
        "the vertical lines; that so many are enough, and what more cost, comes out."
      )
    )
  )
}

tables_shapes_by_window <- function() {
  list("shapes" = c("window", "throughput_ops"))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
