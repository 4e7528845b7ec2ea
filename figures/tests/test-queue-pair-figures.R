latency_of <- function(runs) draw_latency_by_queue_pairs(read_fixture(runs))
throughput_of <- function(runs) draw_throughput_by_queue_pairs(read_fixture(runs))

one_curve <- function(...) {
  fixture_runs(operation = "read", access_bytes = 64, locality = "rdma-local", ...)
}

test_that("the latency figure draws means over replicates in microseconds", {
  runs <- one_curve(queue_pairs = 2, loop = "closed")
  runs[, latency_mean_ns := c(10000, 12000, 14000)]
  figure <- latency_of(runs)
  expect_equal(means_of(figure)$y, 12)
  bar <- bars_of(figure)
  expect_equal(bar$ymin, 7.031725, tolerance = 1e-6)
  expect_equal(bar$ymax, 16.968275, tolerance = 1e-6)
  expect_equal(sort(singles_of(figure)$y), c(10, 12, 14))
  expect_equal(
    figure$plot$labels$title, "Completion latency by queue pairs, closed loop (the study's Fig 3a)"
  )
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
  figure <- throughput_of(fixture_runs(
    queue_pairs = c(1, 8, 24), operation = "read", access_bytes = 64, loop = "saturating"
  ))
  means <- means_of(figure)
  local <- means[means$colour == locality_colours[["rdma-local"]], ]
  step <- log2(24) / 7
  expect_equal(sort(local$x), log2(c(1, 8, 24)) - symbol_offset * step)
  axis <- ggplot_build(figure$plot)$layout$panel_params[[1]]$x
  expect_equal(axis$get_labels()[!is.na(axis$get_breaks())], c("1", "2", "4", "8", "16"))
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

test_that("every row of panels adds to the height", {
  short <- latency_of(fixture_runs(operation = "read"))
  tall <- latency_of(fixture_runs(operation = c("read", "write", "send")))
  expect_gt(tall$height_in, short$height_in + 2)
})

test_that("a caption has whole notes in their order, as many as fit into three lines", {
  long <- strrep("words ", 60)
  # One behind the other, so that keys of symbols share lines.
  expect_equal(caption_lines(c("one", "two"), 6.4), "one two")
  whole <- wrapped(paste("one", long, "two"), 6.4, figure_text_points - 1.5)
  expect_equal(caption_lines(c("one", long, long, "two"), 6.4), whole)
  expect_lte(length(caption_lines(rep(long, 5), 6.4)), most_caption_lines)
  expect_length(caption_lines(NULL, 6.4), 0)
})

test_that("a grid in which a panel would hold no run is drawn as panels in sequence", {
  points <- data.table(
    variant = factor(c("a", "a", "b", "b")), operation = factor("read"),
    column = factor(c("x", "y", "x", "y"))
  )
  expect_s3_class(panels(points)$facets, "FacetGrid")
  sequence <- panels(points[1:3])
  expect_s3_class(sequence$facets, "FacetWrap")
  expect_equal(c(sequence$rows, sequence$columns), c(1, 3))
})

test_that("panels are operations by access sizes, sizes in numeric order", {
  layout <- layout_of(latency_of(fixture_runs(access_bytes = c(1024, 8, 64))))
  expect_equal(levels(layout$column), paste(c("8 B", "64 B", "1024 B"), "accesses"))
  expect_equal(nrow(layout), 6)
})

test_that("operations stand side by side when there is one access size, which is stated", {
  figure <- latency_of(fixture_runs(access_bytes = 64))
  layout <- layout_of(figure)
  expect_equal(as.character(layout$operation), c("RDMA read", "RDMA write"))
  expect_equal(layout$ROW, c(1, 1))
  expect_match(flat(figure$plot$labels$caption), "64\u00a0B\u00a0accesses")
})

test_that("a latency beyond 16 queue pairs is drawn in ranges, each with all its points", {
  figure <- latency_of(one_curve(queue_pairs = c(1, 8, 16, 32, 128), loop = "closed"))
  layout <- layout_of(figure)
  expect_equal(as.character(layout$range), c("1 to 16", "1 to 32", "1 to 128"))
  expect_equal(as.vector(table(means_of(figure)$PANEL)), c(3, 4, 5))
  expect_match(flat(figure$plot$labels$caption), "All 15 runs drawn")
})

test_that("two sources share their panels, and no run of one is a replicate of another's", {
  figure <- latency_of(rbind(fixture_runs(fixed = model), fixture_runs(fixed = hardware)))
  expect_equal(nrow(layout_of(figure)), nrow(layout_of(latency_of(fixture_runs()))))
  expect_match(flat(figure$plot$labels$subtitle), "source: measured.*source: simulated")
  expect_match(figure$plot$labels$caption, "(n = 3)", fixed = TRUE)
})

test_that("invalid runs are not drawn but counted in the caption", {
  runs <- one_curve(queue_pairs = 1, loop = "closed")
  runs[, latency_mean_ns := c(2000, 2200, 99000)]
  runs[3, valid := "false"]
  figure <- latency_of(runs)
  expect_equal(means_of(figure)$y, 2.1)
  expect_equal(sort(singles_of(figure)$y), c(2, 2.2))
  expect_match(flat(figure$plot$labels$caption), "1 of 3 runs not drawn: 1 marked invalid")
  expect_match(flat(figure$plot$labels$caption), "No intervals over runs: fewer than 3 a point")
})

test_that("an interval below 0 is cut there and the caption says so", {
  runs <- one_curve(queue_pairs = 1, loop = "closed")
  runs[, latency_mean_ns := c(100, 200, 3000)]
  figure <- latency_of(runs)
  expect_equal(bars_of(figure)$ymin, 0)
  expect_match(flat(figure$plot$labels$caption), "Intervals are cut at 0.", fixed = TRUE)
})

test_that("the source stands in the subtitle of both figures", {
  expected <- "source: soft-roce, back end verbs on rdma_rxe: function only, no performance claim"
  expect_equal(flat(latency_of(fixture_runs())$plot$labels$subtitle), expected)
  expect_equal(flat(throughput_of(fixture_runs())$plot$labels$subtitle), expected)
})

test_that("a single run has its own interval, thin, and no small point beside it", {
  runs <- one_curve(queue_pairs = c(1, 2), replicate = 1, loop = "saturating")
  runs[, `:=`(throughput_ops = 2e6, throughput_low_ops = 1.5e6, throughput_high_ops = 2.25e6)]
  figure <- throughput_of(runs)
  own <- layer_data(figure$plot, 3)
  expect_equal(own$ymin, c(1.5, 1.5))
  expect_equal(own$ymax, c(2.25, 2.25))
  expect_equal(nrow(bars_of(figure)), 0)
  expect_equal(nrow(singles_of(figure)), 0)
  expect_match(flat(figure$plot$labels$caption), "the run's own 95 % bootstrap interval")
})

test_that("runs of another regime are hollow, off the line and never pooled", {
  runs <- one_curve(queue_pairs = c(1, 2, 4), loop = "saturating")
  runs[, throughput_ops := 6e6]
  runs[queue_pairs == 2 & replicate == 3, `:=`(throughput_ops = 18e6, doubts = "regime-fast other")]
  figure <- throughput_of(runs)
  expect_equal(means_of(figure)$y, c(6, 6, 6))
  hollow <- layer_data(figure$plot, 7)
  expect_equal(hollow$y, 18)
  expect_equal(hollow$shape, locality_hollow_shapes[["rdma-local"]])
  caption <- flat(figure$plot$labels$caption)
  expect_match(caption, "another rate, at least in part (1)", fixed = TRUE)
  expect_match(caption, "Doubts about runs drawn: other 1.", fixed = TRUE)
})

test_that("an upper bound has an arrow down, and only in throughput", {
  runs <- one_curve(queue_pairs = c(1, 32))
  runs[queue_pairs == 32, doubts := "oversubscribed"]
  figure <- throughput_of(runs)
  expect_equal(round(layer_data(figure$plot, 5)$x), 5)
  expect_match(flat(figure$plot$labels$caption), "upper bound.*(3 runs)")
  expect_no_match(caption_of(figure), "oversubscribed")
  latency <- latency_of(runs)
  expect_equal(nrow(layer_data(latency$plot, 5)), 0)
  expect_match(caption_of(latency), "Doubts about runs drawn: oversubscribed 3.", fixed = TRUE)
})

test_that("points of designs that hardly vary the axis are left out and counted", {
  sweep <- fixture_runs(queue_pairs = 2^(0:5), operation = "read", access_bytes = 8)
  point <- fixture_runs(queue_pairs = 8, operation = "read", access_bytes = 64)
  figure <- throughput_of(rbind(sweep, point[, run_id := paste0(run_id, "-b")]))
  expect_equal(nrow(layout_of(figure)), 1)
  expect_match(
    flat(figure$plot$labels$caption), "6 of 42 runs not drawn: 6 of designs that hardly vary"
  )
})

test_that("more rows of panels than a page holds are refused with advice", {
  many <- rbindlist(lapply(1:7, function(k) {
    fixture_runs(loop = "closed", fixed = list(mtu_bytes = 2^(7 + min(k, 5)), window = k))[
      , run_id := paste0(run_id, "-", k)
    ]
  }))
  expect_error(latency_of(many), "needs 14 rows .* --experiment or --at", class = "figure_error")
})
