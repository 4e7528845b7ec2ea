# The tables of `onesided pcie`, which computes them: nothing in them is measured.

pcie_kinds <- c(
  "pcie-transfers", "pcie-operations", "pcie-transactions", "pcie-verbs", "pcie-hosts"
)

pcie_levels <- levels_of(pcie_kinds, c(
  "source", "transfer", "operation", "transport", "side", "post", "link_layer", "purpose",
  "transaction", "started_by", "sent_by"
))

# What tells rows of these tables apart, as far as a table has it.
pcie_key <- c(
  "source", "back_end", "profile", "pcie_generation", "pcie_lanes", "read_completion_bytes",
  "max_payload_bytes", "max_read_request_bytes", "transfer", "operation", "transport",
  "access_bytes", "payload", "post", "batch", "signal_every", "completion_bytes", "link_layer",
  "side", "step", "host", "card"
)

# `path`: a file, or several joined by commas, such as of several machines.
read_pcie <- function(path, columns = character()) {
  paths <- if (file.exists(path)) path else strsplit(path, ",", fixed = TRUE)[[1]]
  tables <- lapply(paths, function(one) {
    read_table(pcie_kinds, one, c("source", columns), pcie_levels, pcie_key, pcie_key)
  })
  table <- rbindlist(tables, use.names = TRUE, fill = TRUE)
  check_key(table, pcie_key, path)
  if ("carried" %in% names(table)) {
    set(table, j = "carried", value = as_truth(table$carried, "carried", path))
  }
  table
}

# The columns of a link, which most of these tables have.
pcie_link_columns <- c("back_end", "pcie_generation", "pcie_lanes")

# The link of each row, as captions name it.
pcie_link <- function(table) {
  sprintf("PCI Express %d.0 x%d", table$pcie_generation, table$pcie_lanes)
}

# The figure of `lines` (series, x, value, and link where there are several), with the
# series in the order of `looks` (colour and line type by series). Steps are drawn as
# such: a value holds from its size on.
pcie_plot <- function(lines, table, looks, axes, title, notes) {
  present <- intersect(names(looks), lines$series)
  lines$series <- factor(lines$series, present)
  links <- unique(lines$link)
  guide <- guide_legend(ncol = 2)
  values <- function(look) vapply(looks[present], `[[`, "", look)
  plot <- ggplot(lines, aes(
    .data$x, .data$value,
    colour = .data$series, linetype = .data$series
  )) +
    geom_step(linewidth = 0.5) +
    facet_wrap(vars(.data$link), ncol = 2) +
    scale_x_continuous(
      name = axes$x, breaks = pcie_breaks(lines$x), minor_breaks = NULL, labels = format_number
    ) +
    from_zero(axes$y) +
    scale_colour_manual(name = NULL, values = values("colour"), guide = guide) +
    scale_linetype_manual(name = NULL, values = values("line_type"), guide = guide)
  with_text(
    plot, table, title, notes, panels_width(min(2, length(links))) + 2,
    1.5 * ceiling(length(links) / 2), origin_statement(table), ceiling(length(present) / 2)
  )
}

# Marks at whole cache lines, not more than a dozen.
pcie_breaks <- function(bytes) {
  line <- 64
  step <- line * ceiling(max(bytes) / line / 12)
  seq(0, max(bytes), by = step)
}

# Each number once, as words of a caption.
listed_numbers <- function(numbers) {
  paste(format_number(sort(unique(numbers))), collapse = " or ")
}
