# Which runs a figure draws, and how many it leaves out and why: what is left
# out is always counted where the reader of the figure sees it.

# Splits `runs` of one `loop` by a list of reasons, in order; a run is counted
# under the first reason that applies.
# Returns `runs` (those to draw) and `note` (one sentence for the caption).
drawable <- function(runs, loop, value) {
  # Outside the brackets of data.table, where `loop` would be the column.
  in_loop <- which(runs$loop == loop)
  asked <- runs[in_loop]
  if (nrow(asked) == 0) {
    refuse("no run has loop '", loop, "': nothing to draw")
  }
  duplicate <- if ("duplicate_of" %in% names(asked)) !is.na(asked$duplicate_of) else FALSE
  incomplete <- is.na(asked$queue_pairs) | is.na(asked$access_bytes) |
    is.na(asked$operation) | is.na(asked$source)
  reason <- fcase(
    asked$valid %in% FALSE, "marked invalid",
    rep_len(duplicate, nrow(asked)), "a duplicate of another run",
    incomplete, "without a complete design point",
    is.na(asked[[value]]), paste("without", value)
  )
  reasons <- table(factor(reason, unique(reason[!is.na(reason)])))
  counts <- paste(reasons, names(reasons), collapse = ", ")
  if (all(!is.na(reason))) {
    refuse("none of ", nrow(asked), " runs with loop '", loop, "' can be drawn: ", counts)
  }
  left_out <- sum(reasons)
  note <- if (left_out == 0) {
    sprintf("All %d runs drawn, none marked invalid.", nrow(asked))
  } else {
    sprintf("%d of %d runs not drawn: %s.", left_out, nrow(asked), counts)
  }
  unstated <- sum(is.na(asked$valid) & is.na(reason))
  if (unstated > 0) note <- paste0(note, " Validity not stated for ", unstated, " drawn.")
  list(runs = asked[is.na(reason)], note = note)
}
