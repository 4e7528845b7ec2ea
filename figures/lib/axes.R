# Horizontal axes. An axis is a list: `name`; `position`, which puts a level on
# paper; `breaks`, the levels marked, with `labels`.

powers_between <- function(low, high) 2^(floor(log2(low)):ceiling(log2(high)))

# Powers of two and what lies between them, as queue pairs or bytes; 0, where it is
# a level, at one power below the least.
log2_axis <- function(name, levels, labels = format_number) {
  least <- if (any(levels > 0)) min(levels[levels > 0]) else 1
  breaks <- powers_between(least, max(least, levels))
  # Beyond eight marks every second one, so that neighbours do not touch.
  if (length(breaks) > 8) breaks <- breaks[seq(1, length(breaks), 2)]
  if (any(levels == 0)) breaks <- c(0, breaks)
  below <- floor(log2(least)) - 1
  position <- function(level) fifelse(level == 0, below, suppressWarnings(log2(level)))
  list(name = name, position = position, breaks = breaks, labels = labels(breaks))
}

# As `log2_axis`, with a place for 0: the logarithm of one more.
log2_axis_from_0 <- function(name, levels) {
  largest <- max(levels)
  breaks <- c(0, if (largest > 0) powers_between(1, largest))
  breaks <- breaks[breaks <= largest]
  # The largest level itself, where it does not touch the power before it.
  if (largest > 1.4 * max(breaks)) breaks <- c(breaks, largest)
  position <- function(level) log2(1 + level)
  list(name = name, position = position, breaks = breaks, labels = format_number(breaks))
}

# Parts of one, in per cent, with a mark at every level.
percent_axis <- function(name, levels) {
  breaks <- sort(unique(levels))
  position <- function(level) 100 * level
  list(name = name, position = position, breaks = breaks, labels = format_number(100 * breaks))
}

# Bytes by powers of ten, with a place for none at one power below the least.
load_axis <- function(name, levels) {
  least <- floor(log10(min(levels[levels > 0])))
  position <- function(level) fifelse(level == 0, least - 1, log10(level))
  # One beside none would touch it.
  breaks <- c(0, 10^seq(least + 1, max(least + 1, ceiling(log10(max(levels)))), by = 2))
  labels <- c("none", fcase(
    breaks[-1] >= 1e9, paste0(format_number(breaks[-1] / 1e9), "G"),
    breaks[-1] >= 1e6, paste0(format_number(breaks[-1] / 1e6), "M"),
    breaks[-1] >= 1e3, paste0(format_number(breaks[-1] / 1e3), "k"),
    breaks[-1] < 1e3, format_number(breaks[-1])
  ))
  list(name = name, position = position, breaks = breaks, labels = labels)
}

# Times by powers of ten, with a place for none at one power below the least.
time_axis <- function(name, levels) {
  least <- floor(log10(min(levels[levels > 0])))
  position <- function(level) fifelse(level == 0, least - 1, log10(level))
  powers <- 10^(least:ceiling(log10(max(levels))))
  list(
    name = name, position = position, breaks = c(0, powers),
    labels = c("none", time_label(powers))
  )
}

# Every factor that may stand on a horizontal axis.
factor_axis <- function(column, levels) {
  if (column == "load_place") {
    return(list(
      name = "Where the load is", position = identity, breaks = seq_along(load_places),
      labels = load_place_labels
    ))
  }
  name <- axis_label(column)
  switch(column,
    queue_pairs = log2_axis(name, levels),
    access_bytes = log2_axis(name, levels),
    mtu_bytes = log2_axis(name, levels),
    load_bytes = load_axis(name, levels),
    max_rd_atomic = log2_axis(name, levels),
    window = log2_axis(name, levels),
    client_hosts = log2_axis(name, levels),
    think_time_ns = time_axis(name, levels),
    workers = log2_axis_from_0(paste0(name, ", on a scale of log2(1 + workers)"), levels),
    worker_write_fraction = percent_axis(paste(name, "(%)"), levels)
  )
}

# How far a symbol is set aside, in units of the axis, so that it is as far on
# paper whatever the range of levels.
axis_step <- function(axis, levels) {
  span <- diff(range(axis$position(levels)))
  if (span == 0) 1 / 7 else span / 7
}

# The scale of an axis on which positions have been computed.
axis_scale <- function(axis, levels) {
  # One measured level would leave an axis without width.
  room <- if (length(unique(levels)) == 1) 1 else 0.4 * axis_step(axis, levels)
  scale_x_continuous(
    name = axis$name, breaks = axis$position(axis$breaks), labels = axis$labels,
    minor_breaks = NULL, expand = expansion(add = room)
  )
}

# A vertical axis of a quantity that has a zero.
from_zero <- function(name) {
  scale_y_continuous(
    name = name, limits = c(0, NA), expand = expansion(mult = c(0, 0.08)), labels = format_number
  )
}

# Beyond this ratio of the highest points of two origins in one panel nobody reads the
# lower one on an axis from 0.
most_on_a_linear_axis <- 10

# Whether origins lie too far apart for an axis from 0. A logarithm has no place for 0.
far_apart <- function(points) {
  if (!is_overlay(points$origin) || any(points$value <= 0)) {
    return(FALSE)
  }
  highest <- points[, list(value = max(value)), by = c(panel_columns, "origin")]
  ratios <- highest[, list(ratio = max(value) / min(value)), by = panel_columns]$ratio
  any(ratios > most_on_a_linear_axis)
}

# The vertical axis of `points`, called `name`: its `scale`, the `floor` at which
# intervals are cut, the part of a value to which its arrow goes down, and a `note`.
quantity_axis <- function(name, points) {
  if (!far_apart(points)) {
    return(list(scale = from_zero(name), floor = 0, arrow_end = 0.88, note = NULL))
  }
  list(
    scale = scale_y_log10(name = name, labels = format_number),
    floor = min(points$value) / 2, arrow_end = 0.7,
    note = paste(
      "Vertical axes are logarithmic, as origins in one panel lie more than a factor of",
      most_on_a_linear_axis, "apart."
    )
  )
}

# Marks of an axis of whole numbers.
whole_breaks <- function(range) {
  breaks <- pretty(range, 4)
  breaks[breaks == round(breaks) & breaks >= 0]
}
