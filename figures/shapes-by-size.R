# Simulated READs and WRITEs by payload, of one server that many hosts ask and of one host
# that asks many: where does bandwidth take over from the card? (Fig 12 of Kalia et al.)

# Returns the figure of the sweeps of a table.
draw_shapes_by_size <- function(shapes, at = list()) {
  table <- selected(shapes, list(study = c("size", "outbound")), at = at)
  side <- fifelse(table$study == "size", "inbound", "outbound")
  table$panel <- paste0(table$machine, ", ", side)
  parts <- shape_parts(table, "access_bytes", "throughput_ops", 1e6)
  axes <- list(shape_log2("Bytes of payload", parts$x), from_zero("M operations/s"))
  shape_plot(
    table, parts, axes, "READs and WRITEs by payload",
    c(
      stated_notes(parts, "where bandwidth takes over"),
      simulated_note(parts,
        "Inbound: 16 hosts that always have requests posted at one server. Outbound: 14 threads of",
        "one host that asks as many servers as it takes. The rate of small READs was put in."
      )
    )
  )
}

tables_shapes_by_size <- function() {
  list("shapes" = c("access_bytes", "throughput_ops"))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
