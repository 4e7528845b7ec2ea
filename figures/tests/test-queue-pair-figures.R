latency_of <- function(runs) draw_latency_by_queue_pairs(read_fixture(runs))
throughput_of <- function(runs) draw_throughput_by_queue_pairs(read_fixture(runs))

# Layers in drawing order: lines, intervals, single runs, means.
means_of <- function(figure) layer_data(figure$plot, 4)
flat <- function(text) gsub("\n", " ", text)

one_curve <- function(...) {
  fixture_runs(operation = "read", access_bytes = 64, locality = "rdma-local", ...)
}

test_that("the latency figure draws means over replicates in microseconds", {
  runs <- one_curve(queue_pairs = 2, loop = "closed")
  runs[, latency_mean_ns := c(10000, 12000, 14000)]
  figure <- latency_of(runs)
  expect_equal(means_of(figure)$y, 12)
  bar <- layer_data(figure$plot, 2)
  expect_equal(bar$ymin, 7.031725, tolerance = 1e-6)
  expect_equal(bar$ymax, 16.968275, tolerance = 1e-6)
  expect_equal(sort(layer_data(figure$plot, 3)$y), c(10, 12, 14))
  expect_equal(figure$plot$labels$title, "Completion latency by queue pairs, closed loop")
  y <- Filter(function(scale) "y" %in% scale$aesthetics, figure$plot$scales$scales)[[1]]
  expect_equal(y$name, "Mean completion latency (\u00b5s)")
})

test_that("the latency figure draws closed-loop runs only, throughput saturating ones only", {
  runs <- one_curve(queue_pairs = 1, replicate = 1)
  runs[, latency_mean_ns := fifelse(loop == "closed", 3000, 9000)]
  runs[, throughput_ops := fifelse(loop == "closed", 1e6, 5e6)]
  expect_equal(means_of(latency_of(runs))$y, 3)
  expect_equal(means_of(throughput_of(runs))$y, 5)
})

test_that("throughput is drawn in the unit that its axis names", {
  runs <- one_curve(queue_pairs = 1, replicate = 1, loop = "saturating")
  runs[, throughput_ops := 42000]
  figure <- throughput_of(runs)
  expect_equal(means_of(figure)$y, 42)
  y <- Filter(function(scale) "y" %in% scale$aesthetics, figure$plot$scales$scales)[[1]]
  expect_equal(y$name, "Throughput (k ops/s)")
})

test_that("both figures have an axis from 0", {
  for (figure in list(latency_of(fixture_runs()), throughput_of(fixture_runs()))) {
    ranges <- lapply(ggplot_build(figure$plot)$layout$panel_params, function(panel) panel$y.range)
    expect_true(all(vapply(ranges, `[`, 0, 1) == 0))
  }
})

test_that("queue pairs stand on a log2 axis with every locality on its own side", {
  figure <- latency_of(fixture_runs(
    queue_pairs = c(1, 8, 24), operation = "read", access_bytes = 64
  ))
  means <- means_of(figure)
  local <- means[means$colour == locality_colours[["rdma-local"]], ]
  expect_equal(sort(local$x), log2(c(1, 8, 24)) - symbol_offset)
  axis <- ggplot_build(figure$plot)$layout$panel_params[[1]]$x
  expect_equal(axis$get_labels()[!is.na(axis$get_breaks())], c("1", "2", "4", "8", "16", "32"))
})

test_that("a locality has the same look in both figures, whichever others are there", {
  for (draw in list(latency_of, throughput_of)) {
    alone <- draw(fixture_runs(locality = "rdma-remote"))
    expect_equal(unique(means_of(alone)$colour), locality_colours[["rdma-remote"]])
    expect_equal(unique(means_of(alone)$shape), locality_shapes[["rdma-remote"]])
    expect_equal(
      unique(layer_data(alone$plot, 1)$linetype), locality_line_types[["rdma-remote"]]
    )
    expect_setequal(
      means_of(draw(fixture_runs()))$colour, locality_colours[c("rdma-local", "rdma-remote")]
    )
  }
})

test_that("a table of one locality is drawn and the absence said", {
  figure <- latency_of(fixture_runs(locality = "rdma-local"))
  expect_match(figure$plot$labels$caption, "No RDMA-remote runs in this table.", fixed = TRUE)
})

test_that("a locality alone has its means at the very number of queue pairs", {
  figure <- latency_of(one_curve(queue_pairs = c(1, 4)))
  expect_equal(sort(means_of(figure)$x), c(0, 2))
})

test_that("every line of text and every row of panels adds to the height", {
  short <- latency_of(fixture_runs(operation = "read"))
  tall <- latency_of(fixture_runs(operation = c("read", "write", "send")))
  expect_gt(tall$height_in, short$height_in + 2)
  noted <- fixture_runs(operation = "read")
  noted[, threads := queue_pairs]
  expect_gt(latency_of(noted)$height_in, short$height_in)
})

test_that("panels are operations by access sizes, sizes in numeric order", {
  figure <- latency_of(fixture_runs(access_bytes = c(1024, 8, 64)))
  layout <- ggplot_build(figure$plot)$layout$layout
  expect_equal(levels(layout$access), c("8 B", "64 B", "1024 B"))
  expect_equal(nrow(layout), 6)
})

test_that("two sources get rows of their own, and every run is in its own row", {
  measured <- fixture_runs(fixed = list(source = "measured", nic = "mlx5_0", profile = "cx4"))
  figure <- latency_of(rbind(fixture_runs(), measured))
  layout <- ggplot_build(figure$plot)$layout$layout
  expect_setequal(layout$variant, c("measured", "soft-roce"))
  expect_match(flat(figure$plot$labels$subtitle), "source: measured.*source: soft-roce")
  expect_match(figure$plot$labels$caption, "(n = 3)", fixed = TRUE)
})

test_that("invalid runs are not drawn but counted in the caption", {
  runs <- one_curve(queue_pairs = 1, loop = "closed")
  runs[, latency_mean_ns := c(2000, 2200, 99000)]
  runs[3, valid := "false"]
  figure <- latency_of(runs)
  expect_equal(means_of(figure)$y, 2.1)
  expect_equal(sort(layer_data(figure$plot, 3)$y), c(2, 2.2))
  expect_match(flat(figure$plot$labels$caption), "1 of 3 runs not drawn: 1 marked invalid")
  expect_match(flat(figure$plot$labels$caption), "No intervals: fewer than 3 runs a point")
})

test_that("an interval below 0 is cut there and the caption says so", {
  runs <- one_curve(queue_pairs = 1, loop = "closed")
  runs[, latency_mean_ns := c(100, 200, 3000)]
  figure <- latency_of(runs)
  expect_equal(layer_data(figure$plot, 2)$ymin, 0)
  expect_match(flat(figure$plot$labels$caption), "Intervals are cut at 0.", fixed = TRUE)
})

test_that("the source stands in the subtitle of both figures", {
  expected <- "source: soft-roce, back end verbs on rdma_rxe: function only, no performance claim"
  expect_equal(flat(latency_of(fixture_runs())$plot$labels$subtitle), expected)
  expect_equal(flat(throughput_of(fixture_runs())$plot$labels$subtitle), expected)
})

test_that("more rows of panels than a page holds are refused with advice", {
  many <- rbindlist(lapply(1:7, function(k) {
    fixture_runs(loop = "closed", fixed = list(mtu_bytes = 2^(6 + k)))[
      , run_id := paste0(run_id, "-", k)
    ]
  }))
  expect_error(latency_of(many), "needs 14 rows .* --experiment", class = "figure_error")
})
