# What the simulator predicts of conditions that it was not fitted to, against what was
# measured: how near is the model, and in which experiments is it not?

# Throughput in millions a second, latency in microseconds.
prediction_unit <- c("throughput" = 1e6, "latency" = 1e3)

# One point for each condition, in the panel of its experiment.
predicted_points <- function(table) {
  unit <- prediction_unit[as.character(table$quantity)]
  points <- table[, list(
    measured = table$measured / unit, predicted = table$predicted / unit,
    error = table$relative_error, locality = stated_locality(table$locality),
    name = paste0(experiment_label(table), fifelse(table$quantity == "latency", ", latency", ""))
  )]
  points[, panel := sprintf(
    "%s\nn = %d, median %s, p90 %s", name, .N, percent_label(judged_quantile(abs(error), 0.5)),
    percent_label(judged_quantile(abs(error), 0.9))
  ), by = "name"]
  setorderv(points, "name")
  points$panel <- factor(points$panel, unique(points$panel))
  points
}

# The corners of square panels: both axes of one have the same range.
square_corners <- function(points) {
  points[, {
    range <- range(measured, predicted) * c(0.85, 1.18)
    list(corner = range)
  }, by = "panel"]
}

predicted_scales <- function() {
  list(
    scale_x_log10(
      name = "Measured (M ops/s; latency in \u00b5s)", breaks = log_breaks,
      labels = format_number, minor_breaks = NULL
    ),
    scale_y_log10(
      name = "Predicted", breaks = log_breaks, labels = format_number, minor_breaks = NULL
    )
  )
}

# Returns the figure of the held-out conditions of a table.
draw_predicted_against_measured <- function(predictions, at = list()) {
  table <- predicted_rows(predictions, "held-out", at)
  points <- predicted_points(table)
  columns <- min(4, nlevels(points$panel))
  band <- function(part) {
    geom_abline(intercept = log10(part), slope = 1, linetype = "12", colour = "grey55")
  }
  plot <- ggplot(points, aes(
    .data$measured, .data$predicted,
    colour = .data$locality, shape = .data$locality
  )) +
    geom_abline(intercept = 0, slope = 1, colour = "grey55") +
    band(1.1) + band(1 / 1.1) +
    geom_blank(aes(.data$corner, .data$corner), square_corners(points), inherit.aes = FALSE) +
    geom_point(size = 1, alpha = 0.7) +
    facet_wrap(vars(.data$panel), scales = "free", ncol = columns) +
    predicted_scales() + locality_point_scales(points$locality)
  with_text(
    plot, table, "Predicted against measured, conditions that were not fitted to",
    c(
      paste0("All panels: ", error_words(table$relative_error), " (absolute relative errors)."),
      split_words(table), "Line: as measured. Dotted: a tenth more and less. Logarithmic axes."
    ),
    max(8.4, panels_width(columns)), 1.15 * ceiling(nlevels(points$panel) / columns),
    prediction_statement(table), 1
  )
}

tables_predicted_against_measured <- function() list(predictions = prediction_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
