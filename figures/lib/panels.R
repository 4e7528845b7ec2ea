# The panels of a figure, its size, and the text around them.

# Beyond this a page holds no figure; the table has to be narrowed first.
most_panel_rows <- 12L

wrap_strip <- function(text, width = 30) paste(strwrap(text, width), collapse = "\n")

wrap_strips <- function(text, width = 30) vapply(text, wrap_strip, "", width = width)

# So many columns are narrower, so that a page shrinks them less, and have room for fewer letters.
many_columns <- 4L

strip_letters <- function(columns) if (columns < many_columns) 30 else 26

# A constant needs no strip.
varying_columns <- function(points, columns) {
  Filter(function(column) uniqueN(points[[column]]) > 1, columns)
}

panel_vars <- function(columns) {
  if (length(columns) == 0) {
    return(NULL)
  }
  do.call(vars, lapply(setNames(nm = columns), function(column) bquote(.data[[.(column)]])))
}

most_wrapped_columns <- 4L

# The `facets` of the points, and how many `rows` and `columns` of panels they make:
# rows of variant and operation by columns of the second factor, or operations side
# by side when that factor has one level. Ranges have axes of their own. A grid in which a
# panel would hold nothing is drawn as panels in sequence instead.
panels <- function(points) {
  if (nlevels(points$range) > 1) {
    return(wrapped_panels(points, nlevels(points$range)))
  }
  wide <- uniqueN(points$column) == 1
  rows <- if (wide) "variant" else c("variant", "operation")
  columns <- if (wide) "operation" else "column"
  counts <- list(rows = uniqueN(points, by = rows), columns = uniqueN(points[[columns]]))
  used <- uniqueN(points, by = c(rows, columns))
  if (used < counts$rows * counts$columns) {
    return(wrapped_panels(points, min(most_wrapped_columns, used), "free_y"))
  }
  facets <- facet_grid(
    panel_vars(varying_columns(points, rows)),
    # Curves that are told apart by operation need no strip of it.
    panel_vars(if (all(is.na(points[[columns]]))) NULL else columns),
    scales = "free_y", labeller = labeller(.default = function(text) {
      wrap_strips(text, strip_letters(counts$columns))
    })
  )
  c(list(facets = facets), counts)
}

# Panels in sequence, `columns` of them a row, with everything in one strip.
wrapped_panels <- function(points, columns, scales = "free") {
  strips <- varying_columns(points, c("variant", "operation", "column", "range"))
  list(
    facets = facet_wrap(
      panel_vars(strips),
      scales = scales, ncol = columns,
      labeller = function(labels) {
        lapply(label_value(labels, multi_line = FALSE), wrap_strips, strip_letters(columns))
      }
    ),
    rows = ceiling(uniqueN(points, by = strips) / columns), columns = columns
  )
}

# Width of a figure in inches, by its columns of panels.
panels_width <- function(columns) {
  of_each <- if (columns < many_columns) 1.95 else 1.6
  min(12, max(6.4, 1.1 + of_each * columns))
}

# Height in inches, by its rows of panels and the `lines` of text around them.
panels_height <- function(rows, lines) {
  if (rows > most_panel_rows) {
    refuse(
      "the table needs ", rows, " rows of panels and a figure holds ", most_panel_rows,
      ": narrow it, for example with --experiment or --at"
    )
  }
  # A single row still has to be as high as the title of its axis is long.
  1.15 + max(2.1, 1.45 * rows) + 0.13 * lines
}

# A figure, that is `plot`, `width_in` and `height_in`, around the panels of `points`.
# `notes` make the caption; the origin of `runs` is the subtitle.
framed <- function(plot, points, runs, title, notes, seen = NULL) {
  panels <- panels(points)
  width_in <- panels_width(panels$columns)
  with_text(
    plot + panels$facets, runs, title, notes, width_in, panels$rows,
    legend_lines = origin_lines(points), seen = seen
  )
}

# Lines that the caption of a picture has at most; the text file beside it has all notes.
most_caption_lines <- 3L

# The notes that fit into a caption `width_in` inches wide, as its lines: each whole, in order, one
# behind the other.
caption_lines <- function(notes, width_in) {
  lines <- kept <- character()
  for (note in notes) {
    more <- wrapped(paste(c(kept, note), collapse = " "), width_in, figure_text_points - 1.5)
    if (length(more) <= most_caption_lines) {
      lines <- more
      kept <- c(kept, note)
    }
  }
  lines
}

# A plot with its text, `width_in` wide and as high as `rows` rows of panels ask for.
# `origin` is where the numbers come from, `legend_lines` the height of a second legend,
# `seen` what there is to see, in words. The plot has every note in its caption; `caption` is
# what the picture has of them. Notes called `n` say how many runs a mark stands for and what its
# bars are.
with_text <- function(plot, runs, title, notes, width_in, rows,
                      origin = origin_statement(runs), legend_lines = 0, seen = NULL) {
  of_n <- unname(notes[names(notes) %in% "n"])
  notes <- unname(notes)
  all <- wrapped(notes, width_in, figure_text_points - 1.5)
  caption <- caption_lines(notes, width_in)
  subtitle <- wrapped(origin, width_in, figure_text_points)
  plot <- plot + figure_theme() + (if (legend_lines > 0) legends_below()) + labs(
    title = title, subtitle = paste(subtitle, collapse = "\n"),
    caption = paste(all, collapse = "\n")
  )
  lines <- length(caption) + length(subtitle) + legend_lines
  list(
    plot = plot, width_in = width_in, height_in = panels_height(rows, lines),
    compact_height_in = panels_height(rows, legend_lines) - 0.55,
    caption = paste(caption, collapse = "\n"),
    text = c(title, paste(c(seen_axes(plot), seen), collapse = " "), origin, notes),
    compact_notes = if (length(of_n) > 0) {
      c(sprintf("%s.", counted(nrow(runs), "run")), in_short(of_n))
    }
  )
}

# Of width and height: a third of a page's width at three quarters of the text's own size.
compact_part <- c(width = 0.54, height = 0.64)

# Letters that fit above a panel of it, and beside its axes.
compact_letters <- c(strip = 15, axis = 27)

# The names of axes in lines that fit, and of numbers that would touch the first.
compact_axes <- function(scales) {
  for (scale in scales) {
    if (is.character(scale$name)) scale$name <- wrap_strip(scale$name, compact_letters[["axis"]])
    if ("x" %in% scale$aesthetics) scale$guide <- guide_axis(check.overlap = TRUE)
  }
}

# The figure without the text around it; its text file has what a caption cannot do without.
compact <- function(figure) {
  figure$plot <- figure$plot + labs(title = NULL, subtitle = NULL) + theme(
    # One below the other: beside each other they would be cut.
    legend.direction = "vertical", legend.title = element_blank(), legend.key.height = unit(9, "pt")
  )
  figure$plot$facet$params$labeller <- function(labels) {
    lapply(label_value(labels), wrap_strips, compact_letters[["strip"]])
  }
  compact_axes(figure$plot$scales$scales)
  figure$caption <- character()
  figure$text <- c(figure$text[1:2], figure$compact_notes)
  figure$width_in <- compact_part[["width"]] * figure$width_in
  figure$height_in <- compact_part[["height"]] * figure$compact_height_in
  figure
}

# The axes of a plot in words.
seen_axes <- function(plot) {
  name <- function(axis) {
    found <- Filter(function(scale) axis %in% scale$aesthetics, plot$scales$scales)
    text <- if (length(found) > 0) found[[1]]$name
    if (is.character(text)) text else plot$labels[[axis]]
  }
  axes <- gsub("\n", " ", unlist(lapply(c("y", "x"), name)), fixed = TRUE)
  if (length(axes) == 2) sprintf("Plot of %s against %s.", axes[1], axes[2])
}
