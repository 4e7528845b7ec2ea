# The study's estimate of throughput over a robust one, by queue pairs: above how
# many is the mean of each client's samples, summed, not the rate of the NIC? (No
# figure of the study; see docs/methodology.md.)

# Returns the figure of all saturating runs of a table that have both estimates.
draw_estimator_disagreement <- function(runs, at = list()) {
  runs <- selected(verbs_runs(runs), list(loop = "saturating"), at = at)
  drawn <- drawable(runs[which(!is.na(runs$throughput_published_ops))], "throughput_ops")
  all <- disagreement_points(drawn$runs)
  points <- if (any(all$several)) all[all$several] else all
  panel <- c("operation", "variant")
  strips <- varying_columns(points, panel)
  columns <- min(most_wrapped_columns, uniqueN(points, by = panel))
  cells <- disagreement_cells(points)
  axis <- factor_axis("queue_pairs", points$level)
  cells$x <- axis$position(cells$level)
  plot <- ggplot(cells, aes(.data$x)) +
    geom_hline(yintercept = 1, linewidth = 0.4, colour = "grey45") +
    geom_linerange(aes(ymin = .data$least, ymax = .data$most), linewidth = 0.25) +
    geom_linerange(aes(ymin = .data$low, ymax = .data$high), linewidth = 1.1, colour = "grey55") +
    geom_point(aes(y = .data$median), size = 1.4) +
    geom_text(
      aes(y = Inf, label = .data$n, vjust = fifelse(.data$lowered, 2.6, 1.4)),
      size = 2.1, colour = "grey35", family = figure_font
    ) +
    facet_wrap(
      panel_vars(strips), ncol = columns,
      labeller = function(labels) {
        lapply(label_value(labels, multi_line = FALSE), wrap_strips, strip_letters(columns))
      }
    ) +
    axis_scale(axis, points$level) +
    scale_y_continuous(
      name = "Throughput, published over robust estimate", expand = expansion(mult = c(0.05, 0.2))
    )
  with_text(
    plot, drawn$runs, "Published against robust estimate of throughput",
    c(
      disagreement_notes(all$ratio), alone_note(nrow(points), all), drawn_note(drawn),
      doubts_note(drawn$runs)
    ),
    panels_width(columns), ceiling(uniqueN(points, by = panel) / columns)
  )
}

# What a panel shows of its points at each number of queue pairs. Numbers of neighbouring runs stand
# in two lines, as one has no room for them.
disagreement_cells <- function(points) {
  cells <- points[, as.list(setNames(
    c(quantile(ratio, c(0, 0.05, 0.5, 0.95, 1), names = FALSE), .N),
    c("least", "low", "median", "high", "most", "n")
  )), keyby = c("variant", "operation", "level")]
  cells[, lowered := seq_len(.N) %% 2 == 0, by = c("variant", "operation")][]
}

# What is said of the runs of panels with one number of queue pairs, beyond those `drawn`.
alone_note <- function(drawn, all) {
  if (drawn == nrow(all)) {
    return(NULL)
  }
  alone <- all[!all$several]
  sprintf(
    "Not drawn: %s of designs with one number of queue pairs; median ratio %s.",
    counted(nrow(alone), "run"), format_number(signif(median(alone$ratio), 3))
  )
}

# A row a run: the `ratio` of its estimates, its queue pairs as `level`, its panel, and whether
# that has `several` numbers of queue pairs: a panel of one would show one point.
disagreement_points <- function(runs) {
  origin <- splitting_factors(runs, setdiff(design_factors, origin_factors))
  points <- data.table(
    ratio = runs$throughput_published_ops / runs$throughput_ops, level = runs$queue_pairs,
    variant = run_variants(runs, setdiff(origin, c("nic", "campaign"))),
    operation = droplevels(
      factor(operation_labels[as.character(runs$operation)], operation_labels)
    )
  )
  points[, several := uniqueN(level) > 1, by = c("operation", "variant")][]
}

disagreement_notes <- function(ratio) {
  beyond <- function(part) sum(abs(ratio - 1) > part)
  c(
    n = paste(
      "Point: median run. Thick: 5 to 95 % of runs. Thin: all of them. Above: number of runs, all",
      "designs together, as each is compared with itself."
    ),
    sprintf(
      "Of %s %d differ by more than 5 %%, %d of these upwards, and %d by more than 20 %%.",
      counted(length(ratio), "run"), beyond(0.05), sum(ratio > 1.05), beyond(0.2)
    )
  )
}

tables_estimator_disagreement <- function() {
  list(runs = c(saturating_columns, "throughput_published_ops"))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
