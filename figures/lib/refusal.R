# How this layer says no: one condition class a caller can catch, one for a
# wrong command line. Anything else that stops is a defect of this layer.

# Stops with the class `figure_error`: the input cannot be drawn, and why.
refuse <- function(...) {
  stop(structure(
    class = c("figure_error", "error", "condition"),
    list(message = paste0(...), call = NULL)
  ))
}

# Stops with the class `usage_error`: the command line is wrong.
refuse_usage <- function(...) {
  stop(structure(
    class = c("usage_error", "figure_error", "error", "condition"),
    list(message = paste0(...), call = NULL)
  ))
}

# Words as they stand in a sentence: `a`, `b` and `c`.
listed <- function(words) {
  quoted <- sprintf("'%s'", words)
  if (length(quoted) < 2) {
    return(quoted)
  }
  paste(paste(head(quoted, -1), collapse = ", "), "and", tail(quoted, 1))
}
