run_names <- c("schema_version", "source", "profile", "experiment", "run_id")

clients_of <- function(runs, ...) {
  clients <- runs[, list(queue_pair = seq_len(queue_pairs[1]) - 1), by = run_id]
  clients <- runs[, run_names, with = FALSE][clients, on = "run_id"]
  clients[, `:=`(samples = 10, latency_mean_ns = 2000 + 100 * queue_pair)][, ...]
}

closed_runs <- function() {
  fixture_runs(
    queue_pairs = c(1, 8), operation = "read", access_bytes = 64, loop = "closed", replicate = 1
  )
}

traces_of <- function(runs) {
  windows <- CJ(run_id = runs$run_id, window = 0:9)
  traces <- runs[, run_names, with = FALSE][windows, on = "run_id"]
  traces[, `:=`(start_ns = window * 1e7, clients = fifelse(window == 9, 3, 4))]
  traces[, throughput_ops := fifelse(window == 9, 1e6, 5e6 + 1e5 * (window %% 2))]
}

saturating_runs <- function(...) {
  fixture_runs(
    queue_pairs = 4, operation = "write", access_bytes = 8, loop = "saturating", replicate = 1, ...
  )
}

test_that("every queue pair stands at its index, in microseconds", {
  runs <- closed_runs()
  clients <- read_clients(write_fixture(clients_of(runs)), "latency_mean_ns")
  figure <- draw_latency_by_queue_pair_index(clients, read_fixture(runs))
  points <- layer_data(figure$plot, 2)
  expect_equal(sort(unique(points$x)), 0:7)
  expect_equal(points$y, 2 + 0.1 * points$x)
  expect_setequal(points$shape, locality_shapes[c("rdma-local", "rdma-remote")])
})

test_that("clients of other runs are absent, not joined by accident", {
  clients <- clients_of(closed_runs())[, run_id := paste0(run_id, "-other")]
  expect_error(
    draw_latency_by_queue_pair_index(
      read_clients(write_fixture(clients), "latency_mean_ns"), read_fixture(closed_runs())
    ),
    "no run of this figure in common",
    class = "nothing_to_draw"
  )
})

test_that("a table of clients is as strict as that of runs", {
  refused <- function(clients, message) {
    error <- expect_error(
      read_clients(write_fixture(clients), "latency_mean_ns"),
      class = "figure_error"
    )
    expect_match(conditionMessage(error), message, fixed = TRUE)
  }
  clients <- clients_of(closed_runs())
  refused(clients[, !"latency_mean_ns"], "lacks the column 'latency_mean_ns'")
  clients[, queue_pair := as.character(queue_pair)]
  refused(copy(clients)[, schema_version := 0], "'schema_version' is '0'")
  refused(rbind(clients, clients[1]), "stands there more than once")
  refused(clients[, queue_pair := "first"], "column 'queue_pair' has 'first'")
})

test_that("a window of fewer clients is drawn grey and left out of the variation", {
  runs <- saturating_runs()
  traces <- read_traces(write_fixture(traces_of(runs)))
  figure <- draw_window_traces(traces, read_fixture(runs))
  expect_equal(nrow(layer_data(figure$plot, 1)), 2 * 10)
  expect_equal(nrow(layer_data(figure$plot, 2)), 2 * 9)
  full <- 5 + 0.1 * (0:8 %% 2)
  variation <- sprintf("v\u00a0=\u00a0%.1f\u00a0%%", 100 * sd(full) / mean(full))
  expect_match(levels(layout_of(figure)$panel)[1], variation)
})

# The rows of two sources that share their run ids, the second ten times faster.
of_two_sources <- function(table, column) {
  other <- copy(table)[, `:=`(source = "measured", profile = "cx4")]
  rbind(table, other[, (column) := 10 * other[[column]]])
}

two_sources <- function(runs) {
  other <- copy(runs)[, `:=`(source = "measured", profile = "cx4", nic = "mlx5_0")]
  read_fixture(rbind(runs, other))
}

test_that("traces of two sources with one run id are panels side by side, each with its own", {
  runs <- saturating_runs()
  traces <- of_two_sources(traces_of(runs), "throughput_ops")
  figure <- draw_window_traces(read_traces(write_fixture(traces)), two_sources(runs))
  panels <- levels(layout_of(figure)$panel)
  expect_length(panels, 4)
  expect_match(panels[1:2], "^measured, profile cx4\nRDMA write, 8 B\n")
  expect_match(panels[3:4], "^soft-roce, profile lab\nRDMA write, 8 B\n")
  lines <- layer_data(figure$plot, 1)
  expect_equal(as.vector(table(lines$PANEL)), rep(10, 4))
  expect_equal(as.vector(tapply(lines$y, lines$PANEL, min)), c(10, 10, 1, 1))
  expect_match(caption_of(figure), "4 of 4 traces")
})

test_that("queue pairs of two sources with one run id are panels side by side", {
  runs <- closed_runs()
  clients <- of_two_sources(clients_of(runs), "latency_mean_ns")
  clients <- read_clients(write_fixture(clients), "latency_mean_ns")
  figure <- draw_latency_by_queue_pair_index(clients, two_sources(runs))
  expect_equal(
    as.character(layout_of(figure)$variant),
    paste(c("measured", "soft-roce"), "64 B accesses", sep = ", ")
  )
  points <- layer_data(figure$plot, 2)
  expect_equal(points$y, c(10, 1)[points$PANEL] * (2 + 0.1 * points$x))
})

test_that("traces without their columns or their runs are refused", {
  traces <- traces_of(saturating_runs())
  expect_error(
    read_traces(write_fixture(traces[, !"clients"])), "lacks the column 'clients'",
    class = "figure_error"
  )
  other <- read_traces(write_fixture(copy(traces)[, run_id := paste0(run_id, "-other")]))
  expect_error(
    draw_window_traces(other, read_fixture(saturating_runs())), "in common",
    class = "nothing_to_draw"
  )
})

latencies <- function() {
  data.table(
    source = "published", profile = "four-sockets", cpu_node = c(0, 0, 1, 1),
    memory_node = c(0, 1, 0, 1), latency_ns = c(99.4, NA, 140, 99.5),
    latency_low_ns = c(NA, 131.2, NA, NA), latency_high_ns = c(NA, 145.6, NA, NA)
  )
}

test_that("memory latencies are tiles with their numbers, and stated ranges stay ranges", {
  figure <- draw_memory_latency(read_memory_latency(write_fixture(latencies())))
  tiles <- layer_data(figure$plot, 1)
  text <- layer_data(figure$plot, 2)
  expect_equal(text$label, c("99.4", "131.2 to\n145.6", "140.0", "99.5"))
  expect_equal(text$colour[3], "white")
  expect_match(caption_of(figure), "Grey: .* the range that the text states for this tile")
})

test_that("a stated range is grey, no latency of the scale, which reaches over it", {
  rows <- latencies()
  rows[, `:=`(latency_ns = c(99.4, NA, NA, 93.6), latency_low_ns = c(NA, 131.2, 131.2, NA))]
  rows[, latency_high_ns := c(NA, 145.6, 145.6, NA)]
  figure <- draw_memory_latency(read_memory_latency(write_fixture(rows)))
  tiles <- layer_data(figure$plot, 1)
  expect_equal(tiles$fill[2:3], rep(range_colour, 2))
  expect_gt(diff(range(col2rgb(c(range_colour, "white"))["red", ])), 25)
  expect_equal(figure$plot$scales$get_scales("fill")$limits, c(93.6, 145.6))
  expect_equal(layer_data(figure$plot, 2)$colour, rep("grey10", 4))
})

test_that("what a text states is not called data, nor a median", {
  published <- draw_memory_latency(read_memory_latency(write_fixture(latencies())))
  expect_equal(
    flat(published$plot$labels$subtitle),
    "source: published, profile four-sockets: stated in the study's text"
  )
  expect_match(caption_of(published), "ns, as the study's text states it")
  expect_no_match(caption_of(published), "median")
  measured <- latencies()[c(1, 3, 4)][, source := "measured"]
  figure <- draw_memory_latency(read_memory_latency(write_fixture(measured)))
  expect_match(flat(figure$plot$labels$subtitle), "four-sockets: hardware")
  expect_match(caption_of(figure), "median of the replicates (n = 1)", fixed = TRUE)
  expect_no_match(caption_of(figure), "states")
})

test_that("the table that is stated says its schema version", {
  path <- file.path(dirname(figures), "data", "stated", table_files[["memory-latency"]])
  skip_if_not(file.exists(path), paste("no", path))
  expect_equal(unique(read_memory_latency(path, "schema_version")$schema_version), "3")
})

test_that("of several measurements of a pair the median is drawn, and they are counted", {
  rows <- latencies()[rep(c(1, 3, 4), 3)][, source := "measured"]
  rows[, replicate := rep(1:3, each = 3)]
  rows[, latency_ns := latency_ns + c(0, 0.5, 40)[replicate]]
  figure <- draw_memory_latency(read_memory_latency(write_fixture(rows)))
  expect_equal(layer_data(figure$plot, 2)$label[1], "99.9")
  expect_match(caption_of(figure), "(n = 3)", fixed = TRUE)
  expect_error(
    read_memory_latency(write_fixture(rows[, replicate := NULL])), "stands there more than once",
    class = "figure_error"
  )
})
