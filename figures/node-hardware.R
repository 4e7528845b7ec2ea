# What is between processor and network in the hosts of several machines, and how much each
# link carries: which of them is the narrower? (Fig 1 of Kalia et al.)

# Returns the figure of the hosts of a table.
draw_node_hardware <- function(pcie_hosts, at = list()) {
  table <- hardware_rows(selected(pcie_hosts, at = at))
  links <- hardware_links(table)
  boxes <- hardware_boxes(table)
  with_text(
    hardware_plot(boxes, links), table, "Between processor and network", c(
      paste(
        "Widths of lines: bits per second each way, of all ports together; dotted: not stated. Of",
        "PCI Express lanes times the bandwidth of a lane, computed; of networks the rate by name."
      ),
      paste0("Facts: ", paste(unique(table$facts_from), collapse = "; "), ".")
    ),
    7.2, 0.52 * nrow(table), origin_statement(table, hardware_meaning()),
    seen = hardware_in_words(boxes, links)
  )
}

hardware_plot <- function(boxes, links) {
  text <- function(data, mapping, ...) {
    geom_text(mapping, data, size = 2.1, family = figure_font, lineheight = 1, ...)
  }
  ggplot() +
    geom_segment(
      aes(
        .data$x, 0,
        xend = .data$xend, yend = 0, linewidth = .data$width, linetype = .data$state
      ), links,
      colour = "#12436D"
    ) +
    geom_tile(
      aes(.data$x, 0, width = .data$width, height = 1.5), boxes,
      fill = "#EAF1F7", colour = "grey40", linewidth = 0.3
    ) +
    text(boxes, aes(.data$x, 0, label = .data$label)) +
    text(links, aes((.data$x + .data$xend) / 2, 0.42, label = .data$label), vjust = 0) +
    text(links, aes((.data$x + .data$xend) / 2, -0.42, label = .data$carries), vjust = 1) +
    facet_wrap(vars(.data$machine), ncol = 1) +
    scale_x_continuous(name = NULL, breaks = NULL, limits = c(0, 10), expand = expansion()) +
    scale_y_continuous(name = NULL, breaks = NULL, limits = c(-1.1, 1.1), expand = expansion()) +
    scale_linewidth_identity() +
    scale_linetype_manual(
      name = NULL, values = c("stated" = "solid", "not stated" = "12"), guide = "none"
    ) +
    labs(x = NULL, y = NULL)
}

# What each source may be taken for.
hardware_meaning <- function() {
  replace(
    origin_meaning, c("published", "measured"),
    c("stated in a paper's text", "read from the machine")
  )
}

# In units of ggplot2, of which one is 0.75 mm.
widest_link <- 6

not_stated <- function(value, text) fifelse(is.na(value), "not stated", text)

# The hosts with the `machine` of their strip.
hardware_rows <- function(table) {
  more <- function(column, word) {
    fifelse(table[[column]] > 1, sprintf(", %s %d", word, table[[column]]), "")
  }
  machine <- paste0(table$profile, more("host", "host"), more("card", "card"), ": ", table$title)
  table <- copy(table)
  set(table, j = "machine", value = factor(machine, unique(machine)))
  table
}

# Processor, card and network as boxes.
hardware_boxes <- function(table) {
  counted <- function(number, word) {
    fifelse(is.na(number), "", sprintf("\n%s %s", format_number(number), word))
  }
  sockets <- fifelse(is.na(table$sockets), "", paste0(format_number(table$sockets), " \u00d7 "))
  box <- function(x, width, label) data.table(machine = table$machine, x, width, label)
  processor <- not_stated(table$processor_model, paste0(sockets, table$processor_model))
  network <- network_names[as.character(table$link_layer)]
  rbind(
    box(1.3, 2.4, paste0(processor, counted(table$logical_cpus, "logical CPUs"))),
    box(5.4, 1.6, paste0(
      not_stated(table$card_model, table$card_model),
      fifelse(fcoalesce(table$ports, 1) > 1, counted(table$ports, "ports"), "")
    )),
    box(9.2, 1.4, not_stated(network, paste0("network\n", network)))
  )
}

# The links between them, with what they carry.
hardware_links <- function(table) {
  ports <- fcoalesce(table$ports, 1)
  rates <- list(table$pcie_bytes_per_second * 8, table$link_bits_per_second * ports)
  most <- max(unlist(rates), na.rm = TRUE)
  link <- function(x, xend, rate, label) {
    data.table(
      machine = table$machine, x, xend, label,
      carries = not_stated(rate, paste(format_number(round(rate / 1e9, 1)), "Gb/s")),
      width = fcoalesce(widest_link * rate / most, 0.6),
      state = fifelse(is.na(rate), "not stated", "stated")
    )
  }
  a_port <- paste(format_number(table$link_bits_per_second / 1e9), "Gb/s")
  rbind(
    link(2.5, 4.6, rates[[1]], fifelse(
      is.na(table$pcie_lanes), "PCI Express",
      sprintf("PCI Express %.0f.0 x%.0f", table$pcie_generation, table$pcie_lanes)
    )),
    link(6.2, 8.5, rates[[2]], fifelse(ports > 1, paste(ports, "\u00d7", a_port), "a port"))
  )
}

hardware_in_words <- function(boxes, links) {
  vapply(levels(boxes$machine), function(one) {
    box <- gsub("\n", ", ", boxes$label[boxes$machine == one], fixed = TRUE)
    link <- links[links$machine == one]
    carries <- sprintf("%s (%s)", link$label, link$carries)
    sprintf("%s: %s; %s; %s; %s; %s.", one, box[1], carries[1], box[2], carries[2], box[3])
  }, "", USE.NAMES = FALSE)
}

tables_node_hardware <- function() {
  list("pcie-hosts" = c(
    "title", "facts_from", "host", "card", "processor_model", "sockets", "logical_cpus",
    "pcie_generation", "pcie_lanes", "pcie_bytes_per_second", "card_model", "ports", "link_layer",
    "link_bits_per_second"
  ))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
