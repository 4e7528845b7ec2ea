# Latency against the rate of requests, of clients that ask on a schedule: up to which
# rate does memory on either node answer, and what do its slowest requests cost? (No
# figure of the study, whose clients wait for answers.)

offered_quantiles <- c("latency_p50_ns" = "median", "latency_p99_ns" = "99th percentile")

# Returns the figure of the open-loop runs of a table.
draw_latency_by_offered_rate <- function(runs, at = list()) {
  runs <- selected(verbs_runs(runs), with_levels(quiet_server, list(loop = "open")), at = at)
  drawn <- drawable(swept(runs, "rate_ops_per_second"), "latency_p99_ns")
  shown <- c("operation", "locality", "rate_ops_per_second")
  splitting <- splitting_factors(drawn$runs, shown)
  cells <- offered_cells(drawn$runs, splitting)
  per <- throughput_unit(cells$offered)
  cells[, `:=`(offered = offered / per$per, achieved = achieved / per$per)]
  plot <- ggplot(cells, aes(.data$achieved, .data$mean, colour = .data$place)) +
    geom_segment(aes(xend = .data$offered, yend = .data$mean), linewidth = 0.25) +
    geom_point(aes(x = .data$offered), shape = "|", size = 2, show.legend = FALSE) +
    geom_line(aes(linetype = .data$place), linewidth = 0.45) +
    geom_linerange(aes(ymin = .data$low, ymax = .data$high), cells[!is.na(cells$low)],
      linewidth = 0.4, show.legend = FALSE
    ) +
    geom_point(aes(shape = .data$place), size = 1.7) +
    facet_grid(
      if (length(splitting) > 0) vars(.data$operation, .data$variant) else vars(.data$operation),
      vars(.data$quantile),
      labeller = labeller(.default = wrap_strips)
    ) +
    offered_scales(per)
  rows <- uniqueN(cells, by = c("operation", "variant"))
  with_text(
    plot, drawn$runs, "Latency by offered rate, open loop",
    c(offered_notes(cells), drawn_note(drawn), doubts_note(drawn$runs),
      variation_note(drawn$runs, c(shown, splitting))),
    panels_width(2), rows, legend_lines = 1
  )
}

# A row a panel, locality and offered rate: the `achieved` rate, and over replicates the
# geometric `mean` of a quantile in microseconds with its interval: latencies vary in
# proportion.
offered_cells <- function(runs, splitting) {
  by <- c("variant", "operation", "quantile", "place", "offered")
  points <- rbindlist(lapply(names(offered_quantiles), function(column) {
    data.table(
      variant = run_variants(runs, splitting),
      operation = droplevels(
        factor(operation_labels[as.character(runs$operation)], operation_labels)
      ),
      quantile = factor(offered_quantiles[[column]], offered_quantiles),
      place = droplevels(stated_locality(runs$locality)),
      offered = runs$rate_ops_per_second, achieved = runs$throughput_ops,
      value = log(microseconds(runs[[column]]))
    )
  }))
  achieved <- points[, list(achieved = mean(achieved)), keyby = by]
  cells <- over_replicates(points, "value", by)[achieved, on = by]
  cells[, c("mean", "low", "high") := lapply(.SD, exp), .SDcols = c("mean", "low", "high")]
}

offered_scales <- function(per) {
  list(
    scale_x_log10(name = sprintf("Achieved rate (%s)", per$name), labels = format_number),
    scale_y_log10(name = "Latency from when a request was due (\u00b5s)", labels = format_number),
    scale_colour_manual("Target memory", values = locality_colours, labels = locality_labels),
    scale_shape_manual("Target memory", values = locality_shapes, labels = locality_labels),
    scale_linetype_manual("Target memory", values = locality_line_types, labels = locality_labels)
  )
}

offered_notes <- function(cells) {
  n <- range(cells$n)
  c(
    paste(
      "Symbol: what was achieved; the stroke beside it: what was offered. Where they part,",
      "requests waited at the client for their turn, and this wait is in the latency. Both axes",
      "are logarithmic."
    ),
    paste0(
      "Geometric mean over ", paste(unique(n), collapse = " to "), " runs",
      if (n[2] > 1) ", with the 95 % interval of Student's t on logarithms" else "", "."
    )
  )
}

tables_latency_by_offered_rate <- function() {
  list(runs = c(saturating_columns, "rate_ops_per_second", "latency_p50_ns", "latency_p99_ns"))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
