# Latency of idle memory from every node's processors to every node's memory: how
# far apart are the nodes of this machine? (The study's Fig 2, of which its text
# states the diagonal and a range.)

# Light to dark with latency, and of one hue: lightness alone carries it.
shortest_colour <- "#EAF1F7"
longest_colour <- "#12436D"

# Outside the scale, so that no range is taken for a short or a long latency.
range_colour <- "grey75"

# Returns the figure of the latencies of a table.
draw_memory_latency <- function(memory_latency, at = list()) {
  table <- selected(memory_latency, at = at)
  tiles <- memory_latency_tiles(table)
  if (all(tiles$label == "not stated")) refuse_absent("the table states no latency")
  tiles$machine <- paste0(tiles$source, ": ", tiles$profile)
  # Stated ranges too: else the scale would spend itself on values that hardly differ.
  shown <- range(tiles$latency, tiles$low, tiles$high, na.rm = TRUE)
  # Dark tiles need light text; the middle of the range is light enough for dark.
  light <- is.na(tiles$latency) | tiles$latency <= mean(shown) + diff(shown) / 8
  tiles$ink <- fifelse(light, "grey10", "white")
  nodes <- sort(unique(c(tiles$cpu_node, tiles$memory_node)))
  plot <- ggplot(tiles, aes(.data$memory_node, .data$cpu_node)) +
    geom_tile(aes(fill = .data$latency), colour = "grey60", linewidth = 0.3) +
    geom_text(
      aes(label = .data$label, colour = .data$ink),
      size = 2.4, family = figure_font, lineheight = 1
    ) +
    facet_wrap(vars(.data$machine), ncol = 3, scales = "free") +
    scale_x_continuous(name = "Node of the memory", breaks = nodes, expand = expansion()) +
    scale_y_reverse(name = "Node of the processor", breaks = nodes, expand = expansion()) +
    scale_fill_gradient(
      name = "Latency (ns)", low = shortest_colour, high = longest_colour, limits = shown,
      na.value = range_colour, guide = guide_colourbar(barheight = 0.6, barwidth = 8)
    ) +
    scale_colour_identity()
  columns <- min(3, uniqueN(tiles$machine))
  with_text(
    plot, table, "Latency of idle memory by node", memory_latency_notes(tiles),
    panels_width(columns), 1.6 * ceiling(uniqueN(tiles$machine) / 3),
    origin_statement(table, memory_latency_meaning)
  )
}

memory_latency_notes <- function(tiles) {
  stated <- tiles$source == "published"
  measured <- tiles$n[!stated & tiles$n > 0]
  ranges <- sum(tiles$n == 0 & !is.na(tiles$low))
  c(
    if (any(stated)) "Number in a tile: ns, as the study's text states it.",
    if (length(measured) > 0) {
      sprintf(
        "Number in a tile: ns, median of the replicates (n = %s).",
        paste(unique(range(measured)), collapse = " to ")
      )
    },
    if (ranges > 0) {
      of <- if (ranges == 1) "this tile" else paste("these", ranges, "tiles")
      sprintf("Grey: no value, but the range that the text states for %s.", of)
    }
  )
}

tables_memory_latency <- function() list("memory-latency" = character())

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
