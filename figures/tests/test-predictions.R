# Figures of predictions: what they draw, count and refuse.

# Invented conditions: `n` design points, both localities of each, `off` by point.
fixture_predictions <- function(measured = c(1e6, 2e6, 4e6), remote = c(0.5, 1.01, 2),
                                off = c(0.1, 0, -0.2), role = "held-out",
                                quantity = "throughput") {
  rows <- data.table(
    schema_version = max(versions_of("predictions")), source = "published", profile = "cx3",
    split = "half, seed 1",
    role = role, why = NA_character_, design_point = sprintf("point-%d", seq_along(measured)),
    significant = c("true", "false", "true"), experiments = c("a", "a", "a b c"),
    operation = "read", client_locality = "rdma-local", quantity = quantity
  )
  near <- copy(rows)[, `:=`(locality = "rdma-local", measured = measured, predicted = measured)]
  far <- copy(rows)[, `:=`(locality = "rdma-remote", measured = measured * remote)]
  far[, predicted := measured * (1 + off)]
  rows <- rbind(near, far)
  rows[, relative_error := predicted / measured - 1][]
}

predictions_of <- function(...) read_predictions(write_fixture(fixture_predictions(...)))

stored_predictions <- function() {
  project <- dirname(figures)
  # As tests and benchmarks of the harness leave it, where none is named.
  built <- file.path(project, "harness", "target", c("debug", "release"), "onesided")
  programs <- c(Sys.getenv("ONESIDED_BINARY"), built[order(file.mtime(built), decreasing = TRUE)])
  program <- programs[nzchar(programs) & file.exists(programs)][1]
  skip_if(is.na(program), "no program: ONESIDED_BINARY names none, and none is built")
  table <- tempfile(fileext = ".csv.gz")
  judged <- system2(program, c(
    "calibrate", "nurdma-cx4", "--as-it-is", "--json", "--out", table, "--profiles",
    file.path(project, "profiles"), "--conditions",
    file.path(project, "data", "published", "conditions.csv.gz")
  ), stdout = TRUE)
  list(table = read_predictions(table), judged = paste(judged, collapse = " "))
}

test_that("each held-out condition is a point in the panel of its experiment, with n and errors", {
  figure <- draw_predicted_against_measured(predictions_of())
  points <- layer_data(figure$plot, 5)
  expect_equal(nrow(points), 6)
  expect_equal(sort(10^points$x), sort(c(1, 2, 4, 0.5, 2.02, 8)))
  expect_setequal(points$shape, locality_shapes[c("rdma-local", "rdma-remote")])
  panels <- gsub("\u00a0", " ", as.character(layout_of(figure)$panel))
  expect_equal(panels, c(
    "a\nn = 4, median 0.0 %, p90 10.0 %", "a + 2\nn = 2, median 20.0 %, p90 20.0 %"
  ))
  expect_match(caption_of(figure), "n = 6, median 0.0 %, 90th percentile 20.0 %", fixed = TRUE)
  expect_match(caption_of(figure), "Held out: half, seed 1.", fixed = TRUE)
})

test_that("the diagonal and a tenth to either side are drawn", {
  figure <- draw_predicted_against_measured(predictions_of())
  intercepts <- vapply(1:3, function(layer) layer_data(figure$plot, layer)$intercept[1], 1)
  expect_equal(10^intercepts, c(1, 1.1, 1 / 1.1))
})

test_that("latencies are microseconds in a panel of their own", {
  figure <- draw_predicted_against_measured(predictions_of(quantity = "latency"))
  expect_match(as.character(layout_of(figure)$panel), "^a.*, latency\n")
  expect_equal(max(10^layer_data(figure$plot, 5)$x), 8e3)
})

test_that("what is predicted is not called a measurement, and what is measured not a model", {
  for (draw in c(draw_predicted_against_measured, draw_prediction_errors, draw_prediction_signs)) {
    expect_equal(
      flat(draw(predictions_of())$plot$labels$subtitle),
      "predicted: simulated, back end sim, profile cx3: output of a model; measured: published"
    )
  }
})

test_that("errors stand by experiment and role, those set aside apart, the rest counted", {
  aside <- fixture_predictions(role = "set-aside")[, `:=`(why = "odd", significant = NA)]
  aside[1:2, `:=`(predicted = NA, measured = NA, relative_error = NA, quantity = NA)]
  uncovered <- copy(aside[1:2])[, `:=`(role = "not-covered", why = "no notion")]
  table <- read_predictions(write_fixture(rbind(fixture_predictions(), aside, uncovered)))
  figure <- draw_prediction_errors(table)
  expect_equal(as.character(layout_of(figure)$role), c("held out", "set aside"))
  points <- layer_data(figure$plot, 2)
  expect_equal(as.vector(table(points$PANEL)), c(6, 4))
  expect_equal(round(10^max(points$x), 6), 0.2)
  caption <- caption_of(figure)
  expect_match(caption, "held out: n = 6, median 0.0 %, 90th percentile 20.0 %", fixed = TRUE)
  expect_match(caption, "set aside: n = 4", fixed = TRUE)
  expect_match(caption, "not drawn: 2 not covered, 2 set aside", fixed = TRUE)
})

test_that("median and 90th percentile are marked in each row", {
  figure <- draw_prediction_errors(predictions_of())
  medians <- layer_data(figure$plot, 3)
  expect_equal(sort(10^medians$x), c(least_error, 0.2))
  expect_equal(sort(10^layer_data(figure$plot, 4)$x), c(0.1, 0.2))
})

test_that("signs are counted among pairs whose difference is sure", {
  figure <- draw_prediction_signs(predictions_of(off = c(0.1, 0, -0.6)))
  points <- layer_data(figure$plot, 4)
  expect_equal(round(10^points$x, 6), c(1.01, 2, 0.5))
  expect_equal(round(10^points$y, 6), c(1.01, 0.8, 0.55))
  expect_equal(points$shape, unname(sign_shapes[c(3, 2, 1)]))
  expect_match(
    caption_of(figure), "n = 3 pairs, of which 2 differ .*told right in 1, 50 %"
  )
})

test_that("of latencies the shorter is the better place", {
  pairs <- sign_pairs(predictions_of(quantity = "latency"))
  expect_equal(sort(pairs$measured), c(0.5, 1 / 1.01, 2))
})

test_that("a prediction of no difference is not right about one", {
  rows <- fixture_predictions()[, predicted := 1e6]
  pairs <- sign_pairs(read_predictions(write_fixture(rows)))
  expect_equal(sum(pairs$told == "differs, told right"), 0)
})

test_that("figures count what the program counts", {
  stored <- stored_predictions()
  field <- function(name) {
    held_out <- sub('.*"on_held_out": *[{]([^}]*)[}].*', "\\1", stored$judged)
    as.numeric(sub(paste0('.*"', name, '": *([0-9.e-]+).*'), "\\1", held_out))
  }
  rows <- predicted_rows(stored$table, "held-out")
  errors <- abs(rows$relative_error)
  expect_equal(nrow(rows), field("points"))
  expect_equal(judged_quantile(errors, 0.5), field("median_error"), tolerance = 1e-4)
  expect_equal(judged_quantile(errors, 0.9), field("p90_error"), tolerance = 1e-4)
  pairs <- sign_pairs(rows)
  expect_equal(sum(pairs$significant), field("significant_pairs"))
  expect_equal(sum(pairs$told == "differs, told right"), field("right_pairs"))
})

test_that("tables of nothing that is predicted, wrong words and rows twice are refused", {
  none <- fixture_predictions(role = "not-covered")
  none[, `:=`(predicted = NA, measured = NA, relative_error = NA)]
  for (draw in c(draw_predicted_against_measured, draw_prediction_errors, draw_prediction_signs)) {
    expect_error(draw(read_predictions(write_fixture(none))), class = "nothing_to_draw")
  }
  refused <- function(rows, message) {
    expect_error(read_predictions(write_fixture(rows)), message, class = "figure_error")
  }
  refused(fixture_predictions(role = "kept"), "'kept'")
  refused(rbind(fixture_predictions(), fixture_predictions()[1]), "more than once")
  refused(fixture_predictions()[, !"significant"], "lacks the column 'significant'")
})

test_that("two machines are drawn together, each under its own name", {
  other <- fixture_predictions()[, profile := "cx4"]
  folders <- vapply(list(fixture_predictions(), other), function(rows) {
    folder <- tempfile("folder")
    dir.create(folder)
    fwrite(rows, file.path(folder, "predictions.csv.gz"), na = "", compress = "gzip")
    folder
  }, "")
  run <- run_script(
    "prediction-signs", "--tables", paste(folders, collapse = ","), "--out", tempfile("out"),
    "--formats", "svg"
  )
  expect_equal(run$status, 0L)
  again <- run_script(
    "prediction-signs", "--tables", paste(folders[c(1, 1)], collapse = ","), "--out",
    tempfile("out")
  )
  expect_equal(again$status, 2L)
})
