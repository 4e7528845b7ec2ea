# Simulated atomics on random counters by their number: what do locks by address cost?
# (Fig 14 of Kalia et al.)

# Returns the figure of the sweeps of a table.
draw_atomics_by_counters <- function(shapes, at = list()) {
  table <- selected(shapes, list(study = "atomics"), at = at)
  table$panel <- table$machine
  parts <- shape_parts(table, "counters", "throughput_ops", 1e6)
  axes <- list(
    shape_log2("Counters of 8 bytes", parts$x), from_zero("M atomics/s")
  )
  shape_plot(
    table, parts, axes, "Atomics by the number of counters",
    c(
      stated_notes(parts, "a number of counters"),
      simulated_note(parts,
        "16 hosts that always have fetch-and-adds posted. What is stated was put in; the curve",
        "between the crosses comes out, of slots by address and of atomics that wait in order."
      )
    )
  )
}

tables_atomics_by_counters <- function() {
  list("shapes" = c("counters", "throughput_ops"))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
