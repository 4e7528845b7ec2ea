# How sequences of transactions are drawn, and said in words.

sequence_points <- 5.8

# Height of the place of an arrow in inches.
sequence_row_in <- 0.155

# What a panel has above its first arrow and below its last, in places of arrows.
sequence_above <- 3.6
sequence_below <- 1.3

sequence_text <- function(data, mapping, ...) {
  geom_text(
    mapping,
    data = data, inherit.aes = FALSE, size = sequence_points / .pt, family = figure_font,
    lineheight = 0.95, show.legend = FALSE, ...
  )
}

# Two panels a row, each row as high as the longer of its sequences.
in_panels <- function(data) {
  number <- as.integer(data$sequence) - 1
  data$row <- number %/% 2
  data$column <- number %% 2
  data
}

# Rows of panels as `with_text` counts them, of sequences that end at `bottom`.
sequence_rows <- function(lanes) {
  panels <- in_panels(lanes)
  longest <- tapply(panels$bottom, panels$row, max)
  sum(longest + sequence_above + sequence_below) * sequence_row_in / 1.45
}

sequence_plot <- function(arrows, network, lanes, taken) {
  all <- rbind(arrows[, c("sequence", "x", "xend", "y", "series")], network, fill = TRUE)
  all$yend <- fcoalesce(all$yend, all$y)
  present <- intersect(names(sequence_looks), as.character(all$series))
  values <- function(look) vapply(sequence_looks[present], `[[`, "", look)
  scale <- function(of, look) {
    of(
      name = NULL, values = values(look), limits = present, guide = guide_legend(ncol = 3)
    )
  }
  ggplot(in_panels(all), aes(
    .data$x, .data$y,
    xend = .data$xend, yend = .data$yend, colour = .data$series, linetype = .data$series
  )) +
    geom_segment(
      aes(x = .data$x, xend = .data$x, y = 0.4, yend = .data$bottom + 0.4),
      data = in_panels(lanes), inherit.aes = FALSE, colour = "grey70", linewidth = 0.4
    ) +
    geom_segment(linewidth = 0.55, arrow = arrow(length = unit(3.5, "pt"), type = "closed")) +
    sequence_labels(in_panels(arrows), in_panels(lanes), in_panels(taken)) +
    facet_grid(vars(.data$row), vars(.data$column), scales = "free_y", space = "free_y") +
    scale_x_continuous(name = NULL, breaks = NULL, limits = c(0.05, 4.8), expand = expansion()) +
    scale_y_reverse(name = NULL, breaks = NULL, expand = expansion()) +
    scale(scale_colour_manual, "colour") +
    scale(scale_linetype_manual, "line_type") +
    labs(x = NULL, y = NULL)
}

# The words of a panel: what it is, names of lanes, packets above their arrows, what they are
# for outside, and sums.
sequence_labels <- function(arrows, lanes, taken) {
  named <- arrows[nzchar(arrows$purpose)]
  left <- named$side == "requester"
  named$x <- sequence_places[paste(named$side, "cpu")] + fifelse(left, -0.06, 0.06)
  titles <- unique(lanes[, c("sequence", "row", "column", "bottom")])
  list(
    # The edges of the panel.
    geom_blank(aes(0.1, 1 - sequence_above), titles, inherit.aes = FALSE),
    geom_blank(aes(0.1, .data$bottom + sequence_below), titles, inherit.aes = FALSE),
    sequence_text(
      titles, aes(0.1, 1.25 - sequence_above, label = .data$sequence),
      hjust = 0, vjust = 1, fontface = "bold"
    ),
    sequence_text(lanes, aes(.data$x, 0.1, label = .data$name), vjust = 0, colour = "grey25"),
    sequence_text(
      arrows, aes((.data$x + .data$xend) / 2, .data$y - 0.18, label = .data$label),
      vjust = 0, colour = "grey10"
    ),
    sequence_text(
      named[left], aes(.data$x, .data$y, label = .data$purpose),
      hjust = 1, colour = "grey10"
    ),
    sequence_text(
      named[!left], aes(.data$x, .data$y, label = .data$purpose),
      hjust = 0, colour = "grey10"
    ),
    sequence_text(
      taken, aes(.data$x, .data$y + 0.85, label = .data$label),
      colour = "grey25", fontface = "italic"
    )
  )
}

# A sentence for each sequence, for whoever does not see the picture.
sequences_in_words <- function(arrows) {
  vapply(levels(arrows$sequence), function(one) {
    rows <- arrows[arrows$sequence == one]
    side <- as.character(rows$side)
    turns <- c(TRUE, side[-1] != side[-length(side)])
    said <- paste0(
      fifelse(turns, paste0("at the ", side, " "), ""),
      fifelse(nzchar(rows$purpose), paste0(rows$purpose, ": "), ""), rows$label, " B ",
      fifelse(rows$sent_by == "cpu", "to the card", "to memory")
    )
    paste0(gsub("\n", ", ", one, fixed = TRUE), ": ", paste(said, collapse = "; "), ".")
  }, "", USE.NAMES = FALSE)
}
