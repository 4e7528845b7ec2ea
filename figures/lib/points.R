# From runs to what is drawn: a point a run, a cell a mean, and the panels they
# stand in.

operation_labels <- c(
  "read" = "RDMA read", "write" = "RDMA write", "mixed" = "mixed",
  "compare-and-swap" = "compare-and-swap", "fetch-and-add" = "fetch-and-add", "send" = "send",
  "write-answered-by-send" = "write answered by send"
)

# What a figure draws of a run: `column` of the table, the ends `low` and `high` of
# the run's own interval, the `name` of its axis, and how to scale all of them.
throughput <- list(quantity = "throughput", column = "throughput_ops", name = "Throughput")
throughput_published <- list(
  quantity = "throughput", column = "throughput_published_ops", name = "Throughput"
)
latency <- list(
  quantity = "latency", column = "latency_mean_ns", name = "Mean completion latency"
)

# `value`, `low`, `high` of every run, in the unit that the axis called `y_label`
# names; `low` and `high` are NA where a run has no interval of its own.
run_quantities <- function(runs, drawn) {
  empty <- rep(NA_real_, nrow(runs))
  field <- function(name) if (name %in% names(runs)) runs[[name]] else empty
  value <- runs[[drawn$column]]
  if (drawn$quantity == "latency") {
    own <- latency_within_run(value, field("latency_sd_ns"), field("operations"))
    unit <- list(per = 1000, name = "\u00b5s")
  } else {
    # The interval of a table belongs to its robust estimate only.
    robust <- drawn$column == "throughput_ops"
    own <- if (robust) {
      list(low = field("throughput_low_ops"), high = field("throughput_high_ops"))
    } else {
      list(low = empty, high = empty)
    }
    unit <- throughput_unit(value)
  }
  list(
    value = value / unit$per, low = own$low / unit$per, high = own$high / unit$per,
    y_label = sprintf("%s (%s)", drawn$name, unit$name)
  )
}

# A row a run: `value`, `low`, `high`, `level` of the factor `x`, `place` by `look`,
# `origin`, `regime`, `bound`, and the panel's `variant`, `operation` and `column`.
run_points <- function(runs, drawn, x, look, columns, rows = character()) {
  origin <- run_origins(runs)
  # What line types tell apart needs no panels; columns of software and of cards would share
  # their vertical axes.
  if (is_overlay(origin) || has_software_beside_cards(runs)) {
    columns <- setdiff(columns, origin_identity)
  }
  found <- panel_factors(
    runs, origin,
    panel = c("operation", columns), point = c(x, look$columns), rows = rows
  )
  quantities <- run_quantities(runs, drawn)
  # Curves of reads and of writes share their panel.
  operation <- if ("operation" %in% look$columns) "" else as.character(runs$operation)
  points <- data.table(
    value = quantities$value, low = quantities$low, high = quantities$high,
    level = runs[[x]],
    place = droplevels(look$of(runs)), origin = origin,
    regime = run_regimes(runs),
    bound = drawn$quantity == "throughput" & has_doubt(runs, bound_doubt),
    variant = panel_variants(runs, origin, found),
    operation = factor(operation_labels[operation], operation_labels, exclude = NULL),
    column = run_variants(runs, columns),
    range = factor(""), together = measured_together(runs),
    verb = as.character(runs$operation), nic = as.character(runs$nic)
  )
  # What has one level has no strip, and is stated in the caption instead.
  stated <- c("operation", x, look$columns, if (nlevels(points$column) > 1) columns, found$all)
  list(
    points = points, stated = stated, apart = apart_note(runs, origin, found),
    y_label = quantities$y_label
  )
}

# Which rows are on a curve. A few points of another design, with less than a third
# of the levels of the fullest curve that was measured together with them, would only be
# panels without a message.
on_a_curve <- function(points) {
  by <- c("together", "origin", "variant", "operation", "column")
  counts <- points[, list(row = .I, levels = uniqueN(level)), by = by]
  counts[, fullest := max(levels), by = "together"]
  (3 * counts$levels >= counts$fullest)[order(counts$row)]
}

# Ends of the ranges in which a curve is drawn that grows too steeply for one: the
# study's own range, the one its NICs keep up with, and whatever there is.
range_ends <- c(16, 32)

# The points once for each range of levels from the lowest on, named in `range`. A
# range of one level is no range.
in_ranges <- function(points) {
  lowest <- min(points$level)
  ends <- c(range_ends[range_ends > lowest & range_ends < max(points$level)], max(points$level))
  labels <- sprintf("%s to %s", format_number(lowest), format_number(ends))
  parts <- lapply(seq_along(ends), function(k) {
    part <- points[points$level <= ends[k]]
    # As long as the table, as a shorter one would keep the old levels.
    part$range <- factor(rep(labels[k], nrow(part)), labels)
    part
  })
  rbindlist(parts)
}

# What a panel shows, and what is drawn at one place in it.
panel_columns <- c("variant", "operation", "column", "range")
curve_columns <- c(panel_columns, "place", "origin")
cell_columns <- c(curve_columns, "regime", "level")

# The cells of points: a mean and interval over the runs that are replicates.
point_cells <- function(points) {
  cells <- over_replicates(points, "value", cell_columns)
  bounds <- points[, list(bound = any(bound)), keyby = cell_columns]
  cells[bounds, on = cell_columns]
}
