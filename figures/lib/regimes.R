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
  stopped <- sum(regime == "stalled")
  other <- sum(regime != "usual") - stopped
  kinds <- c(
    if (other > 0) sprintf("writes at another rate, at least in part (%d)", other),
    if (stopped > 0) sprintf("runs that stopped (%d)", stopped)
  )
  if (length(kinds) > 0) paste0("Hollow, in no mean: ", paste(kinds, collapse = ", or "), ".")
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
