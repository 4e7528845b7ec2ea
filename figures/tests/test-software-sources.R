# Runs of sources that are software beside runs of cards: panels apart, and said why.

study_runs <- function(...) {
  one_size(fixed = list(source = "published", nic = "ConnectX-3", profile = "old", ...))
}

not_laid_over <- paste(
  "Not laid over each other: %s runs show how fast software is on some host, and nothing of a",
  "card."
)

variants_of <- function(figure) as.character(unique(layout_of(figure)$variant))

test_that("every source in the list is one that runs may have, and cards are not in it", {
  expect_true(all(software_sources %in% run_levels$source))
  expect_setequal(
    setdiff(run_levels$source, software_sources), c("published", "measured", "simulated")
  )
})

test_that("software beside a card has panels of its own, and the caption says why", {
  for (source in software_sources) {
    software <- one_size(fixed = list(source = source))
    for (card in list(study_runs(), one_size(fixed = hardware), one_size(fixed = model))) {
      figure <- draw_throughput_by_queue_pairs(read_fixture(rbind(card, software)))
      expect_setequal(variants_of(figure), c(card$source[1], source))
      expect_equal(nrow(layout_of(figure)), 4)
      expect_equal(as.vector(table(means_of(figure)$PANEL)), rep(8, 4))
      expect_match(caption_of(figure), sprintf(not_laid_over, source), fixed = TRUE)
      # Line type and shape tell localities apart again.
      expect_setequal(means_of(figure)$shape, locality_shapes[c("rdma-local", "rdma-remote")])
    }
  }
})

test_that("the caption says in what software and a card differ, and what one does not state", {
  card <- study_runs(window = NA)[, mtu_bytes := 256]
  figure <- draw_throughput_by_queue_pairs(read_fixture(rbind(card, one_size())))
  expect_match(caption_of(figure), "By origin: published, profile old: MTU 256 B; soft-roce, ")
  expect_match(caption_of(figure), "Not stated by every origin: window.", fixed = TRUE)
  expect_no_match(caption_of(figure), "Not fixed but changing")
})

test_that("two sources that are both software are laid over each other", {
  both <- rbind(one_size(), one_size(fixed = list(source = "emulated", back_end = "rmc", nic = NA)))
  figure <- draw_throughput_by_queue_pairs(read_fixture(both))
  expect_equal(nrow(layout_of(figure)), 2)
  expect_setequal(means_of(figure)$shape, origin_shapes[1:2])
  expect_no_match(caption_of(figure), "Not laid over each other")
  figure <- draw_throughput_by_queue_pairs(read_fixture(rbind(both, study_runs())))
  expect_setequal(variants_of(figure), c("published", "soft-roce", "emulated"))
  expect_match(
    caption_of(figure), sprintf(not_laid_over, "soft-roce and emulated"),
    fixed = TRUE
  )
})

test_that("software and a card share no vertical axis, also where NICs are columns", {
  workers <- function(count, ...) {
    fixture_runs(
      queue_pairs = 8, operation = "write", access_bytes = 8, loop = "saturating",
      fixed = list(workers = count, worker_operation = if (count > 0) "mixed" else "none", ...)
    )[, run_id := paste0(run_id, "-", count)]
  }
  study <- list(source = "published", nic = "ConnectX-3", profile = "old")
  card <- rbind(do.call(workers, c(0, study)), do.call(workers, c(4, study)))
  software <- rbind(workers(0), workers(4))[, throughput_ops := throughput_ops / 100]
  figure <- draw_throughput_by_workers(read_fixture(rbind(card, software)))
  layout <- layout_of(figure)
  expect_equal(as.character(layout$variant), c("published", "soft-roce"))
  expect_equal(uniqueN(layout$SCALE_Y), 2)
})

test_that("ratios of software and of a card are in panels apart", {
  runs <- rbind(study_runs(), one_size())
  figure <- draw_latency_ratio_by_queue_pairs(read_fixture(runs))
  expect_setequal(variants_of(figure), c("published", "soft-roce"))
  expect_match(caption_of(figure), sprintf(not_laid_over, "soft-roce"), fixed = TRUE)
})

test_that("of the study a figure with software beside it draws what its own figure draws", {
  beside <- study_beside("soft-roce", "verbs", "rxe0")
  study <- beside$study
  both <- beside$both
  for (name in c(
    "latency-by-queue-pairs", "throughput-by-access-size", "throughput-by-load",
    "throughput-by-mtu", "throughput-by-queue-pairs", "throughput-by-workers", "workers-poster"
  )) {
    draw <- of_figure("draw", name)
    figure <- draw(both)
    of_both <- means_of(figure)$y
    alone <- means_of(draw(study))$y
    near <- vapply(alone, function(value) any(abs(of_both / value - 1) < 1e-9), TRUE)
    expect_true(all(near), label = paste("every mean of the study's own", name))
    expect_gt(length(of_both), length(alone), label = paste(name, "with software beside it"))
    software <- grepl("soft-roce", layout_of(figure)$variant)
    expect_true(any(software) && !all(software), label = name)
  }
})
