# Several origins in the panels of one figure: how they look.

of_hardware <- origin_shapes[1]
of_model <- origin_shapes[2]

test_that("origins share the panels: colour is locality, shape and line type are origin", {
  figure <- draw_throughput_by_queue_pairs(overlay_of())
  expect_equal(as.character(layout_of(figure)$operation), c("RDMA read", "RDMA write"))
  means <- means_of(figure)
  expect_setequal(means$colour, locality_colours[c("rdma-local", "rdma-remote")])
  expect_equal(as.vector(table(means$shape)), c(16, 16))
  hardware <- means[means$shape == of_hardware, ]
  other <- means[means$shape == of_model, ]
  expect_equal(sort(hardware$y), sort(3 * other$y), tolerance = 1e-5)
  lines <- layer_data(figure$plot, 1)
  expect_setequal(lines$linetype, origin_line_types[1:2])
})

test_that("no line, mean or interval is of two origins", {
  figure <- draw_throughput_by_queue_pairs(overlay_of())
  lines <- as.data.table(layer_data(figure$plot, 1))
  lines$look <- paste(lines$linetype, lines$colour)
  curves <- lines[, list(looks = uniqueN(look), points = .N), by = c("PANEL", "group")]
  expect_equal(nrow(curves), 2 * 2 * 2)
  expect_true(all(curves$looks == 1))
  expect_true(all(curves$points == 4))
  expect_match(caption_of(figure), "(n = 3)", fixed = TRUE)
  alone <- bars_of(draw_throughput_by_queue_pairs(read_fixture(one_size())))
  bars <- bars_of(figure)
  expect_equal(nrow(bars), 2 * nrow(alone))
  expect_true(all(alone$ymin %in% bars$ymin & alone$ymax %in% bars$ymax))
})

test_that("the legend of origins says source and profile, that of localities stays", {
  figure <- draw_throughput_by_queue_pairs(overlay_of())
  for (aesthetic in c("shape", "linetype")) {
    scale <- scale_of(figure, aesthetic)
    expect_equal(scale$name, "Origin")
    expect_equal(scale$get_limits(), c("measured, profile cx4", "simulated, profile lab"))
    expect_equal(scale$get_labels(), scale$get_limits())
  }
  expect_equal(scale_of(figure, "colour")$name, "Target memory")
  expect_match(flat(figure$plot$labels$subtitle), "cx4: hardware .*output of a model")
  expect_gt(figure$height_in, draw_throughput_by_queue_pairs(read_fixture(one_size()))$height_in)
})

test_that("origins of one source and profile are told apart by back end and NIC", {
  there <- data.table(
    source = factor("measured", run_levels$source), back_end = c("verbs", "rmc", "verbs"),
    profile = "cx4", nic = c("mlx5_0", NA, "mlx5_1")
  )
  expect_equal(origin_names(there[1]), "measured, profile cx4")
  expect_equal(
    origin_names(there[1:2]), paste("measured, profile cx4, back end", c("verbs", "rmc"))
  )
  expect_equal(
    origin_names(there)[c(1, 3)],
    paste("measured, profile cx4, back end verbs, NIC", c("mlx5_0", "mlx5_1"))
  )
})

test_that("the study's own machines keep panels of their own until something else is there", {
  machine <- function(profile, ...) {
    one_size(fixed = list(source = "published", profile = profile, ...))
  }
  study <- rbind(machine("old"), machine("new"))
  figure <- draw_throughput_by_queue_pairs(read_fixture(study))
  expect_setequal(as.character(layout_of(figure)$variant), c("new", "old"))
  expect_setequal(means_of(figure)$shape, locality_shapes[c("rdma-local", "rdma-remote")])
  figure <- draw_throughput_by_queue_pairs(read_fixture(rbind(study, one_size(fixed = model))))
  expect_equal(nrow(layout_of(figure)), 2)
  expect_length(scale_of(figure, "shape")$get_limits(), 3)
})

test_that("more origins than shapes get panels of their own", {
  many <- function(count) {
    rbindlist(lapply(seq_len(count), function(k) {
      one_size(operation = "read", fixed = list(profile = paste0("lab", k)))
    }))
  }
  figure <- draw_throughput_by_queue_pairs(read_fixture(many(most_origins)))
  expect_equal(nrow(layout_of(figure)), 1)
  expect_setequal(means_of(figure)$shape, origin_shapes)
  figure <- draw_throughput_by_queue_pairs(read_fixture(many(most_origins + 1)))
  expect_equal(nrow(layout_of(figure)), most_origins + 1)
  expect_length(unique(origin_hollow_shapes), most_origins)
  expect_length(unique(origin_line_types), most_origins)
})

test_that("an axis is logarithmic when origins are more than a factor of 10 apart, and says so", {
  near <- draw_throughput_by_queue_pairs(overlay_of(faster = 9))
  expect_false(is_logarithmic(near))
  expect_no_match(caption_of(near), "logarithmic")
  far <- draw_throughput_by_queue_pairs(overlay_of(faster = 11))
  expect_true(is_logarithmic(far))
  expect_match(caption_of(far), "Vertical axes are logarithmic, as origins in one panel lie more")
  highest <- 11 * max(one_size(replicate = 2)$throughput_ops)
  expect_equal(10^max(means_of(far)$y), highest / 1e6, tolerance = 1e-3)
  expect_true(is_logarithmic(draw_latency_by_queue_pairs(overlay_of(faster = 11))))
  # The steepest curve of one origin alone is no reason.
  alone <- fixture_runs(queue_pairs = c(1, 64), access_bytes = 64, operation = "read")
  alone[, throughput_ops := throughput_ops * queue_pairs]
  expect_false(is_logarithmic(draw_throughput_by_queue_pairs(read_fixture(alone))))
})

test_that("a value of 0 has no logarithm, so that the axis begins there", {
  runs <- overlay_of(faster = 100)[loop == "saturating"]
  expect_true(is_logarithmic(draw_throughput_by_queue_pairs(runs)))
  runs$throughput_ops[1] <- 0
  expect_false(is_logarithmic(draw_throughput_by_queue_pairs(runs)))
})

test_that("intervals on a logarithmic axis are cut below all points, not at 0", {
  runs <- overlay_of(faster = 100, operation = "read", queue_pairs = 4)
  slow <- which(runs$loop == "saturating" & runs$source == "simulated")
  runs$throughput_ops[slow] <- rep(c(1e4, 2e4, 3e5), length.out = length(slow))
  figure <- draw_throughput_by_queue_pairs(runs)
  expect_true(is_logarithmic(figure))
  expect_equal(10^min(bars_of(figure)$ymin), 0.005)
  expect_match(caption_of(figure), "Intervals are cut at 0.005.", fixed = TRUE)
})
