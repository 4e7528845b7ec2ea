test_that("nanoseconds become microseconds", {
  expect_equal(microseconds(c(2300, NA)), c(2.3, NA))
})

test_that("the unit of throughput follows the largest value", {
  expect_equal(throughput_unit(c(5, 6.1e6)), list(per = 1e6, name = "M ops/s"))
  expect_equal(throughput_unit(c(5, 4.2e4))$per, 1e3)
  expect_equal(throughput_unit(c(5, 42)), list(per = 1, name = "ops/s"))
})

test_that("sizes read as people write them", {
  expect_equal(
    size_label(c(8, 64, 1000, 1024, 4096, 5000, 65536, 2^20, 3 * 2^20)),
    c("8 B", "64 B", "1000 B", "1024 B", "4 KiB", "5000 B", "64 KiB", "1 MiB", "3 MiB")
  )
})

test_that("times read as people say them", {
  expect_equal(time_label(c(300, 1e4, 3e6)), c("300 ns", "10 \u00b5s", "3 ms"))
})

test_that("numbers have no exponent, padding or trailing zeros", {
  expect_equal(format_number(c(1e5, 0.25, 3, 1e6)), c("100000", "0.25", "3", "1000000"))
})

test_that("sizes chosen by powers of ten read so", {
  expect_equal(
    decimal_size_label(c(800, 8e3, 8e6, 8e9, NA)),
    c("800 B", "8 kB", "8 MB", "8 GB", "unknown size")
  )
})
