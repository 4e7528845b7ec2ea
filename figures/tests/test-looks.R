lightness <- function(colours) convertColor(t(col2rgb(colours)) / 255, "sRGB", "Lab")[, 1]

looks <- list(locality = locality_look, placement = placement_look, operation = operation_look)

for (name in names(looks)) {
  test_that(paste("curves told apart by", name, "are told apart in grey"), {
    look <- looks[[name]]
    levels <- setdiff(names(look$labels), "not stated")
    distances <- dist(lightness(look$colours[levels]))
    expect_gt(min(distances), 12)
    for (part in c("shapes", "hollow", "line_types")) {
      expect_equal(anyDuplicated(look[[part]][levels]), 0)
    }
    expect_true(all(lightness(look$colours) < 70))
  })
  test_that(paste("every level of the look of", name, "has all its parts"), {
    look <- looks[[name]]
    for (part in c("colours", "shapes", "hollow", "line_types", "sides")) {
      expect_equal(names(look[[part]]), names(look$labels))
    }
  })
}

test_that("reads and writes have none of the colours of a locality", {
  expect_length(intersect(operation_look$colours, locality_colours), 0)
})

test_that("a server's locality keeps its colour where the client is placed, too", {
  expect_equal(placement_look$colours[["both-local"]], locality_colours[["rdma-local"]])
  expect_equal(placement_look$colours[["both-remote"]], locality_colours[["rdma-remote"]])
})

test_that("the tiles of memory latencies go from light to dark", {
  expect_gt(lightness(shortest_colour) - lightness(longest_colour), 60)
})
