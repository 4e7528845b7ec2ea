# Messages a second against their payload, for each service: what do acknowledgements
# cost, and what do lists of requests bring? (003 §3.2 and §5, there without NUMA.)

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
    ends <- unique(paste(format_number(signif(100 * range(known), 3)), "%"))
    paste0(
      "Of the services uc and ud the messages that arrived are drawn: the rate of sends, times ",
      "the share of a whole run's messages that the server got (",
      paste(ends, collapse = " to "), ")."
    )
  }
  sent <- if (anyNA(share)) {
    paste(
      "How many arrived is not known of", counted(sum(is.na(share)), "run"),
      "of uc and ud: of these what was sent is drawn, whether it arrived or not."
    )
  }
  c(arrived, sent)
}

# Returns the figure of the saturating sends of a table.
draw_throughput_by_service <- function(runs, at = list()) {
  runs <- selected(
    verbs_runs(runs),
    with_levels(quiet_server, list(loop = "saturating", operation = "send")), at = at
  )
  if (is.null(runs$service) || uniqueN(runs$service, na.rm = TRUE) < 2) {
    refuse_absent("the runs have one service or none: nothing to compare")
  }
  drawn <- drawable(runs, "throughput_ops")
  share <- arrived_share(drawn$runs)
  note <- arrival_note(drawn$runs, share)
  drawn$runs <- at_arrival(drawn$runs, share)
  curves(
    drawn, throughput, "access_bytes",
    title = "Messages, by payload and service", columns = "service", rows = "post_list", note = note
  )
}

tables_throughput_by_service <- function() list(runs = saturating_columns)

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
