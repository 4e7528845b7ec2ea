# Ratios of RDMA-remote to RDMA-local, with the interval that their runs allow.

# The ratio of two samples of positive values as the difference of their mean
# logarithms, with the interval of Welch (1947). A list of `n` (the smaller), `mean`
# (the ratio of geometric means), `low` and `high`, NA when either has too few.
welch_ratio <- function(above, below, level = 0.95) {
  stopifnot(all(above > 0), all(below > 0))
  difference <- mean(log(above)) - mean(log(below))
  n <- min(length(above), length(below))
  half <- NA_real_
  if (n >= fewest_runs_for_interval) {
    parts <- c(var(log(above)) / length(above), var(log(below)) / length(below))
    degrees <- sum(parts)^2 /
      (parts[1]^2 / (length(above) - 1) + parts[2]^2 / (length(below) - 1))
    # Samples without any spread have an interval without width.
    half <- if (sum(parts) == 0) 0 else qt(1 - (1 - level) / 2, degrees) * sqrt(sum(parts))
  }
  list(n = n, mean = exp(difference), low = exp(difference - half), high = exp(difference + half))
}

# The same from the runs' own intervals, of which each side has the mean of its
# runs' log-normal variances over its number of runs. NA where one is missing.
own_ratio <- function(above, below) {
  difference <- mean(log(above$value)) - mean(log(below$value))
  variance <- function(runs) {
    errors <- (log(runs$high) - log(runs$low)) / (2 * qnorm(0.975))
    sum(errors^2) / length(errors)^2
  }
  half <- qnorm(0.975) * sqrt(variance(above) + variance(below))
  list(own_low = exp(difference - half), own_high = exp(difference + half))
}

# One row per combination of the columns `by` at which `points` (value, low, high,
# place) have both localities in the usual regime: the ratio, with either interval.
ratio_cells <- function(points, by) {
  usual <- points[points$regime == "usual"]
  both <- usual[, list(both = all(locality_levels[1:2] %in% place)), by = by][both == TRUE]
  if (nrow(both) == 0) {
    refuse_absent("no point has both RDMA-local and RDMA-remote runs: no ratio to draw")
  }
  usual[both[, by, with = FALSE], on = by][,
    {
      above <- .SD[place == "rdma-remote"]
      below <- .SD[place == "rdma-local"]
      c(
        welch_ratio(above$value, below$value), own_ratio(above, below),
        list(bound = any(bound))
      )
    },
    keyby = by
  ]
}

# Which points are in no ratio, by reason; none where that would leave nothing.
in_no_ratio <- function(points) {
  usual <- points$regime == "usual"
  by <- c(panel_columns, "origin", "level")
  paired <- points[,
    list(row = .I, both = all(locality_levels[1:2] %in% place[regime == "usual"])),
    by = by
  ]
  both <- paired$both[order(paired$row)]
  if (!any(usual & both)) {
    return(NULL)
  }
  list(
    list(why = "of another kind: at another write rate, or stopped for a while", points = !usual),
    list(why = "without one to compare with", points = usual & !both)
  )
}

# n and method of ratios, in words for the caption.
ratio_note <- function(cells, quantity) {
  n <- range(cells$n)
  n_text <- if (n[1] == n[2]) n[1] else paste(n, collapse = " to ")
  has <- cells$n >= fewest_runs_for_interval
  paste(c(
    sprintf("Point: ratio of geometric means of runs; n = %s at the place with fewer.", n_text),
    if (any(has)) "Bars: 95 % interval of Welch on logarithms, over runs.",
    if (any(!has & !is.na(cells$own_low))) {
      thin_bars("from each run's own", quantity)
    },
    if (any(!has & is.na(cells$own_low))) "Points without bars: no interval can be given."
  ), collapse = " ")
}

# Line type and shape tell several origins apart; one origin has no legend.
ratio_line <- function(cells) {
  curve <- c(panel_columns, "origin")
  cells <- cells[cells[, list(several = .N > 1), by = curve][several == TRUE], on = curve]
  mapping <- if (is_overlay(cells$origin)) {
    aes(y = .data$mean, linetype = .data$origin)
  } else {
    aes(y = .data$mean)
  }
  geom_line(mapping, cells, linewidth = 0.35, colour = "grey35")
}

ratio_symbols <- function(cells) {
  mapping <- if (is_overlay(cells$origin)) {
    aes(y = .data$mean, shape = .data$origin)
  } else {
    aes(y = .data$mean)
  }
  geom_point(mapping, cells, size = 1.7, colour = "grey15")
}

# How a ratio of RDMA-remote to RDMA-local is drawn: `of` a ratio, `reference` where both are
# alike, and the `name` of its axis. Where the order turns over, so do the ends of intervals.
as_ratio <- list(
  of = identity, reference = 1,
  name = function(what) paste(what$name, "ratio,\nRDMA-remote / RDMA-local")
)
as_percent_more <- list(
  of = function(ratio) 100 * (ratio - 1), reference = 0,
  name = function(what) paste(what$name, "of RDMA-remote memory,\n% above RDMA-local")
)
as_speedup <- list(
  of = function(ratio) 1 / ratio, reference = 1,
  name = function(what) "Speedup of RDMA-remote memory,\nlatency RDMA-local / RDMA-remote"
)

# The cells in the form `as`.
in_form <- function(cells, as) {
  ends <- cells[, c("low", "high", "own_low", "own_high")]
  cells$mean <- as$of(cells$mean)
  for (side in c("", "own_")) {
    low <- as$of(ends[[paste0(side, "low")]])
    high <- as$of(ends[[paste0(side, "high")]])
    cells[[paste0(side, "low")]] <- pmin(low, high)
    cells[[paste0(side, "high")]] <- pmax(low, high)
  }
  cells
}

# The figure of RDMA-remote over RDMA-local: as `curves`, of ratios in the form `as`.
# `ranges`: whether long axes are drawn in parts; `stated`: what the text says, as
# `stated_bands` takes it.
ratio_curves <- function(drawn, what, x, title, columns = character(), as = as_ratio,
                         ranges = TRUE, stated = NULL) {
  read <- curve_points(drawn, what, x, locality_look, columns, unused = in_no_ratio)
  points <- if (ranges) in_ranges(read$points) else read$points
  cells <- in_form(ratio_cells(points, c(panel_columns, "origin", "level")), as)
  axis <- factor_axis(x, points$level)
  step <- axis_step(axis, points$level)
  cells$x <- axis$position(cells$level) + origin_side(cells$origin) * step
  width <- 0.13 * step
  replicated <- cells$n >= fewest_runs_for_interval
  single <- cells[!replicated & !is.na(cells$own_low)]
  single <- single[, c("low", "high") := list(own_low, own_high)]
  bands <- stated_bands(stated, points, axis)
  plot <- ggplot(mapping = aes(.data$x, group = .data$origin)) +
    bands$layers +
    geom_hline(yintercept = as$reference, linewidth = 0.4, colour = "grey45") +
    ratio_line(cells) +
    interval_bars(cells[replicated], width, 0.4) +
    interval_bars(single, width / 2, 0.2) +
    ratio_symbols(cells) +
    axis_scale(axis, points$level) + origin_scales(cells) +
    scale_y_continuous(name = as$name(what))
  notes <- c(bands$note, n = ratio_note(cells, what$quantity), read$note)
  cells[, c("regime", "place") := list("usual", "ratio")]
  seen <- seen_curves(cells, c(ratio = ""), axis)
  framed(plot, points, read$runs, title, notes, seen)
}
