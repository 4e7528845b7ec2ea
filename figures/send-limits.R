# Most SENDs a second that PCI Express allows, by payload: when does a Doorbell for
# several beat storing each of them to the card? (The limits in Fig 11a of Kalia et al.)

send_limits_looks <- list(
  "by MMIO: cache lines stored" = c(colour = "#E07B1A", line_type = "42"),
  "by Doorbell: requests fetched" = c(colour = "#12436D", line_type = "solid"),
  "by Doorbell: fetched and rung for" = c(colour = "#A66FB5", line_type = "12")
)

# Which column of which rows a series is.
send_limits_of <- list(
  c("mmio", "write_combining_limit_ops"), c("doorbell", "wqe_fetch_limit_ops"),
  c("doorbell", "cpu_to_device_limit_ops")
)

# Returns the figure of the operations of a table.
draw_send_limits <- function(pcie_operations, at = list()) {
  table <- selected(pcie_operations, list(operation = "send", side = "requester"), at = at)
  parts <- lapply(seq_along(send_limits_of), function(k) {
    post <- send_limits_of[[k]][1]
    limits <- table[[send_limits_of[[k]][2]]]
    rows <- which(table$post == post & !is.na(limits))
    data.table(
      series = rep(names(send_limits_looks)[k], length(rows)), x = table$access_bytes[rows],
      value = limits[rows] / 1e6, link = pcie_link(table[rows])
    )
  })
  lines <- rbindlist(parts)
  if (nrow(lines) == 0) refuse_absent("the table has no limit of a SEND: nothing to draw")
  rung <- table$batch[table$post == "doorbell"]
  pcie_plot(
    lines, table, send_limits_looks,
    list(x = "Bytes of payload, inlined", y = "M SENDs/s at most"),
    "Limits of PCI Express to SENDs by payload",
    paste0(
      "SENDs over ", paste(toupper(unique(table$transport)), collapse = ", "),
      if (length(rung) > 0) paste0(", ", listed_numbers(rung), " a Doorbell"), ". ",
      "Computed upper bounds, as in Kalia et al., section 5.2.1, whose limit by Doorbell leaves ",
      "out the Doorbells themselves. The card has limits of its own."
    )
  )
}

tables_send_limits <- function() {
  list("pcie-operations" = c(
    pcie_link_columns, "access_bytes", "operation", "transport", "side", "post", "batch",
    "write_combining_limit_ops", "wqe_fetch_limit_ops", "cpu_to_device_limit_ops"
  ))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
