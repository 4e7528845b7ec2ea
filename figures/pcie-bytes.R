# Bytes from the CPU to the card by the bytes that are transferred: what do a card's
# reads of host memory save beside stores of the CPU? (Fig 2b of Kalia et al.)

pcie_bytes_looks <- list(
  "MMIO: the CPU stores, in cache lines" = c(colour = "#E07B1A", line_type = "42"),
  "DMA: the card reads" = c(colour = "#12436D", line_type = "solid")
)

# Returns the figure of the transfers of a table.
draw_pcie_bytes <- function(pcie_transfers, at = list()) {
  table <- selected(pcie_transfers, list(transfer = c("mmio", "dma-read")), at = at)
  series <- names(pcie_bytes_looks)[match(table$transfer, c("mmio", "dma-read"))]
  lines <- data.table(
    series = series, x = table$access_bytes, value = table$cpu_to_device_bytes,
    link = pcie_link(table)
  )
  pcie_plot(
    lines, table, pcie_bytes_looks,
    list(x = "Bytes that are transferred", y = "Bytes from the CPU to the card"),
    "PCI Express bytes of a transfer by MMIO and by DMA",
    paste(
      "Completions of at most", listed_numbers(table$read_completion_bytes), "bytes. Headers of",
      "packets are counted, those of the link layer are not. Computed as in Kalia et al., section",
      "2.1."
    )
  )
}

tables_pcie_bytes <- function() {
  list("pcie-transfers" = c(
    pcie_link_columns, "transfer", "access_bytes", "read_completion_bytes", "cpu_to_device_bytes"
  ))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
