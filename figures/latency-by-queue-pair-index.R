# Mean completion latency of every queue pair of a run by its index: are all queue
# pairs of a client served alike? (Section V-A of the study says that the first
# seven are faster, and shows no figure.)

# Returns the figure of the closed-loop clients of a table.
draw_latency_by_queue_pair_index <- function(clients, runs, at = list()) {
  runs <- selected(
    verbs_runs(runs), with_levels(quiet_server, list(loop = "closed")),
    prefer = list(queue_pairs = c(8, 16, 24, 32)), at = at
  )
  drawn <- drawable(runs, "latency_mean_ns")
  points <- queue_pair_points(clients, drawn$runs)
  plot <- ggplot(points, aes(.data$index, .data$value, colour = .data$place)) +
    geom_line(
      aes(linetype = .data$place, group = interaction(.data$variant, .data$run_id, .data$place)),
      linewidth = 0.35
    ) +
    geom_point(aes(shape = .data$place), size = 1.2) +
    scale_x_continuous(name = "Index of the queue pair, from 0", breaks = whole_breaks) +
    from_zero("Mean completion latency (\u00b5s)") +
    look_scales(locality_look, points$place)
  notes <- c(
    "A point: mean over the operations of one queue pair of one run. No interval: operations of",
    "a queue pair are not independent, and queue pairs of a run share its luck.",
    drawn_note(drawn), doubts_note(drawn$runs), variation_note(drawn$runs, c(
      "operation", "locality", "queue_pairs", "access_bytes"
    ))
  )
  notes <- c(paste(notes[1:2], collapse = " "), notes[-(1:2)])
  framed(plot, points, drawn$runs, "Latency of every queue pair, closed loop", notes)
}

# A row a queue pair: `value` in microseconds, `index`, `place` and its panel's
# columns. A run of one queue pair has nothing to compare.
queue_pair_points <- function(clients, runs) {
  rows <- with_runs(clients[!is.na(latency_mean_ns)], runs[, !"latency_mean_ns"])
  rows <- rows[which(rows$queue_pairs > 1)]
  if (nrow(rows) == 0) refuse_absent("no client has a latency beside another's: nothing to draw")
  splitting <- splitting_factors(rows)
  data.table(
    value = microseconds(rows$latency_mean_ns), index = rows$queue_pair, run_id = rows$run_id,
    place = stated_locality(rows$locality),
    variant = run_variants(rows, c(splitting, "access_bytes")),
    operation = factor(operation_labels[as.character(rows$operation)], operation_labels),
    column = factor(""), range = run_variants(rows, "queue_pairs")
  )
}

tables_latency_by_queue_pair_index <- function() {
  list(clients = "latency_mean_ns", runs = closed_columns)
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
