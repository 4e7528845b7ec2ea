# The tables of `onesided fabric`, and what texts state of the same: one curve a series
# of what was measured, a symbol or a line for each number that is stated.

fabric_kinds <- c("fabric-reads", "fabric-messages", "fabric-pagerank")

fabric_levels <- levels_of(
  fabric_kinds, c("source", "operation", "sides", "read_way", "way", "variant")
)

# What tells rows of the three tables apart, as far as a table has it.
fabric_key <- c(
  "source", "back_end", "profile", "fabric_hop_ns", "hop_by_distance", "operation", "sides",
  "access_bytes", "buffer_bytes", "window", "threads_per_node", "read_way", "way",
  "message_bytes", "threshold_bytes", "variant", "nodes", "replicate"
)

# `path`: a file, or several joined by commas, such as what is stated and what was
# measured. Columns that a stated table does not have are empty of it.
read_fabric <- function(path, columns = character()) {
  paths <- if (file.exists(path)) path else strsplit(path, ",", fixed = TRUE)[[1]]
  tables <- lapply(paths, function(one) {
    needed <- c("source", "back_end", "profile", "fabric_hop_ns", columns)
    also <- c(fabric_key, numbers_of(fabric_kinds), "doubts")
    read_table(fabric_kinds, one, needed, fabric_levels, fabric_key, also)
  })
  table <- rbindlist(tables, use.names = TRUE, fill = TRUE)
  later <- c("hop_by_distance", "buffer_bytes", "window", "threads_per_node", "read_way")
  for (column in setdiff(c("replicate", "doubts", "sides", "threads", later), names(table))) {
    set(table, j = column, value = NA)
  }
  check_key(table, fabric_key, path)
  table
}

# Rows whose content was right and whose memory was where it was asked for, and how many were not.
sound_fabric <- function(table) {
  wrong <- has_doubt(table, "content-differs")
  elsewhere <- has_doubt(table, "pages-misplaced") & !wrong
  if (all(wrong | elsewhere)) refuse_absent("every row is of wrong content or misplaced memory")
  notes <- c(
    if (any(wrong)) paste(counted(sum(wrong), "row"), "of wrong content"),
    if (any(elsewhere)) paste(counted(sum(elsewhere), "row"), "of memory elsewhere than asked")
  )
  list(
    rows = table[!wrong & !elsewhere],
    note = if (length(notes) > 0) sprintf("Not drawn: %s.", paste(notes, collapse = ", "))
  )
}

# The machine of each row, as legends name it.
fabric_machine <- function(table) {
  hop <- fifelse(is.na(table$fabric_hop_ns) | table$fabric_hop_ns == 0, "", sprintf(
    ", hop %s ns%s", format_number(table$fabric_hop_ns),
    fifelse(tolower(table$hop_by_distance) %in% "true", " by distance", "")
  ))
  usual <- is.na(table$buffer_bytes) | table$buffer_bytes == 262144
  buffers <- fifelse(usual, "", sprintf(", buffers of %s B", format_number(table$buffer_bytes)))
  fifelse(
    table$source == "published", paste("stated:", sub("^asplos14-", "", table$profile)),
    paste0(table$profile, ", ", table$back_end, hop, buffers)
  )
}

# What the names of panels end with, by row, where software is beside cards: no panel has both.
# A factor, software first.
fabric_endings <- function(table) {
  source <- as.character(table$source)
  software <- source %in% software_beside_cards(table)
  if (!any(software)) {
    return(factor(rep("", nrow(table))))
  }
  ending <- function(rows) {
    named <- sub("^published$", "stated", unique(source[rows]))
    paste0(", ", paste(named, collapse = " and "))
  }
  both <- c(ending(software), ending(!software))
  factor(fifelse(software, both[1], both[2]), both)
}

# Whether a row's threads had to share their CPUs: with each other, or with other work.
is_disturbed <- function(rows) {
  words <- c("crowded", "preempted", "another-measurement", "cpu-stolen")
  Reduce(`|`, lapply(words, function(word) has_doubt(rows, word)))
}

# One cell a series, panel and place: the median over replicates and their range.
# `quantities` names panels and gives the column and what it is divided by. Rows that are
# not `joined` are off the curves.
fabric_cells <- function(table, x, quantities) {
  if (!"joined" %in% names(table)) set(table, j = "joined", value = TRUE)
  endings <- fabric_endings(table)
  parts <- lapply(names(quantities), function(panel) {
    column <- quantities[[panel]]$column
    if (!column %in% names(table)) {
      return(NULL)
    }
    known <- !is.na(table[[column]])
    part <- table[known]
    part[, list(
      panel = paste0(panel, endings[known]), x = part[[x]],
      value = part[[column]] / quantities[[panel]]$unit,
      series = part$series, stated = part$source == "published",
      joined = part$joined,
      disturbed = is_disturbed(part)
    )]
  })
  cells <- rbindlist(parts)
  if (nrow(cells) == 0) refuse_absent("the table has no number of this figure: nothing to draw")
  cells <- cells[, list(
    n = .N, value = median(value), low = min(value), high = max(value), disturbed = any(disturbed)
  ), keyby = c("panel", "series", "stated", "joined", "x")]
  panels <- outer(names(quantities), levels(endings), paste0)
  cells$panel <- factor(cells$panel, intersect(panels, cells$panel))
  cells
}

# Blue, orange, violet, green, grey, light blue: neighbours differ in lightness, too.
fabric_colours <- c("#12436D", "#E07B1A", "#A66FB5", "#4B8B3B", "#2B2B2B", "#6FA8DC")

# The figure of `cells`, with an axis of powers of two called `name`.
fabric_plot <- function(cells, table, name, title, notes) {
  # In the order of the table, what is stated last.
  series <- unique(table$series[order(table$source == "published")])
  series <- series[series %in% cells$series]
  cells$series <- factor(cells$series, series)
  curves <- cells[!cells$stated]
  # A little aside, so that ranges at one place do not hide each other.
  middle <- (length(unique(curves$series)) + 1) / 2
  curves$x <- curves$x * 2^(0.12 * (as.integer(curves$series) - middle))
  points <- cells[cells$stated & !is.na(cells$x)]
  # A number of no stated size is a line across.
  lines <- cells[cells$stated & is.na(cells$x)]
  places <- cells$x[!is.na(cells$x)]
  axis <- if (length(places) > 0) log2_axis(name, places) else log2_axis(name, c(64, 8192))
  plot <- ggplot(mapping = aes(colour = .data$series, shape = .data$series)) +
    geom_line(aes(.data$x, .data$value), curves[curves$joined], linewidth = 0.4) +
    geom_linerange(aes(x = .data$x, ymin = .data$low, ymax = .data$high), curves) +
    geom_point(aes(.data$x, .data$value), curves, size = 1.4) +
    geom_point(aes(.data$x, .data$value), curves[curves$disturbed], size = 0.6, colour = "white") +
    geom_point(aes(.data$x, .data$value), points, size = 2.2) +
    geom_hline(
      aes(yintercept = .data$value, colour = .data$series), lines, linetype = "42", linewidth = 0.4,
      show.legend = TRUE
    ) +
    facet_wrap(vars(.data$panel), scales = "free_y", ncol = 2) +
    scale_x_continuous(
      name = name, trans = "log2", breaks = axis$breaks, labels = axis$labels, minor_breaks = NULL
    ) +
    scale_y_log10(name = NULL, labels = format_number, minor_breaks = NULL) +
    fabric_scales(series) +
    # Panels are named by it; this is for the words beside the picture.
    labs(y = paste(levels(cells$panel), collapse = ", "))
  with_text(
    plot, table, title, c(notes, fabric_notes(cells), software_note(table)), 6.4,
    1.6 * ceiling(nlevels(cells$panel) / 2), origin_statement(table, fabric_meaning),
    ceiling(length(series) / 2)
  )
}

# A colour and a shape for each series, in their order: of unlike numbers, so that both together
# are of one series only.
fabric_scales <- function(series) {
  of <- function(values) setNames(rep_len(values, length(series)), series)
  guide <- guide_legend(ncol = 2)
  list(
    scale_colour_manual(name = NULL, values = of(fabric_colours), drop = FALSE, guide = guide),
    scale_shape_manual(
      name = NULL, values = of(c(16, 17, 15, 18, 8, 4, 3)), drop = FALSE, guide = guide
    )
  )
}

fabric_notes <- function(cells) {
  measured <- cells$n[!cells$stated]
  c(
    if (length(measured) > 0) {
      sprintf(
        "Symbols: median of the replicates (n = %s); bars: their range.",
        paste(unique(range(measured)), collapse = " to ")
      )
    },
    if (any(cells$stated)) {
      paste(
        "Stated: single numbers of the paper's text about other machines, not measured here; a",
        "dashed line where the text states no size."
      )
    },
    if (any(cells$disturbed)) {
      paste(
        "White centre: more threads at the same time than CPUs, or other work on these, so that",
        "times say more about the scheduler than about the fabric."
      )
    },
    "Vertical axes are logarithmic."
  )
}
