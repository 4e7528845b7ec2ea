# What else a run may be than an ordinary one. Writes on some cards have two
# rates and change between them for whole runs, and some runs stop for a while; a
# mean over both would be the rate of neither, so runs of different regimes are
# never pooled.

regime_doubts <- c(
  "regime-mixed" = "mixed", "regime-fast" = "fast", "regime-slow" = "slow", "stalled" = "stalled"
)

# The regime of every run: "usual" unless a doubt says otherwise; of several the
# last one above.
run_regimes <- function(runs) {
  regime <- rep("usual", nrow(runs))
  for (doubt in names(regime_doubts)) regime[has_doubt(runs, doubt)] <- regime_doubts[[doubt]]
  factor(regime, c("usual", regime_doubts))
}

# The doubt that makes a throughput an upper bound.
bound_doubt <- "oversubscribed"

# What hollow symbols stand for, when there are any.
regime_note <- function(regime) {
  other <- table(droplevels(regime[regime != "usual"]))
  if (length(other) == 0) {
    return(NULL)
  }
  paste0(
    "Hollow: runs in another regime, never pooled with the usual one (",
    paste(other, names(other), collapse = ", "), ")."
  )
}

# The doubts that the symbols of curves and their notes tell: hollow ones always,
# arrows where a throughput is drawn.
doubts_of_symbols <- function(quantity) {
  c(names(regime_doubts), if (quantity == "throughput") bound_doubt)
}

# What the arrows stand for, when there are any.
bound_note <- function(bound) {
  if (!any(bound)) {
    return(NULL)
  }
  sprintf(
    "Arrow down: upper bound, the client's threads outnumber its processors (%s).",
    counted(sum(bound), "run")
  )
}
