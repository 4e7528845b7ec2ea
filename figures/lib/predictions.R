# The table of `onesided calibrate`: what the simulator predicts of conditions that were measured.

prediction_roles <- c(
  "held-out" = "held out", "fitted" = "fitted to", "set-aside" = "set aside",
  "not-covered" = "not covered"
)

# Roles in the order in which they are drawn.
prediction_levels <- c(
  levels_of("predictions", c("source", "operation", "locality", "quantity")),
  list(role = names(prediction_roles), significant = c("true", "false"))
)

predictions_key <- c(
  "source", "profile", "split", "role", "why", "design_point", "locality", "client_locality"
)

prediction_columns <- c(
  "source", "profile", "split", "role", "design_point", "experiments", "operation", "locality",
  "quantity", "measured", "predicted", "relative_error", "significant"
)

# `path`: a file, or several joined by commas, such as of several machines.
read_predictions <- function(path, columns = character()) {
  paths <- if (file.exists(path)) path else strsplit(path, ",", fixed = TRUE)[[1]]
  tables <- lapply(paths, function(one) {
    read_table(
      "predictions", one, c(prediction_columns, columns), prediction_levels, predictions_key,
      also = predictions_key
    )
  })
  table <- rbindlist(tables, use.names = TRUE, fill = TRUE)
  check_key(table, predictions_key, path)
  table
}

# What these figures are of, in the place of an origin: neither side alone is one.
prediction_statement <- function(table) {
  machines <- paste(unique(table$profile), collapse = ", ")
  paste0(
    "predicted: simulated, back end sim, profile ", machines, ": output of a model; measured: ",
    listed_words(unique(as.character(table$source)))
  )
}

listed_words <- function(words) paste(words, collapse = ", ")

# The rows of some `roles` of which the model says something.
predicted_rows <- function(table, roles, at = list()) {
  table <- selected(table, list(role = roles), at = at)
  drawn <- table[!is.na(table$predicted)]
  if (nrow(drawn) == 0) refuse_absent("nothing is predicted of these conditions: nothing to draw")
  drawn
}

# As `onesided calibrate` takes them: the value nearest in rank.
judged_quantile <- function(values, part) {
  sort(values)[floor(part * (length(values) - 1) + 0.5) + 1]
}

percent_label <- function(part) sprintf("%.1f\u00a0%%", 100 * part)

# Errors as one line: how many, their median and 90th percentile.
error_words <- function(relative_error) {
  errors <- abs(relative_error)
  sprintf(
    "n = %d, median %s, 90th percentile %s", length(errors),
    percent_label(judged_quantile(errors, 0.5)), percent_label(judged_quantile(errors, 0.9))
  )
}

# Which conditions were held out, as the table says it.
split_words <- function(table) {
  paste0("Held out: ", paste(unique(table$split), collapse = "; "), ".")
}

# The experiments of a condition as a panel or row is called, with the machine where
# there are several.
experiment_label <- function(table) {
  names <- vapply(strsplit(table$experiments, " ", fixed = TRUE), function(names) {
    if (length(names) > 2) paste0(names[1], " + ", length(names) - 1) else listed_words(names)
  }, "")
  if (length(unique(table$profile)) > 1) paste0(table$profile, ": ", names) else names
}

# Marks of a logarithmic axis: at 1, 2 and 5 of each power of ten, and closer where that
# would be too few.
log_breaks <- function(range) {
  powers <- 10^(floor(log10(range[1])):ceiling(log10(range[2])))
  for (steps in list(c(1, 2, 5), c(1, 1.5, 2, 3, 4, 5, 7), c(1, 1.1, 1.2, 1.5, 2:9))) {
    breaks <- sort(c(outer(steps, powers)))
    breaks <- breaks[breaks >= range[1] & breaks <= range[2]]
    if (length(breaks) >= 3) break
  }
  breaks
}

# Where memory is, as in every figure; for points.
locality_point_scales <- function(present) {
  list(
    look_scales(locality_look, levels(droplevels(present)))[1:2],
    guides(colour = guide_legend(override.aes = list(size = 1.7, alpha = 1)))
  )
}
