# A quantity against queue pairs: a curve for each locality, panels of operation
# by access size, and rows for every variant that must not be mixed.

operation_labels <- c(
  "read" = "RDMA read", "write" = "RDMA write", "mixed" = "mixed",
  "compare-and-swap" = "compare-and-swap", "fetch-and-add" = "fetch-and-add", "send" = "send"
)

# Beyond this a page holds no figure; the table has to be narrowed first.
most_panel_rows <- 12L

# In log2(queue pairs): symbols stand beside each other, runs beside symbols.
symbol_offset <- 0.06
run_offset <- 0.11

# `runs` with the columns drawn: `value`, `place` (locality as drawn), `variant`,
# `operation` and `access` as panel labels.
curve_runs <- function(runs, value, splitting) {
  sizes <- sort(unique(runs$access_bytes))
  data.table(
    value = value,
    queue_pairs = runs$queue_pairs,
    place = stated_locality(runs$locality),
    operation = factor(operation_labels[as.character(runs$operation)], operation_labels),
    access = factor(size_label(runs$access_bytes), size_label(sizes)),
    variant = run_variants(runs, splitting)
  )
}

# Queue pairs moved aside by `offset`, to the side of the locality.
aside <- function(queue_pairs, place, offset) {
  queue_pairs * 2^(offset * locality_sides[as.character(place)])
}

curve_layers <- function(points, cells) {
  # A locality alone keeps its symbols at the very number of queue pairs.
  beside <- if (uniqueN(cells$place) > 1) symbol_offset else 0
  points$x <- aside(points$queue_pairs, points$place, beside + run_offset)
  cells$x <- aside(cells$queue_pairs, cells$place, beside)
  bars <- cells[!is.na(cells$low)]
  bars$low <- pmax(bars$low, 0)
  list(
    geom_line(aes(linetype = .data$place), cells, linewidth = 0.45),
    geom_errorbar(
      aes(ymin = .data$low, ymax = .data$high),
      bars,
      width = 0.13, linewidth = 0.4, show.legend = FALSE
    ),
    geom_point(data = points, size = 0.7, stroke = 0, alpha = 0.75, show.legend = FALSE),
    geom_point(aes(shape = .data$place), cells, size = 1.7)
  )
}

curve_facets <- function(points) {
  rows <- vars(.data$variant, .data$operation)
  # A single variant needs no strip.
  if (nlevels(points$variant) == 1) rows <- rows[2]
  facet_grid(rows, vars(.data$access),
    scales = "free_y",
    labeller = labeller(
      variant = function(text) vapply(text, wrap_strip, ""),
      access = function(text) paste(text, "accesses")
    )
  )
}

wrap_strip <- function(text) paste(strwrap(text, 22), collapse = "\n")

# Width in inches, from the number of columns of panels.
curve_width <- function(points) min(12, max(5.2, 1.1 + 1.95 * uniqueN(points$access)))

# Height in inches, from the rows of panels and the `lines` of text around them.
curve_height <- function(points, lines) {
  rows <- uniqueN(points, by = c("variant", "operation"))
  if (rows > most_panel_rows) {
    refuse(
      "the table needs ", rows, " rows of panels and a figure holds ", most_panel_rows,
      ": narrow it, for example with --experiment"
    )
  }
  # A single row still has to be as high as the title of its axis is long.
  1.15 + max(2.1, 1.45 * rows) + 0.13 * lines
}

# A figure, that is `plot`, `width_in` and `height_in`.
#
# `drawn`: what `drawable` returned. `value`: the quantity of each drawn run in
# the unit that `y_label` names. `title`: the topic.
queue_pair_curves <- function(drawn, value, y_label, title) {
  runs <- drawn$runs
  splitting <- splitting_factors(runs)
  points <- curve_runs(runs, value, splitting)
  by <- c("variant", "operation", "access", "place", "queue_pairs")
  cells <- over_replicates(points, "value", by)
  width_in <- curve_width(points)
  notes <- c(
    interval_note(cells), drawn$note, locality_note(points$place), variation_note(runs, splitting)
  )
  caption <- wrapped(notes, width_in, figure_text_points - 1.5)
  subtitle <- wrapped(origin_statement(runs), width_in, figure_text_points)
  mapping <- aes(.data$x, .data$mean, colour = .data$place, group = .data$place)
  plot <- ggplot(mapping = mapping) +
    curve_layers(setnames(copy(points), "value", "mean"), cells) +
    curve_facets(points) +
    queue_pair_scale(runs$queue_pairs) +
    scale_y_continuous(
      name = y_label, limits = c(0, NA), expand = expansion(mult = c(0, 0.08)),
      labels = format_number
    ) +
    locality_scales(points$place) +
    labs(
      title = title, subtitle = paste(subtitle, collapse = "\n"),
      caption = paste(caption, collapse = "\n")
    ) +
    figure_theme()
  lines <- length(caption) + length(subtitle)
  list(plot = plot, width_in = width_in, height_in = curve_height(points, lines))
}
