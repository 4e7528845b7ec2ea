# Which runs a figure draws, and how many it leaves out and why: what is left
# out is always counted where the reader of the figure sees it.

# Splits the `runs` of a figure by a list of reasons, in order; a run is counted
# under the first reason that applies.
# Returns `runs` (those to draw), `asked` (how many there were) and `left_out` (how
# many by reason).
drawable <- function(runs, value) {
  duplicate <- if ("duplicate_of" %in% names(runs)) !is.na(runs$duplicate_of) else FALSE
  incomplete <- is.na(runs$queue_pairs) | is.na(runs$access_bytes) |
    is.na(runs$operation) | is.na(runs$source)
  reason <- fcase(
    rep_len(duplicate, nrow(runs)), "a duplicate of another run",
    runs$valid %in% FALSE, "marked invalid",
    incomplete, "without a complete design point",
    is.na(runs[[value]]), paste("without", value)
  )
  left_out <- table(factor(reason, unique(reason[!is.na(reason)])))
  if (all(!is.na(reason))) {
    refuse_absent("none of ", counted(nrow(runs), "run"), " can be drawn: ", by_reason(left_out))
  }
  list(runs = runs[is.na(reason)], asked = nrow(runs), left_out = left_out)
}

by_reason <- function(counts) paste(counts, names(counts), collapse = ", ")

# So many of them, in words: "1 run", "2 runs".
counted <- function(number, noun) paste0(number, " ", noun, if (number != 1) "s")

# One sentence for the caption on what `drawable` left out, and `others` (how many by
# reason) that the figure left out itself.
drawn_note <- function(drawn, others = integer()) {
  left_out <- c(drawn$left_out, others[others > 0])
  note <- if (sum(left_out) == 0) {
    if (drawn$asked == 1) {
      "The only run is drawn, and not marked invalid."
    } else {
      sprintf("All %d runs drawn, none marked invalid.", drawn$asked)
    }
  } else {
    sprintf(
      "%d of %s not drawn: %s.", sum(left_out), counted(drawn$asked, "run"), by_reason(left_out)
    )
  }
  unstated <- sum(is.na(drawn$runs$valid))
  if (unstated > 0) note <- paste0(note, " Validity not stated for ", unstated, " drawn.")
  note
}
