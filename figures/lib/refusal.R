# How this layer says no: one condition class a caller can catch, with one below
# it for a wrong command line and one for a table that is sound but holds nothing
# of the figure's topic. Anything else that stops is a defect of this layer.

stop_as <- function(classes, ...) {
  stop(structure(
    class = c(classes, "error", "condition"), list(message = paste0(...), call = NULL)
  ))
}

# Stops with the class `figure_error`: the input cannot be drawn, and why.
refuse <- function(...) stop_as("figure_error", ...)

# Stops with the class `usage_error`: the command line is wrong.
refuse_usage <- function(...) stop_as(c("usage_error", "figure_error"), ...)

# Stops with the class `nothing_to_draw`: a sound table without the figure's runs.
refuse_absent <- function(...) stop_as(c("nothing_to_draw", "figure_error"), ...)

# Stops with the class `not_in_table`: what was asked for by name is not there.
refuse_unknown <- function(...) stop_as(c("not_in_table", "figure_error"), ...)

# Words as they stand in a sentence: `a`, `b` and `c`.
listed <- function(words) {
  quoted <- sprintf("'%s'", words)
  if (length(quoted) < 2) {
    return(quoted)
  }
  paste(paste(head(quoted, -1), collapse = ", "), "and", tail(quoted, 1))
}
