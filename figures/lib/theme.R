# One look for every figure, at its final size in inches.

# Named because a generic family is whatever the machine has.
figure_font <- "DejaVu Sans"

figure_text_points <- 8

# Without the font every device would silently take another one.
check_font <- function(families = systemfonts::system_fonts()$family) {
  if (!figure_font %in% families) {
    refuse("the font '", figure_font, "' is not installed (Debian: fonts-dejavu-core)")
  }
}

figure_theme <- function() {
  small <- element_text(size = figure_text_points - 1)
  theme_bw(base_size = figure_text_points, base_family = figure_font, base_line_size = 0.3) +
    theme(
      text = element_text(colour = "grey10"),
      plot.title = element_text(face = "bold", size = figure_text_points + 2),
      plot.title.position = "plot",
      plot.subtitle = element_text(colour = "grey25", margin = margin(t = 2, b = 7)),
      plot.caption = element_text(
        size = figure_text_points - 1.5, colour = "grey35", hjust = 0, lineheight = 1.15,
        margin = margin(t = 7)
      ),
      plot.caption.position = "plot",
      plot.margin = margin(6, 7, 5, 6),
      panel.grid.minor = element_blank(),
      panel.grid.major = element_line(colour = "grey92"),
      panel.border = element_rect(colour = "grey60", fill = NA),
      panel.spacing = unit(7, "pt"),
      axis.ticks = element_line(colour = "grey60"),
      axis.text = small,
      strip.background = element_rect(fill = "grey95", colour = "grey60"),
      strip.text = element_text(margin = margin(3, 4, 3, 4)),
      legend.position = "top",
      legend.justification = "left",
      legend.margin = margin(0, 0, 0, 0),
      legend.box.margin = margin(-3, 0, -4, -4),
      legend.key.width = unit(26, "pt"),
      legend.title = element_text(size = figure_text_points - 0.5),
      legend.text = element_text(size = figure_text_points - 0.5)
    )
}

# What several legends add: of localities and of origins, one below the other.
legends_below <- function() {
  theme(
    legend.box = "vertical", legend.box.just = "left", legend.spacing.y = unit(1, "pt")
  )
}

# The lines of `text` broken so that they fit a figure `width_in` inches wide at
# `points`: DejaVu Sans averages 0.54 of its size a character on our captions.
wrapped <- function(text, width_in, points) {
  characters <- floor(width_in * 72 / (points * 0.54)) - 3
  lines <- unlist(strsplit(text, "\n", fixed = TRUE))
  unlist(lapply(lines, strwrap, width = characters))
}
