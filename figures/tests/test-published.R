# Known answers: what the study's texts and their reading say of its own data, found
# again in the layers drawn from the stored table. Skipped where it is not stored.

published <- file.path(dirname(figures), "data", "published")

published_table <- local({
  read <- remembering_reader()
  function(table, columns = character()) {
    path <- file.path(published, table_files[[table]])
    skip_if_not(file.exists(path), paste("no", path))
    read(table, path, columns)
  }
})

# The means of one panel and locality, by the columns of the layout.
means_in <- function(figure, place, ...) {
  layout <- layout_of(figure)
  for (column in names(list(...))) {
    layout <- layout[as.character(layout[[column]]) == list(...)[[column]], ]
  }
  means <- means_of(figure)
  means <- means[means$PANEL %in% layout$PANEL & means$colour == locality_colours[[place]], ]
  means$y[order(means$x)]
}

test_that("Fig 3a: reads of 64 B take 2243 ns local and 2349 ns remote with one queue pair", {
  figure <- draw_latency_by_queue_pairs(published_table("runs"))
  # Strips of the first range only, to 16 queue pairs: 1, 2, 3, 4, 8, 16.
  local <- means_in(figure, "rdma-local", operation = "RDMA read", range = "1 to 16")
  remote <- means_in(figure, "rdma-remote", operation = "RDMA read", range = "1 to 16")
  expect_equal(local, c(2.243, 2.249, 2.257, 2.320, 2.325, 2.492), tolerance = 1e-3)
  expect_equal(remote, c(2.349, 2.371, 2.382, 2.384, 2.442, 2.599), tolerance = 1e-3)
})

test_that("Fig 3b: the ratio of reads is 1.047 with one queue pair and 1.043 with 16", {
  figure <- draw_latency_ratio_by_queue_pairs(published_table("runs"))
  first <- subset(layer_data(figure$plot, 5), PANEL == 1)
  expect_equal(first$y[c(1, nrow(first))], c(1.047, 1.043), tolerance = 1e-3)
})

test_that("Fig 4: 64 B reads are 4.42 M ops/s local and 4.13 remote, from campaign a alone", {
  figure <- draw_throughput_by_access_size(published_table("runs"))
  read <- function(place) means_in(figure, place, operation = "RDMA read")[4]
  expect_equal(read("rdma-local"), 4.42, tolerance = 0.005)
  expect_equal(read("rdma-remote"), 4.13, tolerance = 0.005)
  expect_match(caption_of(figure), "campaign a, 8 queue pairs")
  # The writes labelled 1024 B sent 512, so no write stands at 1024.
  expect_length(means_in(figure, "rdma-local", operation = "RDMA write"), 9)
  expect_match(caption_of(figure), "label-corrected 2")
})

test_that("Fig 5a and 5b: writes beside 48 workers, a panel for each NIC", {
  figure <- draw_throughput_by_workers(published_table("runs"))
  last <- function(place, nic, operation) {
    tail(means_in(figure, place, column = nic, operation = operation), 1)
  }
  expect_equal(last("rdma-local", "ConnectX-3", "RDMA write"), 3.48, tolerance = 0.02)
  expect_equal(last("rdma-remote", "ConnectX-3", "RDMA write"), 6.05, tolerance = 0.02)
  expect_equal(last("rdma-remote", "ConnectX-3", "RDMA read"), 4.65, tolerance = 0.02)
  expect_equal(last("rdma-local", "ConnectX-4", "RDMA write"), 3.78, tolerance = 0.04)
  expect_equal(last("rdma-remote", "ConnectX-4", "RDMA write"), 15.4, tolerance = 0.04)
  expect_match(caption_of(figure), "Hollow, in no mean: writes at .* or runs that stopped")
})

test_that("of writes by queue pairs it is said where their rate is not known", {
  caption <- caption_of(draw_throughput_by_queue_pairs(published_table("runs")))
  expect_match(caption, "two rates. Only with 8 queue pairs is it known at which.", fixed = TRUE)
  runs <- published_table("runs")
  runs$fast_regime_fraction <- NULL
  expect_no_match(caption_of(draw_throughput_by_queue_pairs(runs)), "two rates")
})

test_that("Fig 6: Memcached with four clients, a panel for each node of the load", {
  figure <- draw_memcached_by_clients(published_table("runs"))
  expect_equal(as.character(layout_of(figure)$column), unname(load_node_labels))
  means <- means_of(figure)
  with_four <- function(place, panel) {
    colour <- placement_look$colours[[place]]
    means$y[means$PANEL == panel & means$colour == colour][3]
  }
  expect_equal(with_four("both-local", 1), 624, tolerance = 0.002)
  expect_equal(with_four("client-local", 1), 567, tolerance = 0.002)
  expect_equal(with_four("both-remote", 1), 523, tolerance = 0.002)
  expect_equal(with_four("both-local", 2), 336, tolerance = 0.003)
  expect_equal(with_four("both-local", 3), 323, tolerance = 0.003)
  expect_equal(with_four("both-remote", 4), 314, tolerance = 0.003)
})

test_that("32 connections: every point is marked as an upper bound", {
  figure <- draw_throughput_at_32_connections(published_table("runs"))
  expect_equal(nrow(layer_data(figure$plot, 5)), nrow(means_of(figure)))
})

test_that("DDIO off: 1.60 local and 1.93 remote beside 8 workers, and nothing with it beside", {
  figure <- draw_ddio_off(published_table("runs"))
  off <- function(place) means_in(figure, place, operation = "RDMA write")
  expect_equal(off("rdma-local")[5], 1.60, tolerance = 0.02)
  expect_equal(off("rdma-remote")[5], 1.93, tolerance = 0.02)
  expect_equal(nrow(layout_of(figure)), 2)
  expect_match(caption_of(figure), "DDIO off alone of published: no run with DDIO on")
  expect_match(caption_of(figure), "code generation v1, campaign b")
})

test_that("figures of what the study could not ask find nothing of it", {
  for (name in c(
    "throughput-of-one-thread", "throughput-by-eight-threads", "ddio-off-client-local"
  )) {
    expect_error(of_figure("draw", name)(published_table("runs")), class = "nothing_to_draw")
  }
})

test_that("atomics: what the all-zero runs of the release would show is counted, not drawn", {
  figure <- draw_atomics(published_table("runs"))
  expect_true(all(means_of(figure)$y > 0))
  expect_match(caption_of(figure), "384 of 516 runs not drawn: 384 marked invalid")
})

test_that("with 24 queue pairs the first seven are the fast ones", {
  clients <- published_table("clients", tables_latency_by_queue_pair_index()$clients)
  figure <- draw_latency_by_queue_pair_index(clients, published_table("runs"))
  layout <- layout_of(figure)
  panel <- layout$PANEL[layout$range == "24 queue pairs" & layout$operation == "RDMA read"]
  points <- subset(layer_data(figure$plot, 2), PANEL == panel)
  expect_true(all(points$y[points$x < 7] < 3))
  expect_true(all(points$y[points$x >= 7] > 6))
})

test_that("traces: of every NIC and operation three, and the bistable writes", {
  traces <- published_table("traces")
  figure <- draw_window_traces(traces, published_table("runs"))
  expect_equal(nrow(layout_of(figure)), 4 * 3 + 6)
  expect_equal(figure$plot$labels$title, "Windows of 10 ms along a run")
  expect_match(caption_of(figure), "18 of 121 traces")
})

test_that("the two estimates agree up to 8 queue pairs of the second code, and not beyond", {
  figure <- draw_estimator_disagreement(published_table("runs"))
  layout <- layout_of(figure)
  panel <- layout$PANEL[
    layout$variant == "nurdma-cx3, code generation v2" & layout$operation == "RDMA read"
  ]
  medians <- subset(layer_data(figure$plot, 4), PANEL == panel)
  expect_true(all(abs(medians$y[medians$x <= 3] - 1) < 0.01))
  expect_true(all(medians$y[medians$x >= 4] > 1.1))
  expect_match(caption_of(figure), "Of 4643 runs")
})

test_that("an unbound load takes a fifth from remote reads of 8 B, and little from local", {
  figure <- draw_throughput_by_load(published_table("runs"))
  read <- function(place) {
    means_in(figure, place, column = "8 B accesses", operation = "RDMA read")
  }
  expect_equal(read("rdma-local")[c(1, 9)], c(5.59, 5.46), tolerance = 0.005)
  expect_equal(read("rdma-remote")[c(1, 9)], c(5.53, 4.39), tolerance = 0.005)
  expect_match(caption_of(figure), "Not drawn: 16 runs beside a load bound to a node")
})

test_that("figures without arrows say how many runs are oversubscribed", {
  runs <- published_table("runs")
  clients <- published_table("clients", tables_latency_by_queue_pair_index()$clients)
  figures <- list(
    draw_latency_by_queue_pairs(runs), draw_latency_ratio_by_queue_pairs(runs),
    draw_latency_by_queue_pair_index(clients, runs), draw_estimator_disagreement(runs)
  )
  for (figure in figures) expect_match(caption_of(figure), "oversubscribed [1-9]")
})

test_that("the poster says that its panels are not of one code generation", {
  figure <- draw_workers_poster(published_table("runs"))
  expect_match(caption_of(figure), "Not fixed but changing .*code generation")
})

test_that("every figure names its source", {
  figure <- draw_flushed_caches(published_table("runs"))
  expect_match(
    flat(figure$plot$labels$subtitle), "source: published, .*profile nurdma-apt: the study's own"
  )
})
