# A quantity against a factor: a curve for each locality (or what the look tells
# apart) and, by line type and shape, each of several origins, panels of operations by
# a second factor, and rows for every variant that must not be mixed.

# In steps of the axis: symbols stand beside each other, runs beside symbols.
symbol_offset <- 0.06
run_offset <- 0.11

# The points and cells with their places `x` on the axis.
placed <- function(points, cells, axis, look) {
  step <- axis_step(axis, points$level)
  # A curve alone keeps its symbols at the very level.
  beside <- if (uniqueN(cells$place) > 1) symbol_offset else 0
  aside <- function(rows, offset) {
    side <- unname(look$sides[as.character(rows$place)]) * offset + origin_side(rows$origin)
    axis$position(rows$level) + side * step
  }
  cells$x <- aside(cells, beside)
  points$n <- cells[points, on = cell_columns]$n
  # A single run has no mean beside it to leave room for.
  points$x <- fifelse(points$n == 1, aside(points, beside), aside(points, beside + run_offset))
  list(points = marked(points), cells = marked(cells), step = step)
}

# The rows with the `curve` that each is on and the `mark` that shows it: the origin where
# there are several, else the place.
marked <- function(rows) {
  rows$curve <- interaction(rows$place, rows$origin, drop = TRUE)
  rows$mark <- if (is_overlay(rows$origin)) rows$origin else rows$place
  rows
}

# Layers in drawing order: lines, intervals over runs, intervals of runs, single
# runs, arrows of upper bounds, symbols, hollow symbols. `y` is the vertical axis.
curve_layers <- function(placed, look, y) {
  cells <- placed$cells
  points <- placed$points
  usual <- cells[cells$regime == "usual"]
  joined <- usual[usual[, list(several = .N > 1), by = curve_columns], on = curve_columns]
  bars <- cells[!is.na(cells$low)]
  bars$low <- pmax(bars$low, y$floor)
  own <- points[points$n < fewest_runs_for_interval & !is.na(points$low) & !is.na(points$high)]
  if (y$floor > 0) own$low <- pmax(own$low, y$floor)
  width <- 0.13 * placed$step
  layers <- list(
    geom_line(
      aes(y = .data$mean, linetype = .data$mark), joined[joined$several],
      linewidth = 0.45
    ),
    interval_bars(bars, width, 0.4),
    interval_bars(own, width / 2, 0.2),
    geom_point(
      aes(y = .data$value), points[points$n > 1],
      size = 0.7, stroke = 0, alpha = 0.75, show.legend = FALSE
    ),
    bound_arrows(cells[cells$bound], y$arrow_end),
    geom_point(aes(y = .data$mean, shape = .data$mark), usual, size = 1.7)
  )
  c(layers, unname(hollow_symbols(cells[cells$regime != "usual"], marks(look, points))))
}

interval_bars <- function(bars, width, linewidth) {
  geom_errorbar(
    aes(ymin = .data$low, ymax = .data$high), bars,
    width = width, linewidth = linewidth, show.legend = FALSE
  )
}

# From the symbol some way down towards 0: long enough to see, and of no meaning.
bound_arrows <- function(cells, arrow_end) {
  geom_segment(
    aes(y = .data$mean, xend = .data$x, yend = arrow_end * .data$mean), cells,
    linewidth = 0.3, arrow = arrow(length = unit(2, "pt"), type = "closed"), show.legend = FALSE
  )
}

# A layer for each level, as a shape outside the scale cannot be mapped.
hollow_symbols <- function(cells, look) {
  lapply(split(cells, droplevels(cells$mark)), function(alike) {
    geom_point(
      aes(y = .data$mean), alike,
      shape = look$hollow[[as.character(alike$mark[1])]], size = 1.7, stroke = 0.5,
      show.legend = FALSE
    )
  })
}

# The figure of `drawn` (what `drawable` returned): `what` is drawn against the
# factor `x`, with panels for each level of `columns` and, if `ranges`, for ranges
# of `x`, as `title`. `rows`: factors named at the rows of panels even where they
# follow from others. `note` comes first in the caption, `x_name` is another name
# of the axis than the factor's own.
curves <- function(drawn, what, x, title, columns = character(), look = locality_look,
                   rows = character(), ranges = FALSE, note = NULL, x_name = NULL) {
  told <- doubts_of_symbols(what$quantity)
  read <- curve_points(drawn, what, x, look, columns, rows, told)
  points <- if (ranges) in_ranges(read$points) else read$points
  cells <- point_cells(points)
  y <- quantity_axis(read$y_label, points)
  axis <- factor_axis(x, points$level)
  if (!is.null(x_name)) axis$name <- x_name
  placed <- placed(points, cells, axis, look)
  own <- any(placed$points$n < fewest_runs_for_interval & !is.na(placed$points$low))
  notes <- c(
    note, n = interval_note(cells, own, what$quantity, y$floor), y$note,
    regime_note(read$points$regime), bound_note(read$points$bound), read$note,
    if (identical(look, locality_look)) locality_note(points$place)
  )
  plot <- ggplot(mapping = aes(.data$x, colour = .data$place, group = .data$curve)) +
    curve_layers(placed, look, y) +
    axis_scale(axis, points$level) +
    y$scale +
    curve_scales(look, points)
  framed(plot, points, read$runs, title, notes, seen_curves(cells, look$labels, axis))
}

# Panels that are told in words; beyond this nobody listens.
most_told_panels <- 12L

# Where each curve begins and ends, in words, panel by panel. `names`: of places.
seen_curves <- function(cells, names, axis) {
  cells <- cells[cells$regime == "usual"]
  curve <- c(panel_columns, "origin", "place")
  setorderv(cells, c(curve, "level"))
  at <- function(value, level) {
    level <- gsub("\n", " ", gsub("-\n", "-", axis_level(axis, level)))
    paste(format_number(signif(value, 3)), "at", level)
  }
  ends <- cells[, list(
    text = trimws(paste(
      trimws(paste(origin[1], names[as.character(place[1])])), if (.N > 1) "from",
      at(mean[1], level[1]), if (.N > 1) paste("to", at(mean[.N], level[.N]))
    ))
  ), by = curve]
  told <- ends[, list(text = paste(text, collapse = "; ")), by = panel_columns]
  panel <- apply(as.matrix(told[, panel_columns, with = FALSE]), 1, function(strips) {
    paste(strips[!is.na(strips) & nzchar(strips)], collapse = ", ")
  })
  sentences <- paste0(ifelse(nzchar(panel), paste0(panel, ": "), ""), told$text, ".")
  more <- length(sentences) - most_told_panels
  others <- if (more > 0) paste0("And ", more, " more panel", if (more > 1) "s", ".")
  c(head(sentences, most_told_panels), others)
}

# A level as its axis writes it.
axis_level <- function(axis, level) {
  marked <- match(axis$position(level), axis$position(axis$breaks))
  if (is.na(marked)) format_number(level) else axis$labels[[marked]]
}

# The points of what is drawn, a row a run, and the `runs` behind them; `note` says which
# runs of `drawn` are not among them, what is doubted of the others (but for the doubts `told`
# elsewhere), which factors are fixed, and which keep origins apart. `unused`: which of the points
# the figure leaves out, by reason.
curve_points <- function(drawn, what, x, look, columns, rows = character(),
                         told = character(), unused = NULL) {
  all <- run_points(drawn$runs, what, x, look, columns, rows)
  kept <- on_a_curve(all$points)
  left_out <- c("of designs that hardly vary the axis" = sum(!kept))
  for (reason in if (!is.null(unused)) unused(all$points)) {
    left_out[[reason$why]] <- sum(kept & reason$points)
    kept <- kept & !reason$points
  }
  runs <- drawn$runs[kept]
  # Again, as without single points fewer factors may tell runs apart.
  read <- run_points(runs, what, x, look, columns, rows)
  read$note <- c(
    drawn_note(drawn, left_out),
    doubts_note(runs, told), variation_note(runs, read$stated), read$apart
  )
  read$runs <- runs
  read
}
