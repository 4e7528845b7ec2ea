# Figures of a factor of their own, from small tables of invented numbers.

beside <- function(workers, ...) {
  if (workers == 0) {
    return(list(workers = 0, ...))
  }
  list(workers = workers, worker_operation = "mixed", worker_write_fraction = 0.9, ...)
}

test_that("workers stand on an axis that has a place for none", {
  runs <- runs_with(beside(0), beside(1), beside(3), beside(48))
  figure <- draw_throughput_by_workers(runs)
  expect_setequal(means_of(figure)$y, runs$throughput_ops / 1e6)
  x <- sort(unique(round(means_of(figure)$x, 1)))
  expect_equal(range(x), round(log2(c(1, 49)), 1), tolerance = 0.03)
  axis <- ggplot_build(figure$plot)$layout$panel_params[[1]]$x
  expect_equal(axis$get_labels(), c("0", "1", "2", "4", "8", "16", "32", "48"))
})

test_that("idle servers are the first point of every operation of workers", {
  runs <- runs_with(
    beside(0, operation = "compare-and-swap"),
    list(workers = 4, worker_operation = "read", operation = "compare-and-swap"),
    list(workers = 4, worker_operation = "write", operation = "compare-and-swap")
  )
  figure <- draw_atomics(runs)
  expect_equal(as.character(layout_of(figure)$column), c("workers: read", "workers: write"))
  expect_equal(as.vector(table(means_of(figure)$PANEL)), c(4, 4))
  expect_match(caption_of(figure), "All 6 runs drawn")
})

test_that("the first code is left out where the second is, and drawn when asked for", {
  table <- list(beside(0, code_generation = "v2"), beside(4, code_generation = "v2"))
  old <- list(beside(0, code_generation = "v1"), beside(4, code_generation = "v1"))
  runs <- do.call(runs_with, c(table, old))
  expect_match(caption_of(draw_throughput_by_workers(runs)), "code generation v2")
  asked <- draw_throughput_by_workers(runs, at = list(code_generation = "any"))
  expect_equal(levels(layout_of(asked)$variant), paste("code generation", c("v1", "v2")))
})

test_that("shares of writes are percent, with workers in the columns", {
  runs <- runs_with(
    beside(0), beside(4), modifyList(beside(4), list(worker_write_fraction = 0.5)),
    beside(8), modifyList(beside(8), list(worker_write_fraction = 0.5)),
    modifyList(beside(0), list(worker_operation = "mixed", worker_write_fraction = 0.5)),
    modifyList(beside(0), list(worker_operation = "mixed", worker_write_fraction = 0.9))
  )
  figure <- draw_throughput_by_write_ratio(runs)
  expect_equal(as.character(layout_of(figure)$column), c("4 workers", "8 workers"))
  expect_equal(sort(unique(round(means_of(figure)$x, -1))), c(50, 90))
  expect_error(
    draw_throughput_by_write_ratio(runs_with(beside(0), beside(4))), "one share",
    class = "nothing_to_draw"
  )
})

test_that("DDIO off is drawn beside what is alike, and nothing else", {
  runs <- runs_with(
    beside(0, ddio = "off"), beside(4, ddio = "off"), beside(0), beside(4),
    beside(4, mtu_bytes = 4096)
  )
  figure <- draw_ddio_off(runs)
  expect_equal(as.character(layout_of(figure)$column), c("DDIO default", "DDIO off"))
  expect_match(caption_of(figure), "All 8 runs drawn")
  expect_error(draw_ddio_off(runs_with(beside(0))), "ddio off", class = "nothing_to_draw")
})

test_that("DDIO off of one campaign is not drawn beside DDIO on of another", {
  drawn <- function(campaign) {
    study <- list(source = "published", code_generation = "v1")
    of <- function(...) do.call(beside, c(list(...), study))
    draw_ddio_off(runs_with(
      of(0, ddio = "off", campaign = "b"), of(4, ddio = "off", campaign = "b"),
      of(0, campaign = campaign), of(4, campaign = campaign)
    ))
  }
  expect_equal(as.character(layout_of(drawn("b"))$column), c("DDIO default", "DDIO off"))
  expect_no_match(caption_of(drawn("b")), "DDIO off alone")
  expect_match(caption_of(drawn("a")), "DDIO off alone of published")
  expect_match(caption_of(drawn("a")), "All 4 runs drawn")
  expect_equal(drawn("a")$plot$labels$title, "Throughput by server workers, DDIO off")
  expect_equal(drawn("b")$plot$labels$title, "Throughput by server workers, DDIO off and on")
})

test_that("a client that stays where it is is drawn apart from one that moves along", {
  moving <- list(beside(0, ddio = "off"), beside(4, ddio = "off"), beside(0), beside(4))
  runs <- do.call(runs_with, moving)
  expect_match(caption_of(draw_ddio_off_client_local(runs)), "All 8 runs drawn")
  runs[, client_locality := locality]
  expect_error(draw_ddio_off_client_local(runs), "no RDMA-local client", class = "nothing_to_draw")
})

test_that("threads of several queue pairs are drawn apart from those of one each", {
  runs <- read_fixture(one_size()[, threads := 1])
  expect_equal(nrow(layout_of(draw_throughput_of_one_thread(runs))), 2)
  runs[, threads := queue_pairs]
  expect_error(
    draw_throughput_of_one_thread(runs), "drives several queue pairs",
    class = "nothing_to_draw"
  )
})

test_that("one MTU is no sweep, one access size for each of several is drawn", {
  expect_error(draw_throughput_by_mtu(runs_with(beside(0))), "one MTU", class = "nothing_to_draw")
  sizes <- lapply(c(256, 4096), function(mtu) beside(0, mtu_bytes = mtu))
  figure <- draw_throughput_by_mtu(do.call(runs_with, sizes))
  expect_equal(as.character(layout_of(figure)$column), c("MTU 256 B", "MTU 4096 B"))
})

test_that("the poster draws reads and writes in one panel, one panel for each memory", {
  both <- list(beside(0), beside(4), beside(0, operation = "read"), beside(4, operation = "read"))
  figure <- draw_workers_poster(do.call(runs_with, both))
  expect_equal(as.character(layout_of(figure)$column), paste(locality_labels[1:2], "memory"))
  expect_setequal(means_of(figure)$colour, operation_look$colours)
})

test_that("32 connections and 64 bytes are each refused where there are none", {
  runs <- runs_with(beside(0), beside(4))
  expect_error(
    draw_throughput_at_32_connections(runs), "queue_pairs 32",
    class = "nothing_to_draw"
  )
  expect_error(draw_throughput_at_64_bytes(runs), "access_bytes 64", class = "nothing_to_draw")
})

test_that("a placement of client and server that is not stated is not drawn as another", {
  runs <- saturating(fixed = list(
    experiment = "memcached", throughput_published_ops = 5e5, client_locality = "rdma-remote"
  ))
  place <- placement_look$of(read_fixture(runs))
  expect_equal(as.character(place), c(NA, "both-remote"))
})

test_that("estimates are compared run by run", {
  runs <- saturating()[, throughput_published_ops := 1.5 * throughput_ops]
  figure <- draw_estimator_disagreement(read_fixture(runs))
  expect_equal(layer_data(figure$plot, 4)$y, 1.5)
  expect_match(caption_of(figure), "Of 2 runs 2 differ by more than 5 %, 2 of these upwards, and 2")
})

test_that("doubts that estimates have no symbol for are said in words", {
  runs <- saturating()[, `:=`(throughput_published_ops = throughput_ops, doubts = "oversubscribed")]
  runs[1, doubts := "oversubscribed regime-fast"]
  figure <- draw_estimator_disagreement(read_fixture(runs))
  expect_match(
    caption_of(figure), "Doubts about runs drawn: oversubscribed 2, regime-fast 1.",
    fixed = TRUE
  )
})

beside_load <- function(bytes, node = "agnostic") {
  list(load_kind = "independent", load_bytes = bytes, load_node = node, campaign = "b")
}

test_that("throughput stands over the bytes of a load, beside none at their left", {
  runs <- runs_with(
    list(campaign = "b"), beside_load(8e3), beside_load(8e9), beside_load(8e9, "rdma-local")
  )
  runs$throughput_ops <- 1e6 * rank(runs$run_id)
  figure <- draw_throughput_by_load(runs)
  means <- means_of(figure)
  means <- means[order(means$y), ]
  # Two localities to a load, beside each other; the bound load is not drawn.
  expect_equal(means$y, c(1, 2, 3, 4, 5, 6))
  expect_equal(means$x, rep(c(2, log10(8e3), log10(8e9)), each = 2), tolerance = 0.05)
  axis <- ggplot_build(figure$plot)$layout$panel_params[[1]]$x
  labels <- axis$get_labels()[!is.na(axis$get_breaks())]
  expect_equal(labels, c("none", "10k", "1M", "100M", "10G"))
  expect_match(caption_of(figure), "Not drawn: 2 runs beside a load bound to a node")
})

test_that("a table without a load of known size has no figure of loads", {
  unsized <- list(load_kind = "independent", load_node = "agnostic")
  expect_error(
    draw_throughput_by_load(runs_with(beside(0), unsized)), "load of known size",
    class = "nothing_to_draw"
  )
})

test_that("batches stand beside runs without a pause, which alone are no figure of batches", {
  windows <- function(...) lapply(c(4, 16), function(window) list(window = window, ...))
  steady <- windows()
  figure <- draw_throughput_by_window(do.call(runs_with, c(steady, windows(loop = "batch"))))
  expect_setequal(as.character(layout_of(figure)$column), c("loop saturating", "loop batch"))
  expect_error(
    draw_throughput_by_window(do.call(runs_with, steady)), "no batches",
    class = "nothing_to_draw"
  )
})
