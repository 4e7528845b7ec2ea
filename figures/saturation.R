# Simulated READs and WRITEs by queue pairs, of one client host and of many: where does each
# machine saturate, and why?

# Throughput within this share of the most counts as saturated.
saturated_share <- 0.95

saturation_series <- c("queue-pairs" = "one host", "client-hosts" = "hosts of 8 queue pairs each")

# The first point of each curve that is saturated.
saturation_points <- function(table) {
  table[order(queue_pairs), head(.SD[y >= saturated_share * max(y)], 1),
    by = c("panel", "series", "locality")
  ]
}

# What limits each curve where it is flat, in words: a clause a panel.
saturation_words <- function(table) {
  flat <- table[order(queue_pairs), tail(.SD[y >= 0.999 * max(y)], 1), by = c("panel", "series")]
  station <- sub("responder's", "the server's", sub("requester's", "its", flat$limit))
  flat[, words := paste0(ifelse(series == saturation_series[[1]], "one host: ", "many: "), station)]
  panels <- flat[, list(words = paste(words, collapse = "; ")), by = "panel"]
  clauses <- paste0(panels$panel, " (", panels$words, ")", collapse = ", ")
  paste0("What is busy where a curve is flat: ", clauses, ".")
}

# Returns the figure of the sweeps of a table.
draw_saturation <- function(shapes, at = list()) {
  table <- selected(shapes, list(study = names(saturation_series)), at = at)
  table[, panel := paste0(machine, ", ", toupper(as.character(operation)), "s")]
  table[, series := factor(saturation_series[study], saturation_series)]
  table[, locality := as.character(locality)]
  table[, y := throughput_ops / 1e6]
  points <- saturation_points(table)
  rows <- ceiling(length(unique(table$panel)) / 2)
  plot <- ggplot(table, aes(queue_pairs, y, colour = locality)) +
    geom_line(aes(linetype = series), linewidth = 0.5) +
    geom_point(data = points, shape = 1, size = 2, show.legend = FALSE) +
    facet_wrap(vars(panel), scales = "free_y", ncol = 2) +
    shape_log2("Queue pairs of all client hosts", table$queue_pairs) +
    from_zero("M operations/s") +
    scale_colour_manual(name = NULL, values = locality_colours, labels = locality_labels) +
    scale_linetype_manual(name = NULL, values = c("solid", "42"))
  notes <- c(
    paste(
      "64 bytes, one read of a queue pair under way, 16 requests posted, 8 threads a host, path",
      "MTU 256. Rings: the first point within 5 % of the most. Where places differ in nothing,",
      "orange is over blue."
    ),
    saturation_words(table),
    paste(
      "What is beyond one host of the study's machines was measured by nobody: their servers'",
      "limits are as high as the profile takes for granted."
    )
  )
  with_text(
    plot, table, "Where machines saturate", notes, panels_width(2) + 1.5, 1.35 * rows,
    origin_statement(table, fabric_meaning), 1
  )
}

tables_saturation <- function() {
  list("shapes" = c("queue_pairs", "locality", "throughput_ops", "limit"))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
