# The table that `onesided memory-latency` writes: more than the figure of idle memory
# draws.

measured_latencies <- function(latency_ns = c(90, 140, 141, 91)) {
  data.table(
    schema_version = versions_of("memory-latency"), source = "measured", profile = "two-nodes",
    cpu_node = c(0, 0, 1, 1), memory_node = c(0, 1, 0, 1), latency_ns = latency_ns,
    latency_low_ns = latency_ns - 50, latency_high_ns = latency_ns + 500, replicate = 1,
    part = "matrix", working_set_bytes = 2^29, load_threads = 0
  )
}

stated_latencies <- function() {
  data.table(
    source = "published", profile = "four-sockets", cpu_node = c(0, 1), memory_node = c(0, 0),
    latency_ns = c(99.4, NA), latency_low_ns = c(NA, 131.2), latency_high_ns = c(NA, 145.6)
  )
}

labels_of <- function(figure) layer_data(figure$plot, 2)$label

test_that("sweeps of working sets and memory under load stay out of the tiles", {
  idle <- measured_latencies()
  swept <- copy(idle)[1][rep(1, 2)][, `:=`(part = "sweep", working_set_bytes = c(4096, 2^29))]
  swept[, `:=`(latency_ns = 1, latency_low_ns = 1, latency_high_ns = 1)]
  loaded <- copy(idle)[, `:=`(load_threads = 8, latency_ns = 700, latency_high_ns = 700)]
  figure <- draw_memory_latency(read_memory_latency(write_fixture(rbind(idle, swept, loaded))))
  expect_equal(labels_of(figure), c("90.0", "140.0", "141.0", "91.0"))
  expect_error(
    read_memory_latency(write_fixture(rbind(swept, loaded))), "no matrix of idle memory",
    class = "nothing_to_draw"
  )
})

test_that("quartiles of what was measured are no range, and do not stretch the scale", {
  figure <- draw_memory_latency(read_memory_latency(write_fixture(measured_latencies())))
  expect_equal(figure$plot$scales$get_scales("fill")$limits, c(90, 141))
  expect_no_match(caption_of(figure), "range")
})

test_that("what is stated and what was measured are panels beside each other", {
  paths <- c(write_fixture(stated_latencies()), write_fixture(measured_latencies()))
  figure <- draw_memory_latency(read_memory_latency(paste(paths, collapse = ",")))
  machines <- as.character(layout_of(figure)$machine)
  expect_equal(sort(machines), c("measured: two-nodes", "published: four-sockets"))
  expect_match(caption_of(figure), "as the study's text states it")
  expect_match(caption_of(figure), "median of the replicates (n = 1)", fixed = TRUE)
  twice <- paste(paths[2], paths[2], sep = ",")
  expect_error(read_memory_latency(twice), "stands there more than once", class = "figure_error")
})

test_that("a part that is none is refused", {
  rows <- measured_latencies()[, part := "matrices"]
  expect_error(
    read_memory_latency(write_fixture(rows)), "column 'part' has 'matrices'",
    class = "figure_error"
  )
})
