# Transactions on PCI Express as sequences: a panel an operation, with lanes for CPU and
# memory and for the card at both ends, and an arrow for packets that are alike.

verb_names <- c(
  "write" = "WRITE", "read" = "READ", "send" = "SEND to a RECV", "recv" = "RECV",
  "compare-and-swap" = "compare-and-swap", "fetch-and-add" = "fetch-and-add"
)

network_names <- c("infiniband" = "InfiniBand", "ethernet" = "Ethernet (RoCE)")

purpose_names <- c(
  "wqe-store" = "WQE", "doorbell" = "Doorbell", "wqe-fetch" = "WQE",
  "payload-fetch" = "payload", "payload-write" = "payload",
  "datagram-write" = "header, payload", "completion" = "completion"
)

transaction_names <- c("mwr" = "MWr", "mrd" = "MRd", "cpld" = "CplD")

# Told apart by line type, direction and words, too.
sequence_looks <- list(
  "MWr by MMIO: the CPU writes" = c(colour = "#E07B1A", line_type = "42"),
  "MWr by DMA: the card writes" = c(colour = "#A66FB5", line_type = "solid"),
  "MRd: the card asks to read" = c(colour = "#12436D", line_type = "12"),
  "CplD: memory answers" = c(colour = "#12436D", line_type = "solid"),
  "a message of the network" = c(colour = "grey50", line_type = "62")
)

# Where lanes are, by side and end.
sequence_places <- c(
  "requester cpu" = 1.2, "requester device" = 2.3, "responder device" = 2.65, "responder cpu" = 3.75
)

# Each row with its `sequence`: the operation as the strip of its panel says it, in the
# order of the table.
with_sequences <- function(table) {
  # A machine or link is in the strip where there are several.
  link <- if (uniqueN(pcie_link(table)) > 1) paste0(", ", pcie_link(table)) else ""
  text <- paste0(sequence_title(table), link)
  table <- copy(table)
  set(table, j = "sequence", value = factor(text, unique(text)))
  # Rows of two operations in one panel would be one operation's.
  check_key(table, c("sequence", "step"), "the table of transactions, at the levels asked for")
  table[order(table$sequence, table$step)]
}

sequence_title <- function(table) {
  operation <- as.character(table$operation)
  received <- operation == "recv"
  placed <- !is.na(table$payload) & operation %in% c("write", "send", "recv")
  bytes <- fifelse(
    table$access_bytes == 0, "header-only",
    paste0(
      format_number(table$access_bytes), " B",
      fifelse(placed, c(inline = " inline", pointer = " by pointer")[table$payload], "")
    )
  )
  posted <- fcase(
    received & table$batch == 1, "", received, sprintf(", %d WQEs at once", table$batch),
    table$post == "mmio", ", by MMIO", table$batch == 1, ", by Doorbell",
    table$batch > 1, sprintf(", %d a Doorbell", table$batch)
  )
  signaled <- fcase(
    received, "", is.na(table$signal_every), ", unsignaled", table$signal_every == 1, ", signaled",
    table$signal_every > 1, sprintf(", 1 in %d signaled", table$signal_every)
  )
  # Only datagrams depend on it.
  network <- fifelse(
    table$transport == "ud", paste0(" on ", network_names[as.character(table$link_layer)]), ""
  )
  paste0(
    verb_names[operation], " over ", toupper(table$transport), network, "\n", bytes, posted,
    signaled
  )
}

# An arrow a row: from `x` to `xend` at `y`, its `label`, and beside its lane the `purpose`.
transaction_arrows <- function(table) {
  place <- function(end) unname(sequence_places[paste(table$side, end)])
  other <- fifelse(table$sent_by == "cpu", "device", "cpu")
  look <- fcase(
    table$transaction == "mrd", 3L, table$transaction == "cpld", 4L, table$started_by == "cpu", 1L,
    table$transaction == "mwr", 2L
  )
  arrows <- table[, c(
    "sequence", "step", "side", "sent_by", "once_in_operations", "packets", "data_bytes",
    "header_bytes"
  )]
  arrows$x <- place(table$sent_by)
  arrows$xend <- place(other)
  arrows$y <- ave(arrows$step, arrows$sequence, FUN = seq_along)
  arrows$series <- factor(names(sequence_looks)[look], names(sequence_looks))
  data <- fifelse(table$data_bytes > 0, paste0(format_number(table$data_bytes), " + "), "")
  arrows$label <- paste0(
    fifelse(table$packets > 1, paste0(format_number(table$packets), " \u00d7 "), ""),
    transaction_names[as.character(table$transaction)], " ", data, format_number(table$header_bytes)
  )
  named <- paste(table$sequence, table$side, table$purpose)
  purpose <- fifelse(
    table$purpose == "datagram-write" & table$access_bytes == 0, "header",
    purpose_names[as.character(table$purpose)]
  )
  often <- fifelse(
    table$once_in_operations > 1, sprintf(", 1 in %d", table$once_in_operations), ""
  )
  # Once for the packets of a transfer.
  first <- c(TRUE, named[-1] != named[-length(named)])
  arrows$purpose <- fifelse(first, paste0(purpose, often), "")
  arrows
}

# From card to card where the next packets are at the other side.
network_arrows <- function(arrows) {
  last <- nrow(arrows)
  leaves <- which(
    arrows$sequence[-last] == arrows$sequence[-1] & arrows$side[-last] != arrows$side[-1]
  )
  card <- function(rows) unname(sequence_places[paste(arrows$side[rows], "device")])
  data.table(
    sequence = arrows$sequence[leaves], x = card(leaves), xend = card(leaves + 1),
    y = arrows$y[leaves] + 0.1, yend = arrows$y[leaves + 1] - 0.1,
    series = factor(rep(names(sequence_looks)[5], length(leaves)), names(sequence_looks))
  )
}

# The lanes of the sides that each sequence has, down to its last arrow.
sequence_lanes <- function(arrows) {
  lanes <- arrows[, list(bottom = max(.SD$y)), by = "sequence"]
  lanes <- merge(unique(arrows[, c("sequence", "side")]), lanes, by = "sequence")
  lanes <- lanes[rep(seq_len(nrow(lanes)), each = 2)]
  lanes$end <- rep_len(c("cpu", "device"), nrow(lanes))
  lanes$x <- unname(sequence_places[paste(lanes$side, lanes$end)])
  lanes$name <- fifelse(lanes$end == "cpu", paste0(lanes$side, ":\nCPU, memory"), "card")
  lanes
}

# What an operation takes of the link at a side on average, both ways.
sides_taken <- function(arrows) {
  bytes <- arrows$packets * (arrows$data_bytes + arrows$header_bytes) / arrows$once_in_operations
  taken <- data.table(
    sequence = arrows$sequence, side = arrows$side,
    to_card = fifelse(arrows$sent_by == "cpu", bytes, 0),
    to_memory = fifelse(arrows$sent_by == "device", bytes, 0)
  )
  taken <- taken[, lapply(.SD, sum), by = c("sequence", "side")]
  taken$x <- vapply(as.character(taken$side), function(side) {
    mean(sequence_places[paste(side, c("cpu", "device"))])
  }, 1)
  bottom <- arrows[, list(y = max(.SD$y)), by = "sequence"]
  taken$y <- bottom$y[match(taken$sequence, bottom$sequence)]
  number <- function(value) format_number(round(value, 1))
  taken$label <- sprintf("%s to card, %s back", number(taken$to_card), number(taken$to_memory))
  taken
}
