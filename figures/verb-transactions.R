# The packets that a verb causes on PCI Express at both ends, in the order of happening:
# what does the way of posting, of the payload and of the network change? (Figs 3 to 6 of
# Kalia et al.)

# Returns the figure of the transactions of a table.
draw_verb_transactions <- function(pcie_transactions, at = list()) {
  table <- with_sequences(selected(pcie_transactions, at = at))
  arrows <- transaction_arrows(table)
  lanes <- sequence_lanes(arrows)
  plot <- sequence_plot(arrows, network_arrows(arrows), lanes, sides_taken(arrows))
  figure <- with_text(
    plot, table, "Transactions of verbs on PCI Express", c(
      paste(
        "Numbers are bytes of a packet, data + header; 1 in n: once in so many operations. Time",
        "runs downwards, not to scale. Sums: bytes per operation."
      ),
      datagram_note(table),
      paste(
        listed_numbers(table$read_completion_bytes), "bytes a completion at most,",
        listed_numbers(table$max_payload_bytes), "a write. Computed as in Kalia et al., sections",
        "2 and 3."
      )
    ),
    10, sequence_rows(lanes), sequence_origin(table),
    legend_lines = 2, seen = sequences_in_words(arrows)
  )
  # What a panel is stands in it, as panels of a row share their height.
  figure$plot <- figure$plot +
    theme(strip.text = element_blank(), strip.background = element_blank())
  figure
}

# The origin, and the links, which are no profile's where they were given by themselves.
sequence_origin <- function(table) {
  paste0(origin_statement(table), "\n", paste(unique(pcie_link(table)), collapse = ", "))
}

# What the network changes, of the datagrams that are there without a payload.
datagram_note <- function(table) {
  empty <- table[table$transport == "ud" & table$access_bytes == 0 & table$side == "responder"]
  if (nrow(empty) == 0) {
    return(NULL)
  }
  writes <- empty[
    empty$transaction == "mwr",
    list(writes = uniqueN(.SD$purpose), bytes = sum(.SD$data_bytes[.SD$purpose != "completion"])),
    by = c("sequence", "link_layer")
  ]
  said <- sprintf(
    "over %s in %d DMA write%s%s", network_names[as.character(writes$link_layer)], writes$writes,
    fifelse(writes$writes == 1, "", "s"),
    fifelse(writes$bytes > 0, sprintf(", as a header of %d bytes comes with it", writes$bytes), "")
  )
  paste0("A datagram without payload is received ", paste(unique(said), collapse = ", "), ".")
}

tables_verb_transactions <- function() {
  list("pcie-transactions" = c(
    pcie_link_columns, "read_completion_bytes", "max_payload_bytes", "operation", "transport",
    "access_bytes", "payload", "post", "batch", "signal_every", "link_layer", "step", "side",
    "purpose", "transaction", "started_by", "sent_by", "once_in_operations", "packets",
    "data_bytes", "header_bytes"
  ))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
