# What the study's text states of a figure, as bands behind the curves.

stated_path <- file.path(dirname(sourced_file()), "..", "..", "data", "stated", "curves.csv")

# Reads data/stated/curves.csv, a row a statement: `figure` in figures/, `operation`, `nic`,
# from which level of the axis to which, and the ends `low` and `high` of what is stated there.
stated_curves <- function(name) {
  all <- fread(stated_path, na.strings = "")
  all[all$figure == name]
}

# The bands of `stated` (rows of the table) in the panels of `points`: `layers` to draw below the
# curves, and a `note` on what they are. A panel of another kind of card has none.
stated_bands <- function(stated, points, axis) {
  if (is.null(stated)) {
    return(NULL)
  }
  panels <- unique(points[, c(panel_columns, "verb", "nic"), with = FALSE])
  # What the text says beyond the levels drawn would only stretch the axis.
  stated <- stated[stated$from <= max(points$level)]
  verb <- stated[, c("nic", "from", "to", "low", "high")][, verb := stated$operation]
  bands <- merge(verb, panels, by = c("verb", "nic"))
  if (nrow(bands) == 0) {
    return(NULL)
  }
  step <- 0.35 * axis_step(axis, points$level)
  bands$from <- axis$position(bands$from) - step
  bands$to <- axis$position(pmin(bands$to, max(points$level))) + step
  list(
    layers = geom_rect(
      aes(xmin = .data$from, xmax = .data$to, ymin = .data$low, ymax = .data$high), bands,
      inherit.aes = FALSE, fill = "#8FBF8F", alpha = 0.45
    ),
    note = "Green: what the study's text states."
  )
}
