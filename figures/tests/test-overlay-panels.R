# Several origins in the panels of one figure: which runs stand in which panel.

of_hardware <- origin_shapes[1]
of_model <- origin_shapes[2]

test_that("levels that a figure prefers narrow no other origin than the one that has them", {
  study <- one_size(fixed = list(source = "published", profile = "old", campaign = "a"))
  rest <- one_size(fixed = list(source = "published", profile = "old", campaign = "b"))
  own <- one_size(fixed = c(hardware, list(mtu_bytes = 4096)))
  runs <- read_fixture(rbind(
    study[, mtu_bytes := 256], rest[, run_id := paste0(run_id, "-b")], own, fill = TRUE
  ))
  kept <- selected(runs, prefer = list(campaign = c("a", NA), mtu_bytes = 256))
  there <- unique(kept[, list(source, campaign, mtu_bytes)])
  expect_equal(as.character(there$source), c("published", "measured"))
  expect_equal(there$campaign, c("a", NA))
  expect_equal(there$mtu_bytes, c(256, 4096))
  expect_equal(nrow(kept), 2 * nrow(one_size()))
})

test_that("machines of the study are one table to a preference, as they were", {
  old <- one_size(fixed = list(source = "published", profile = "old", campaign = "a"))
  new <- one_size(fixed = list(source = "published", profile = "new", campaign = "b"))
  kept <- selected(read_fixture(rbind(old, new)), prefer = list(campaign = "a"))
  expect_setequal(kept$profile, "old")
})

test_that("a short curve is measured by the fullest of its own origin", {
  long <- fixture_runs(queue_pairs = 2^(0:6), access_bytes = 64, fixed = hardware)
  short <- fixture_runs(queue_pairs = c(1, 2), access_bytes = 64, fixed = model)
  figure <- draw_throughput_by_queue_pairs(read_fixture(rbind(long, short)))
  expect_equal(sum(means_of(figure)$shape == of_model), 2 * 2 * 2)
  expect_match(caption_of(figure), "All 108 runs drawn")
})

test_that("origins that differ in a factor that matters are not laid over each other", {
  for (other in list(list(mtu_bytes = 256), list(max_rd_atomic = 16), list(threads = 4))) {
    figure <- draw_throughput_by_queue_pairs(overlay_of(fixed = c(other, list(window = NA))))
    expect_equal(nrow(layout_of(figure)), 4)
    means <- as.data.table(means_of(figure))
    expect_true(all(means[, list(origins = uniqueN(shape)), by = "PANEL"]$origins == 1))
    expect_match(caption_of(figure), paste(
      "Origins that differ in", gsub("_", " ", names(other)), "are in panels of their own."
    ))
    expect_match(caption_of(figure), "Not stated by every origin: window.", fixed = TRUE)
  }
})

test_that("one of several factors in which origins differ names the panels, the others are said", {
  figure <- draw_throughput_by_queue_pairs(overlay_of(
    fixed = list(mtu_bytes = 256, max_rd_atomic = 16)
  ))
  expect_equal(levels(layout_of(figure)$variant), c("MTU 256 B", "MTU 1024 B"))
  expect_match(
    caption_of(figure), paste(
      "By origin: measured, profile cx4: max_rd_atomic 16;",
      "simulated, profile lab: max_rd_atomic 1."
    ),
    fixed = TRUE
  )
})

test_that("what is measured how long, and what is not stated, keeps no origins apart", {
  runs <- overlay_of(fixed = list(window = NA))
  runs[, duration_ms := fifelse(source == "measured", 2000, 300)]
  figure <- draw_throughput_by_queue_pairs(runs)
  expect_equal(nrow(layout_of(figure)), 2)
  expect_no_match(caption_of(figure), "Origins that differ")
  expect_match(caption_of(figure), "By origin: .*duration ms 2000;.*duration ms 300")
})

test_that("of the study's two threads a queue pair the one that posts is compared", {
  study <- one_size(fixed = list(source = "published", profile = "old"))
  study[, threads := 2 * queue_pairs]
  as_there <- one_size(fixed = model)[, threads := queue_pairs]
  figure <- draw_throughput_by_queue_pairs(read_fixture(rbind(study, as_there)))
  expect_equal(nrow(layout_of(figure)), 2)
  expect_match(caption_of(figure), "Of two threads a queue pair, the study's, one posts")
  one_thread <- one_size(fixed = model)
  figure <- draw_throughput_by_queue_pairs(read_fixture(rbind(study, one_thread)))
  expect_equal(levels(layout_of(figure)$variant), c("1 client thread", "changing threads"))
  expect_match(caption_of(figure), "Origins that differ in threads")
})

test_that("a client that moves along with the memory is not laid over one that stays", {
  study <- one_size(fixed = list(source = "published", profile = "old"))
  study[, client_locality := locality]
  figure <- draw_throughput_by_queue_pairs(read_fixture(rbind(study, one_size(fixed = model))))
  expect_equal(nrow(layout_of(figure)), 4)
  expect_match(caption_of(figure), "Origins that differ in client locality")
})

mtus <- function(..., origin = model) {
  rbind(
    one_size(fixed = c(origin, list(mtu_bytes = 256, ...))),
    one_size(fixed = c(origin, list(mtu_bytes = 4096, ...)))[, run_id := paste0(run_id, "-b")]
  )
}

test_that("an origin at none of the levels of the panels has panels of its own", {
  own <- one_size(fixed = hardware)
  figure <- draw_throughput_by_queue_pairs(read_fixture(rbind(mtus(), own)))
  expect_equal(levels(layout_of(figure)$variant), c("MTU 256 B", "MTU 1024 B", "MTU 4096 B"))
  expect_equal(as.vector(table(means_of(figure)$PANEL)), rep(8, 6))
  expect_match(caption_of(figure), "All 144 runs drawn")
})

test_that("an origin at one of the levels of the panels is in that one only", {
  own <- one_size(fixed = c(hardware, list(mtu_bytes = 4096)))
  figure <- draw_throughput_by_queue_pairs(read_fixture(rbind(mtus(), own)))
  layout <- layout_of(figure)
  means <- means_of(figure)
  panels <- unique(means$PANEL[means$shape == of_hardware])
  expect_setequal(as.character(layout$variant[layout$PANEL %in% panels]), "MTU 4096 B")
})

test_that("a factor that changes along with the axis of one origin cuts no curve of it", {
  study <- one_size(fixed = list(source = "published", profile = "old"))[, threads := queue_pairs]
  two_threads <- one_size(fixed = c(model, threads = 2))[, run_id := paste0(run_id, "-b")]
  own <- rbind(one_size(fixed = model), two_threads)
  figure <- draw_throughput_by_queue_pairs(read_fixture(rbind(study, own)))
  expect_equal(
    levels(layout_of(figure)$variant),
    c("1 client thread", "2 client threads", "changing threads")
  )
  # The curve of the study has all its levels.
  expect_equal(as.vector(table(means_of(figure)$PANEL)), rep(8, 6))
  lines <- layer_data(figure$plot, 1)
  expect_equal(unique(as.vector(table(paste(lines$PANEL, lines$group)))), 4)
  expect_match(caption_of(figure), "All 144 runs drawn")
})

test_that("origins split by different factors have panels of the levels of both factors", {
  own <- one_size(fixed = hardware)
  other <- one_size(fixed = c(hardware, list(threads = 2)))[, run_id := paste0(run_id, "-b")]
  for (threads in c(4, 1)) {
    runs <- read_fixture(rbind(mtus(threads = threads), own, other))
    figure <- draw_throughput_by_queue_pairs(runs)
    expect_equal(nlevels(layout_of(figure)$variant), 4)
    expect_equal(as.vector(table(means_of(figure)$PANEL)), rep(8, 8))
  }
})

test_that("two origins that both vary share the panels of equal levels", {
  other <- mtus(origin = hardware)
  figure <- draw_throughput_by_queue_pairs(read_fixture(rbind(mtus(), other)))
  expect_equal(nrow(layout_of(figure)), 4)
  expect_equal(as.vector(table(means_of(figure)$PANEL)), rep(16, 4))
})

test_that("NICs are told apart by line type where another source is there, not by columns", {
  workers <- function(count, ...) {
    fixture_runs(
      queue_pairs = 8, operation = "write", access_bytes = 8, loop = "saturating",
      fixed = list(workers = count, worker_operation = if (count > 0) "mixed" else "none", ...)
    )[, run_id := paste0(run_id, "-", count)]
  }
  own <- rbind(do.call(workers, c(0, model)), do.call(workers, c(4, model)))
  study <- rbindlist(lapply(c("ConnectX-3", "ConnectX-4"), function(nic) {
    rbind(
      workers(0, source = "published", nic = nic, profile = nic),
      workers(4, source = "published", nic = nic, profile = nic)
    )
  }))
  figure <- draw_throughput_by_workers(read_fixture(study))
  expect_equal(as.character(layout_of(figure)$column), c("ConnectX-3", "ConnectX-4"))
  figure <- draw_throughput_by_workers(read_fixture(rbind(study, own)))
  expect_equal(nrow(layout_of(figure)), 1)
  expect_setequal(means_of(figure)$shape, origin_shapes[1:3])
})

test_that("curves of reads and writes keep their colours, their origins have the shapes", {
  workers <- function(count, ...) {
    fixture_runs(
      queue_pairs = 8, access_bytes = 8, loop = "saturating",
      fixed = list(workers = count, worker_operation = if (count > 0) "mixed" else "none", ...)
    )[, run_id := paste0(run_id, "-", count)]
  }
  both <- rbind(
    do.call(workers, c(0, model)), do.call(workers, c(4, model)),
    do.call(workers, c(0, hardware)), do.call(workers, c(4, hardware))
  )
  figure <- draw_workers_poster(read_fixture(both))
  expect_setequal(means_of(figure)$colour, operation_look$colours)
  expect_setequal(means_of(figure)$shape, origin_shapes[1:2])
})

test_that("runs of another regime are hollow in the shape of their origin", {
  runs <- overlay_of(operation = "read", queue_pairs = c(1, 2, 4))
  runs$doubts[runs$source == "simulated" & runs$queue_pairs == 2] <- "regime-fast"
  figure <- draw_throughput_by_queue_pairs(runs)
  expect_equal(unique(layer_data(figure$plot, 7)$shape), origin_hollow_shapes[2])
  hollow <- "Hollow, in no mean: writes at another rate, at least in part (6)."
  expect_match(caption_of(figure), hollow, fixed = TRUE)
})

test_that("ratios are of each origin by itself, told apart by shape and line type", {
  runs <- overlay_of(operation = "read")
  own <- runs$source == "measured" & runs$locality == "rdma-remote"
  runs$latency_mean_ns[own] <- 2 * runs$latency_mean_ns[own]
  figure <- draw_latency_ratio_by_queue_pairs(runs)
  expect_equal(nrow(layout_of(figure)), 1)
  points <- layer_data(figure$plot, 5)
  expect_equal(
    points$y[points$shape == of_hardware] / points$y[points$shape == of_model], rep(2, 4),
    tolerance = 1e-3
  )
  expect_setequal(layer_data(figure$plot, 2)$linetype, origin_line_types[1:2])
  expect_equal(scale_of(figure, "shape")$name, "Origin")
  alone <- draw_latency_ratio_by_queue_pairs(runs[source == "measured"])
  expect_equal(layer_data(alone$plot, 5)$y, points$y[points$shape == of_hardware])
  expect_setequal(layer_data(alone$plot, 2)$linetype, 1)
})

test_that("estimates of two origins stand in panels side by side", {
  runs <- overlay_of()[, throughput_published_ops := throughput_ops]
  figure <- draw_estimator_disagreement(runs)
  expect_setequal(as.character(layout_of(figure)$variant), c("measured", "simulated"))
})

test_that("of the study an overlay draws what its own figure draws", {
  beside <- study_beside("simulated", "sim", NA_character_)
  study <- beside$study
  both <- beside$both
  for (name in c(
    "latency-by-queue-pairs", "throughput-by-access-size", "throughput-by-load",
    "throughput-by-mtu", "throughput-by-queue-pairs", "throughput-by-workers", "workers-poster"
  )) {
    draw <- of_figure("draw", name)
    of_study <- 10^means_of(draw(both))$y
    alone <- means_of(draw(study))$y
    expect_true(is_logarithmic(draw(both)), label = name)
    near <- vapply(alone, function(value) any(abs(of_study / value - 1) < 1e-9), TRUE)
    expect_true(all(near), label = paste("every mean of the study's own", name))
    expect_gt(length(of_study), length(alone), label = paste("the overlay of", name))
  }
})
