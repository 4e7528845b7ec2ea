# The table of `onesided simulate --study`, and what texts state of the same: a curve for
# what the simulator says, a symbol or a line for each number that is stated.

# What tells rows of the table apart.
shape_key <- c(
  "source", "back_end", "profile", "set_up", "study", "operation", "locality", "access_bytes",
  "queue_pairs", "threads", "client_hosts", "window", "counters", "put_fraction"
)

# `path`: a file, or several joined by commas, such as of several machines and what is
# stated of them. A `machine` is a profile, or a set-up of one.
read_shapes <- function(path, columns = character()) {
  paths <- if (file.exists(path)) path else strsplit(path, ",", fixed = TRUE)[[1]]
  needed <- c("source", "back_end", "profile", "study", "operation", columns)
  tables <- lapply(paths, function(one) {
    read_table("shapes", one, needed, levels_of("shapes", c("source", "operation")), shape_key,
      also = shape_key
    )
  })
  table <- rbindlist(tables, use.names = TRUE, fill = TRUE)
  check_key(table, shape_key, path)
  named <- !is.na(table$set_up) & table$set_up != ""
  table[, machine := fifelse(named, paste0(profile, " (set-up ", set_up, ")"), profile)]
  table
}

# Blue and orange as for other tables; what is stated of an operation has its colour.
shape_colours <- c(
  "read" = "#12436D", "write" = "#E07B1A", "fetch-and-add" = "#A66FB5", "mixed" = "#4B8B3B"
)

# Curves, and what is stated of the same panels. `x` and `y` name columns, of which `y` is
# divided by `unit`. Where there are curves, panels without one are left out, and their
# machines told.
shape_parts <- function(table, x, y, unit) {
  cells <- table[, list(
    profile, panel, operation = as.character(operation), x = table[[x]], y = table[[y]] / unit,
    stated = source == "published"
  )]
  curves <- cells[!cells$stated & !is.na(cells$x) & !is.na(cells$y)]
  text <- cells[cells$stated & (nrow(curves) == 0 | cells$panel %in% curves$panel)]
  if (nrow(curves) + nrow(text) == 0) refuse_absent("the table has no such number")
  without <- setdiff(cells$profile[cells$stated], c(curves$profile, text$profile))
  # A panel of a line down alone would have no axis of its own.
  flat <- if (nrow(curves) == 0) setdiff(text$panel[is.na(text$y)], text$panel[!is.na(text$y)])
  places <- text[text$panel %in% flat & !is.na(text$x)]
  only_places <- length(flat) > 0 && length(flat) == uniqueN(text$panel)
  if (!only_places) text <- text[!text$panel %in% flat]
  list(
    curves = curves,
    only_places = only_places,
    places = if (!only_places && nrow(places) > 0) {
      paste(paste0(places$panel, " (at ", format_number(places$x), ")"), collapse = ", ")
    },
    points = text[!is.na(text$x) & !is.na(text$y)],
    down = text[!is.na(text$x) & is.na(text$y)],
    across = text[is.na(text$x) & !is.na(text$y)],
    x = c(curves$x, text$x[!is.na(text$x)]),
    panels = unique(c(curves$panel, text$panel)),
    note = if (length(without) > 0) {
      paste0("Stated, but not simulated: ", paste(unique(without), collapse = ", "), ".")
    }
  )
}

# The layers of what is stated.
stated_layers <- function(parts) {
  list(
    geom_vline(aes(xintercept = .data$x), parts$down, linetype = "42", linewidth = 0.4),
    geom_hline(
      aes(yintercept = .data$y, colour = .data$operation), parts$across,
      linetype = "42", linewidth = 0.4, show.legend = nrow(parts$curves) == 0
    ),
    geom_point(
      aes(.data$x, .data$y, colour = .data$operation), parts$points,
      shape = 4, size = 2.2, stroke = 0.8, show.legend = nrow(parts$curves) == 0
    )
  )
}

# What the symbols of `parts` mean. `down`: what a vertical line states.
stated_notes <- function(parts, down) {
  c(
    if (nrow(parts$points) > 0) "Crosses: numbers that the paper's text states.",
    if (parts$only_places) {
      paste0("Crosses: ", down, ", as the text states; it states no rate there.")
    },
    if (!parts$only_places && nrow(parts$down) > 0) {
      paste0("Vertical lines: ", down, ", as the text states.")
    },
    if (!is.null(parts$places)) {
      paste0("Not drawn, as the text states only ", down, ": ", parts$places, ".")
    },
    if (nrow(parts$across) > 0) {
      "Horizontal lines: numbers of the text, of which it does not state where."
    },
    parts$note
  )
}

# What is to be known of the simulated points, if there are any.
simulated_note <- function(parts, ...) if (nrow(parts$curves) > 0) paste(...)

# The figure of `table`, which has a column `panel`. `axes`: the scales of x and y.
shape_plot <- function(table, parts, axes, title, notes) {
  shown <- c(parts$curves$operation, parts$across$operation, parts$points$operation)
  operations <- intersect(names(shape_colours), shown)
  guide <- if (length(operations) > 1) guide_legend(ncol = length(operations)) else "none"
  curves <- if (nrow(parts$curves) > 0) {
    list(
      geom_line(
        aes(.data$x, .data$y, colour = .data$operation), parts$curves,
        linewidth = 0.5
      ),
      geom_point(aes(.data$x, .data$y, colour = .data$operation), parts$curves, size = 1)
    )
  }
  plot <- if (parts$only_places) {
    ggplot(parts$down, aes(.data$x, .data$panel)) +
      geom_point(shape = 4, size = 2.2, stroke = 0.8) +
      axes[[1]] + scale_y_discrete(name = "Machine")
  } else {
    ggplot() +
      curves +
      stated_layers(parts) +
      facet_wrap(vars(.data$panel), scales = "free_y", ncol = 2) +
      axes +
      scale_colour_manual(name = NULL, values = shape_colours[operations], guide = guide)
  }
  rows <- table[table$panel %in% parts$panels]
  with_text(
    plot, rows, title, notes, panels_width(2) + 1.5, 1.35 * ceiling(length(parts$panels) / 2),
    origin_statement(rows, fabric_meaning), if (length(operations) > 1) 1 else 0
  )
}

# A horizontal axis of powers of two.
shape_log2 <- function(name, levels) {
  axis <- log2_axis(name, if (length(levels) > 0) levels else c(8, 4096))
  scale_x_continuous(
    name = name, trans = "log2", breaks = axis$breaks, labels = axis$labels, minor_breaks = NULL
  )
}
