# Which of two places the model calls better, against which one was: how much better
# RDMA-remote memory is than RDMA-local, predicted and measured, on conditions that were
# not fitted to.

sign_looks <- c(
  "differs, told right" = "#12436D", "differs, told wrong" = "#C22F2F",
  "no sure difference" = "grey60"
)

sign_shapes <- c(
  "differs, told right" = 16, "differs, told wrong" = 4, "no sure difference" = 1
)

# How much better remote is than local: of latencies less is more.
better <- function(remote, local, quantity) {
  ratio <- remote / local
  fifelse(quantity == "latency", 1 / ratio, ratio)
}

# One row for each design point of which both places were held out.
sign_pairs <- function(table) {
  table <- table[!is.na(table$significant)]
  if (nrow(table) == 0) refuse_absent("no design point has both localities: nothing to draw")
  sides <- split(table, table$locality)
  both <- merge(
    sides[["rdma-local"]], sides[["rdma-remote"]],
    by = c("profile", "design_point", "quantity", "significant"), suffixes = c("_local", "_remote")
  )
  pairs <- both[, list(
    profile = profile,
    measured = better(measured_remote, measured_local, quantity),
    predicted = better(predicted_remote, predicted_local, quantity),
    operation = operation_local, significant = significant == "true"
  )]
  right <- log(pairs$measured) * log(pairs$predicted) > 0
  told <- fifelse(right, names(sign_looks)[1], names(sign_looks)[2])
  pairs$told <- factor(
    fifelse(pairs$significant, told, names(sign_looks)[3]), names(sign_looks)
  )
  # What is sure goes on top.
  pairs[order(-as.integer(pairs$told))]
}

sign_note <- function(pairs) {
  sure <- pairs[pairs$significant]
  if (nrow(sure) == 0) {
    n <- counted(nrow(pairs), "pair")
    return(sprintf("n = %s, of which none differs beyond the noise of runs.", n))
  }
  right <- sum(sure$told == names(sign_looks)[1])
  sprintf(
    paste(
      "n = %s, of which %d differ beyond what runs of one condition do (95\u00a0%%); of",
      "these the better place is told right in %d, %.0f\u00a0%%."
    ),
    counted(nrow(pairs), "pair"), nrow(sure), right, 100 * right / nrow(sure)
  )
}

ratio_scale <- function(scale, name) {
  # On a long axis neighbours near 1 would touch.
  breaks <- function(limits) {
    near <- if (limits[2] > 3 * limits[1]) c(0.7, 1, 1.5) else c(0.7, 0.8, 0.9, 1, 1.1, 1.25, 1.5)
    c(0.1, 0.2, 0.3, 0.5, near, 2, 3, 5, 10)
  }
  scale(
    name = name, minor_breaks = NULL, breaks = breaks, labels = format_number,
    guide = guide_axis(check.overlap = TRUE)
  )
}

# Returns the figure of the pairs of a table that were held out.
draw_prediction_signs <- function(predictions, at = list()) {
  table <- predicted_rows(predictions, "held-out", at)
  pairs <- sign_pairs(table)
  present <- levels(droplevels(pairs$told))
  manual <- function(scale, values) scale(name = NULL, values = values[present], breaks = present)
  plot <- ggplot(pairs, aes(
    .data$measured, .data$predicted,
    colour = .data$told, shape = .data$told
  )) +
    geom_abline(intercept = 0, slope = 1, linetype = "12", colour = "grey55") +
    geom_hline(yintercept = 1, colour = "grey40", linewidth = 0.3) +
    geom_vline(xintercept = 1, colour = "grey40", linewidth = 0.3) +
    geom_point(size = 1.5) +
    facet_wrap(vars(paste(.data$profile, .data$operation, sep = ", RDMA ")), nrow = 1) +
    ratio_scale(
      scale_x_log10, "Measured ratio, RDMA-remote to RDMA-local (above 1: remote is better)"
    ) +
    ratio_scale(scale_y_log10, "Predicted ratio") +
    manual(scale_colour_manual, sign_looks) + manual(scale_shape_manual, sign_shapes)
  panels <- nrow(unique(pairs[, list(profile, operation)]))
  with_text(
    plot, table, "Which place is better: predicted against measured",
    c(
      sign_note(pairs), split_words(table),
      paste(
        "Ratios of throughput, or of the inverse of latency. Lower left and upper right: the same",
        "place is better, predicted and measured. A prediction of no difference is not right",
        "about one."
      )
    ),
    max(6.4, panels_width(panels) + 1), 1.9, prediction_statement(table), 1
  )
}

tables_prediction_signs <- function() list(predictions = prediction_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
