# Operations by service; and of the messages that nobody sends again, how many arrived.

# Services that send nothing again: an operation is counted when it was sent.
unreliable_services <- c("uc", "ud")

# Which share of the messages of each run arrived; NA where the run does not say it.
arrived_share <- function(runs) {
  if (!all(c("messages_sent", "messages_received") %in% names(runs))) {
    return(rep(NA_real_, nrow(runs)))
  }
  fifelse(runs$messages_sent > 0, runs$messages_received / runs$messages_sent, NA_real_)
}

# A rate and the ends of the run's own interval of it.
rate_columns <- c("throughput_ops", "throughput_low_ops", "throughput_high_ops")

# The runs with the rate of messages that arrived in place of that of messages sent, where
# `share` says it. Losses are counted over the whole run, warm-up and drain included.
at_arrival <- function(runs, share) {
  runs <- copy(runs)
  known <- which(!is.na(share))
  for (column in intersect(rate_columns, names(runs))) {
    set(runs, known, column, runs[[column]][known] * share[known])
  }
  runs
}

# What the rates of unreliable services are of, for the caption.
arrival_note <- function(runs, share) {
  share <- share[as.character(runs$service) %in% unreliable_services]
  known <- share[!is.na(share)]
  arrived <- if (length(known) > 0) {
    # Rounded down: what lost some has not 100 %.
    ends <- unique(paste(format_number(floor(1000 * range(known)) / 10), "%"))
    paste0(
      "Over uc and ud: the rate of sends times the share of the run's messages that arrived (",
      paste(ends, collapse = " to "), ")."
    )
  }
  sent <- if (anyNA(share)) {
    paste(
      counted(sum(is.na(share)), "run"),
      "over uc and ud without a count of what arrived: their rate of sends is drawn."
    )
  }
  c(arrived, sent)
}

# The runs of saturating sends.
saturating_sends <- function(runs, at) {
  selected(
    verbs_runs(runs),
    with_levels(quiet_server, list(loop = "saturating", operation = "send")), at = at
  )
}

# The saturating sends of a table against the factor `x`, at the rate at which they arrived.
sends_that_arrived <- function(runs, x, title, columns) {
  drawn <- drawable(runs, "throughput_ops")
  share <- arrived_share(drawn$runs)
  note <- arrival_note(drawn$runs, share)
  drawn$runs <- at_arrival(drawn$runs, share)
  curves(
    drawn, throughput, x, title = title, columns = columns, rows = "post_list", note = note
  )
}

# The runs of saturating READs and WRITEs.
reads_and_writes <- function(runs, at) {
  selected(
    verbs_runs(runs),
    with_levels(quiet_server, list(loop = "saturating", operation = c("read", "write"))), at = at
  )
}

# What the rates of WRITEs are of, for the caption.
writes_note <- "Of the service uc what was sent is counted, whether it arrived or not."
