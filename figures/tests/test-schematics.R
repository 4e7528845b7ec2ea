# The schematics that are drawn of `onesided pcie`'s tables: sequences of packets, verbs by
# transport, hardware of hosts.

stored_schematic <- function(table, figure) {
  path <- arithmetic(table)
  skip_if_not(file.exists(path), paste("no", path))
  read_pcie(path, of_figure("tables", figure)()[[1]])
}

stored_transactions <- function() stored_schematic("pcie-transactions", "verb-transactions")
stored_verbs <- function() stored_schematic("pcie-verbs", "verbs-by-transport")
stored_hosts <- function() stored_schematic("pcie-hosts", "node-hardware")

# The arrows of the one sequence whose strip is like `pattern`.
arrows_of <- function(table, pattern) {
  arrows <- transaction_arrows(with_sequences(table))
  found <- arrows[grepl(pattern, arrows$sequence)]
  expect_equal(uniqueN(found$sequence), 1)
  found
}

test_that("a sequence has the arrows of its rows, from the sender to the other end", {
  read <- arrows_of(stored_transactions(), "^READ")
  expect_equal(read$y, 1:5)
  expect_equal(read$label, c(
    "MWr 64 + 26", "MRd 26", "CplD 64 + 22", "MWr 64 + 26", "MWr 64 + 26"
  ))
  expect_equal(read$purpose, c("WQE", "payload", "", "payload", "completion"))
  expect_equal(as.character(read$side), c("requester", "responder")[c(1, 2, 2, 1, 1)])
  # To the card, back from the card, to it, and twice back.
  lanes <- function(x) names(sequence_places)[match(x, sequence_places)]
  expect_equal(lanes(read$x), c(
    "requester cpu", "responder device", "responder cpu", "requester device", "requester device"
  ))
  expect_equal(lanes(read$xend), c(
    "requester device", "responder cpu", "responder device", "requester cpu", "requester cpu"
  ))
  expect_equal(match(as.character(read$series), names(sequence_looks)), c(1, 3, 4, 2, 2))
  # The message goes there and its answer comes back.
  network <- network_arrows(read)
  expect_equal(lanes(network$x), c("requester device", "responder device"))
  expect_equal(lanes(network$xend), c("responder device", "requester device"))
})

test_that("a datagram without payload is one DMA write on InfiniBand and two on Ethernet", {
  table <- stored_transactions()
  written <- function(network) {
    arrows <- arrows_of(table, paste0("^SEND.* over UD on ", network, ".*\nheader-only"))
    arrows$purpose[arrows$side == "responder" & grepl("^MWr", arrows$label)]
  }
  expect_equal(written("InfiniBand"), "completion")
  expect_equal(written("Ethernet"), c("header", "completion"))
  figure <- draw_verb_transactions(table)
  expect_match(
    caption_of(figure),
    paste(
      "received over InfiniBand in 1 DMA write, over Ethernet (RoCE) in 2 DMA writes, as a header",
      "of 40 bytes comes with it."
    ),
    fixed = TRUE
  )
  # The picture has it, too, and not only the file beside it.
  expect_match(flat(figure$caption), "over Ethernet (RoCE) in 2 DMA writes", fixed = TRUE)
})

test_that("sums of a panel are those of the table of operations", {
  arrows <- transaction_arrows(with_sequences(stored_transactions()))
  taken <- sides_taken(arrows)
  operations <- read_pcie(arithmetic("pcie-operations"), c(
    "operation", "transport", "access_bytes", "side", "post", "batch", "payload", "signal_every",
    "cpu_to_device_bytes", "device_to_cpu_bytes"
  ))
  expected <- operations[
    operations$profile == "atc16-cib" & operations$operation == "send" &
      operations$access_bytes == 60 & operations$batch == 16
  ]
  expect_equal(nrow(expected), 1)
  sent <- taken[grepl("60 B inline, 16 a Doorbell", taken$sequence) & taken$side == "requester"]
  expect_equal(sent$to_card, expected$cpu_to_device_bytes)
  expect_equal(sent$to_memory, expected$device_to_cpu_bytes)
  expect_equal(nrow(taken), sum(tapply(arrows$side, droplevels(arrows$sequence), uniqueN)))
})

test_that("every arrow is drawn, with its words inside the picture and in the text beside it", {
  figure <- draw_verb_transactions(stored_transactions())
  arrows <- transaction_arrows(with_sequences(stored_transactions()))
  drawn <- layer_data(figure$plot, 2)
  expect_equal(nrow(drawn), nrow(arrows) + nrow(network_arrows(arrows)))
  expect_equal(nrow(layout_of(figure)), nlevels(arrows$sequence))
  layers <- seq_along(figure$plot$layers)
  labels <- unlist(lapply(layers, function(k) layer_data(figure$plot, k)$label))
  expect_true(all(arrows$label %in% labels))
  said <- paste(figure$text, collapse = " ")
  expect_match(
    said,
    "READ over RC, 64 B, by MMIO, signaled: at the requester WQE: MWr 64 + 26 B to the card",
    fixed = TRUE
  )
  expect_false(grepl("Plot of", said, fixed = TRUE))
  expect_match(figure$plot$labels$subtitle, "not a measurement", fixed = TRUE)
})

test_that("two operations that a strip does not tell apart are refused, not laid over each other", {
  rows <- stored_transactions()
  other <- copy(rows)[, completion_bytes := 32]
  expect_error(draw_verb_transactions(rbind(rows, other)), "more than once", class = "figure_error")
  expect_error(
    draw_verb_transactions(rows, list(operation = "recv", transport = "rc")), "no run has",
    class = "nothing_to_draw"
  )
  wrong <- copy(rows)[, purpose := "snoop"]
  expect_error(read_pcie(write_fixture(wrong), "purpose"), "'snoop'", class = "figure_error")
})

test_that("verbs are told by transport, with the header that Ethernet adds to a datagram", {
  figure <- draw_verbs_by_transport(stored_verbs())
  tiles <- figure$plot$data
  label <- function(verb, transport, network) {
    tiles$label[
      tiles$operation == verb & tiles$transport == transport & tiles$link_layer == network
    ]
  }
  expect_equal(label("read", "ud", "infiniband"), "not carried")
  expect_equal(label("write", "uc", "infiniband"), "header 36 B\n\u2264 972 B inline")
  expect_equal(label("recv", "ud", "infiniband"), "16 B\n\u2264 64 B inline")
  expect_equal(label("recv", "ud", "ethernet"), "16 B\n\u2264 24 B inline\n+ 40 B received")
  expect_equal(sum(tiles$label == "not carried"), 2 * (3 + 4))
  expect_match(caption_of(figure), "+ 40 B received: over Ethernet (RoCE)", fixed = TRUE)
})

test_that("hardware shows what is stated, and says of the rest that it is not", {
  figure <- draw_node_hardware(stored_hosts())
  said <- paste(figure$text, collapse = " ")
  expect_match(
    said,
    paste(
      "atc16-cib: Kalia et al.: cluster CIB: Intel Xeon E5-2683 v3; PCI Express 3.0 x16 (126",
      "Gb/s); Connect-IB, 2 ports; 2 \u00d7 56 Gb/s (112 Gb/s); network, InfiniBand."
    ),
    fixed = TRUE
  )
  expect_match(said, "PCI Express (not stated); ConnectX-3; a port (56 Gb/s)", fixed = TRUE)
  links <- layer_data(figure$plot, 1)
  # As wide as they carry: PCI Express of Connect-IB 126 Gb/s, of ConnectX 32 Gb/s.
  widths <- sort(unique(links$linewidth), decreasing = TRUE)
  expect_equal(widths[1] / links$linewidth[links$PANEL == 1][1], 126.0288 / 32)
  expect_equal(sum(links$linetype == "12"), 1)
  expect_match(figure$plot$labels$subtitle, "stated in a paper's text", fixed = TRUE)
})
