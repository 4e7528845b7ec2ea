# Operations of all clients in windows of 10 ms along a run: is a run stationary, so
# that one number can stand for it? (No figure of the study; of its released data.)
#
# Not chosen by hand: of every NIC and operation the steadiest, the middling and the
# least steady run, and all that changed their rate or stopped.

# Panels in a row.
trace_columns <- 4L

# Returns the figure of some of the traces of a table.
draw_window_traces <- function(traces, runs, at = list()) {
  runs <- selected(verbs_runs(runs), list(loop = "saturating"), at = at)
  drawn <- drawable(runs, "throughput_ops")
  of_runs <- drawn$runs[, intersect(trace_run_columns, names(runs)), with = FALSE]
  rows <- numbered_runs(with_runs(traces, of_runs))
  unsteady <- trace_unsteadiness(rows)
  rows <- rows[chosen_traces(unsteady), on = "run", nomatch = NULL]
  unit <- throughput_unit(rows$throughput_ops)
  points <- trace_points(rows, unit)
  plot <- ggplot(points, aes(.data$seconds, .data$value)) +
    geom_line(
      aes(group = .data$panel),
      linewidth = 0.3, colour = "grey45", linetype = "11"
    ) +
    geom_line(
      aes(colour = .data$place, group = .data$panel), points[points$full],
      linewidth = 0.35, key_glyph = "path"
    ) +
    facet_wrap(
      vars(.data$panel),
      ncol = trace_columns, scales = "free", labeller = labeller(.default = wrap_strips)
    ) +
    scale_x_continuous(name = "Time since the first window (s)", labels = format_number) +
    from_zero(sprintf("Throughput of a window (%s)", unit$name)) +
    look_scales(locality_look, points$place)
  notes <- c(
    paste(
      "Dotted: windows in which not all clients were at work. v: coefficient of variation of the",
      "others. For each card and operation: the steadiest, the middle and the most variable run;",
      "then up to", most_other_traces, "runs that changed their rate or stopped.",
      uniqueN(points$panel), "of", nrow(unsteady), "traces."
    ), doubts_note(unique(rows, by = "run"))
  )
  panels <- uniqueN(points$panel)
  title <- sprintf("Windows of %s ms along a run", format_number(window_ms(rows)))
  with_text(plot, rows, title, notes, 7.6, 1.05 * ceiling(panels / trace_columns))
}

tables_window_traces <- function() list(traces = character(), runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
