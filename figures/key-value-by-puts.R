# Simulated throughput of a key-value store by its share of PUTs, a GET one READ and a PUT
# two atomics: what do atomics take from READs? (Fig 10 of Kalia et al.)

# Returns the figure of the sweeps of a table.
draw_key_value_by_puts <- function(shapes, at = list()) {
  table <- selected(shapes, list(study = "key-value"), at = at)
  table$panel <- table$machine
  parts <- shape_parts(table, "put_fraction", "relative_throughput", 0.01)
  parts$curves$x <- 100 * parts$curves$x
  parts$points$x <- 100 * parts$points$x
  axes <- list(
    scale_x_continuous(name = "PUTs (%)", labels = format_number),
    from_zero("Operations, % of GETs alone")
  )
  shape_plot(
    table, parts, axes, "A key-value store by its share of PUTs",
    c(
      stated_notes(parts, "a share of PUTs"),
      simulated_note(parts,
        "16 M items of 64 bytes. Rates of READs alone and of atomics alone were put in; that",
        "atomics keep ConnectX-3 from READs, and how many wait in order on Connect-IB, was chosen",
        "with these numbers in sight."
      )
    )
  )
}

tables_key_value_by_puts <- function() {
  list("shapes" = c("put_fraction", "relative_throughput"))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
