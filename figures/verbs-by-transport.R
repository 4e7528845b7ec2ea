# Which transport carries which verb, and how long a request is before its payload (Table 1
# of Kalia et al.), and what the network adds to a datagram that is received.

carried_colours <- c("carried" = "#DCE6F0", "not carried" = "white")

# Returns the figure of the verbs of a table.
draw_verbs_by_transport <- function(pcie_verbs, at = list()) {
  table <- selected(pcie_verbs, at = at)
  # Here a SEND has no RECV at its other end.
  verbs <- replace(verb_names, "send", "SEND")
  table <- copy(table)[, `:=`(
    verb = factor(verbs[as.character(operation)], rev(verbs)),
    column = factor(toupper(transport), c("RC", "UC", "UD")),
    network = factor(network_names[as.character(link_layer)], network_names),
    state = fifelse(carried, "carried", "not carried")
  )]
  table$label <- verb_labels(table)
  plot <- ggplot(table, aes(.data$column, .data$verb)) +
    geom_tile(aes(fill = .data$state), colour = "grey60", linewidth = 0.3) +
    geom_text(aes(label = .data$label), size = 2.1, family = figure_font, lineheight = 1) +
    facet_wrap(vars(.data$network), ncol = 2) +
    scale_x_discrete(name = "Transport", expand = expansion()) +
    scale_y_discrete(name = "Verb", expand = expansion()) +
    scale_fill_manual(name = NULL, values = carried_colours)
  with_text(
    plot, table, "Verbs by transport, and the headers of their requests",
    c(
      paste(
        "Bytes of a work queue element before its payload, and the longest payload inlined in it",
        "(of a RECV: in its completion)."
      ),
      received_note(table),
      "Kalia et al., Table 1; limits of what is inlined: ours, from rdma-core."
    ),
    8.5, 2.3 * ceiling(uniqueN(table$network) / 2),
    seen = verbs_in_words(table)
  )
}

verb_labels <- function(table) {
  received <- table$operation == "recv"
  received_header <- fcoalesce(table$received_header_bytes, 0)
  lines <- paste0(
    fifelse(received, "", "header "), table$wqe_header_bytes, " B",
    fifelse(
      is.na(table$inline_limit_bytes), "",
      sprintf("\n\u2264 %s B inline", format_number(table$inline_limit_bytes))
    ),
    fifelse(received_header > 0, sprintf("\n+ %d B received", received_header), "")
  )
  fifelse(table$carried, lines, "not carried")
}

# What comes before the payload of a datagram.
received_note <- function(table) {
  with_header <- table[!is.na(table$received_header_bytes) & table$received_header_bytes > 0]
  if (nrow(with_header) == 0) {
    return(NULL)
  }
  sprintf(
    "+ %s B received: over %s the network's header is written before a datagram's payload.",
    listed_numbers(with_header$received_header_bytes),
    paste(unique(as.character(with_header$network)), collapse = ", ")
  )
}

verbs_in_words <- function(table) {
  said <- sprintf(
    "%s over %s on %s: %s", table$verb, table$column, table$network,
    gsub("\n", ", ", table$label, fixed = TRUE)
  )
  paste0(paste(said, collapse = "; "), ".")
}

tables_verbs_by_transport <- function() {
  list("pcie-verbs" = c(
    "operation", "transport", "link_layer", "carried", "wqe_header_bytes", "inline_limit_bytes",
    "received_header_bytes"
  ))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
