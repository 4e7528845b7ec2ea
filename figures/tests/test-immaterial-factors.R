# Factors that may differ between runs that are laid over each other, and where they may not.

test_that("where the server's threads are keeps sends of two origins apart, and no reads", {
  two <- function(operation) {
    runs <- overlay_of(operation = operation)
    runs[, server_threads := fifelse(source == "measured", "rdma-remote", "rdma-local")]
    draw_throughput_by_queue_pairs(runs)
  }
  reads <- two("read")
  expect_no_match(caption_of(reads), "Origins that differ")
  sends <- two("send")
  expect_equal(nrow(layout_of(sends)), 2 * nrow(layout_of(reads)))
  expect_match(
    caption_of(sends), "Origins that differ in server threads are in panels of their own.",
    fixed = TRUE
  )
})

test_that("a factor that matters with some levels only has levels that runs can have", {
  expect_gt(length(levels_that_matter), 0)
  for (levels in levels_that_matter) {
    for (level in levels) expect_true(level[2] %in% words_of("runs", level[1]))
  }
})
