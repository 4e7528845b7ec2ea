# The tables that `onesided pcie` computes, as figures show them.

stored_transfers <- function() {
  path <- arithmetic("pcie-transfers")
  skip_if_not(file.exists(path), paste("no", path))
  read_pcie(path, tables_pcie_bytes()[[1]])
}

stored_operations <- function() {
  path <- arithmetic("pcie-operations")
  skip_if_not(file.exists(path), paste("no", path))
  read_pcie(path, tables_send_limits()[[1]])
}

# What is drawn of a series, by its number in the legend.
series_of <- function(figure, number) {
  data <- figure$plot$data
  data[as.integer(data$series) == number]
}

test_that("DMA takes less from the CPU than MMIO at every size, and steps where packets end", {
  figure <- draw_pcie_bytes(stored_transfers())
  mmio <- series_of(figure, 1)
  dma <- series_of(figure, 2)
  expect_equal(mmio$x, dma$x)
  expect_true(all(dma$value < mmio$value))
  expect_equal(mmio$value[mmio$x %in% c(64, 65)], c(90, 180))
  expect_equal(dma$value[dma$x %in% c(128, 129)], c(150, 173))
  expect_match(caption_of(figure), "at most 128 bytes", fixed = TRUE)
})

test_that("limits are the paper's: 87.5 million by MMIO, 105 million WQEs of 2 cache lines", {
  figure <- draw_send_limits(stored_operations())
  at <- function(number, bytes) {
    series <- series_of(figure, number)
    series$value[series$x == bytes]
  }
  expect_equal(at(1, 60), 87.52)
  expect_equal(at(1, 0), 175.04)
  expect_equal(at(2, 60), 105.024)
  expect_lt(at(3, 60), at(2, 60))
  expect_match(caption_of(figure), "SENDs over UD", fixed = TRUE)
  expect_match(caption_of(figure), "16 a Doorbell", fixed = TRUE)
})

test_that("what is computed is not called a measurement", {
  for (figure in list(draw_pcie_bytes(stored_transfers()), draw_send_limits(stored_operations()))) {
    expect_equal(
      flat(figure$plot$labels$subtitle),
      "source: simulated, back end pcie, profile atc16-cib: output of a model, not a measurement"
    )
    expect_equal(as.character(layout_of(figure)$link), "PCI Express 3.0 x16")
  }
})

test_that("two machines are panels beside each other", {
  rows <- stored_transfers()
  other <- copy(rows)[, `:=`(profile = "atc16-cx3", pcie_lanes = 8)]
  figure <- draw_pcie_bytes(read_pcie(paste(
    write_fixture(rows), write_fixture(other),
    sep = ","
  ), tables_pcie_bytes()[[1]]))
  expect_equal(nrow(layout_of(figure)), 2)
})

test_that("a table without SENDs, a row that stands there twice and a wrong word are refused", {
  rows <- stored_operations()
  expect_error(
    draw_send_limits(copy(rows)[, operation := "write"]), "no run has operation send",
    class = "nothing_to_draw"
  )
  expect_error(read_pcie(write_fixture(rbind(rows, rows[1]))), class = "figure_error")
  wrong <- copy(rows)[, post := "blueflame"]
  expect_error(read_pcie(write_fixture(wrong)), "'blueflame'", class = "figure_error")
})
