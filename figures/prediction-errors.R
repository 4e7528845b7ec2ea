# How far predictions are off, by experiment and by what the condition was used for: is
# the model as good on what it was not fitted to, and what does it say of what was set
# aside?

# Below this part a point is drawn here: a logarithm has no place for none.
least_error <- 1e-4

# Points of a row lie in the order of their errors, each a little aside of the one
# before: the same picture every time.
aside <- function(count) ((seq_len(count) * 0.618034) %% 1 - 0.5) * 0.7

error_points <- function(table) {
  points <- table[, list(
    error = pmax(abs(table$relative_error), least_error), row = experiment_label(table),
    role = factor(prediction_roles[as.character(table$role)], prediction_roles),
    locality = stated_locality(table$locality)
  )]
  # From above in the order of the alphabet.
  points$row <- factor(points$row, rev(sort(unique(points$row), method = "radix")))
  setorderv(points, c("role", "row", "error"))
  points[, place := as.integer(row) + aside(.N), by = c("role", "row")]
  points
}

error_marks <- function(points) {
  points[, list(
    place = as.integer(row[1]), median = judged_quantile(error, 0.5),
    p90 = judged_quantile(error, 0.9)
  ), by = c("role", "row")]
}

# A sentence for each role that is drawn, and one for what is not.
error_notes <- function(all, table) {
  drawn <- intersect(names(prediction_roles), as.character(table$role))
  sentences <- vapply(drawn, function(role) {
    paste0(prediction_roles[[role]], ": ", error_words(table$relative_error[table$role == role]))
  }, "")
  absent <- table(prediction_roles[as.character(all$role[is.na(all$predicted)])])
  c(
    "Bar: median; lozenge: 90th percentile; dotted: an error of 10 %.",
    paste0("Absolute relative errors, ", paste(sentences, collapse = "; "), "."),
    if (length(absent) > 0) {
      paste0("Without a prediction or a number, not drawn: ", by_reason(absent), ".")
    },
    paste(
      "Points that were set aside are not used to judge: their numbers are",
      "not what they are called, for reasons that the report counts."
    ),
    split_words(table)
  )
}

# Returns the figure of all conditions of a table that the model says something of.
draw_prediction_errors <- function(predictions, at = list()) {
  table <- predicted_rows(predictions, c("held-out", "fitted", "set-aside"), at)
  points <- error_points(table)
  marks <- error_marks(points)
  rows <- levels(points$row)
  plot <- ggplot(points, aes(.data$error, .data$place)) +
    geom_vline(xintercept = 0.1, linetype = "12", colour = "grey55") +
    geom_point(aes(colour = .data$locality, shape = .data$locality), size = 0.8, alpha = 0.6) +
    geom_segment(aes(
      x = .data$median, xend = .data$median, y = .data$place - 0.42, yend = .data$place + 0.42
    ), marks, linewidth = 0.9, colour = "grey10") +
    geom_point(aes(.data$p90, .data$place), marks, shape = 5, size = 1.8, colour = "grey10") +
    facet_wrap(vars(.data$role), nrow = 1) +
    scale_x_log10(
      name = "Absolute relative error", breaks = 10^(-4:2), minor_breaks = NULL,
      labels = function(parts) paste0(format_number(100 * parts), " %")
    ) +
    scale_y_continuous(name = NULL, breaks = seq_along(rows), labels = rows, minor_breaks = NULL) +
    locality_point_scales(points$locality)
  figure <- with_text(
    # Rows are named; this is for the words beside the picture.
    plot + labs(y = "experiment"), table, "Errors of predictions by experiment",
    error_notes(predictions, table), 9, 0.7 + 0.17 * length(rows), prediction_statement(table), 1
  )
  # Ends of axes of neighbours would touch.
  figure$plot <- figure$plot + theme(panel.spacing.x = unit(20, "pt"))
  figure
}

tables_prediction_errors <- function() list(predictions = prediction_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
