lab <- function(colour) convertColor(t(col2rgb(colour)) / 255, "sRGB", "Lab")

test_that("the two localities differ in colour, lightness, shape and line type", {
  pair <- c("rdma-local", "rdma-remote")
  colours <- lab(locality_colours[pair])
  expect_gt(abs(diff(colours[, 1])), 30)
  # The blue-yellow axis, which red-green vision deficiency keeps.
  expect_gt(abs(diff(colours[, 3])), 60)
  expect_equal(anyDuplicated(locality_shapes[pair]), 0)
  expect_equal(anyDuplicated(locality_line_types[pair]), 0)
})

test_that("both stand out from white paper", {
  expect_true(all(lab(locality_colours)[, 1] < 65))
})

test_that("every level has a label and a look", {
  for (look in list(
    locality_labels, locality_colours, locality_shapes, locality_line_types, locality_sides
  )) {
    expect_equal(names(look), locality_levels)
  }
  expect_true(all(run_levels$locality %in% locality_levels))
})

test_that("a locality that is missing is drawn as not stated", {
  expect_equal(as.character(stated_locality(factor(c("rdma-remote", NA)))), c(
    "rdma-remote", "not stated"
  ))
})

test_that("an absent locality is said", {
  expect_null(locality_note(c("rdma-remote", "rdma-local")))
  expect_equal(locality_note("rdma-local"), "No RDMA-remote runs in this table.")
  expect_equal(locality_note("not stated"), "No RDMA-local or RDMA-remote runs in this table.")
})
