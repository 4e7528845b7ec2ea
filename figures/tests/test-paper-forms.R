# Figures in the study's own form, what its text states of them, and the words beside a picture.

test_that("a ratio is drawn as per cent more or as a speedup, its interval in order", {
  cells <- data.table(mean = 1.25, low = 1.2, high = 1.3, own_low = NA_real_, own_high = NA_real_)
  more <- in_form(copy(cells), as_percent_more)
  expect_equal(c(more$mean, more$low, more$high), c(25, 20, 30))
  speedup <- in_form(copy(cells), as_speedup)
  expect_equal(c(speedup$mean, speedup$low, speedup$high), c(0.8, 1 / 1.3, 1 / 1.2))
  expect_true(is.na(speedup$own_low))
})

# What paper/claims.toml expects of a claim, as lowest and highest value.
expected_of <- function(claim) {
  lines <- readLines(file.path(figures, "..", "paper", "claims.toml"))
  at <- match(sprintf('id = "%s"', claim), lines)
  line <- grep("^expect = ", lines[at:length(lines)], value = TRUE)[1]
  numbers <- as.numeric(regmatches(line, gregexpr("[0-9.]+", sub("no-effect.*", "", line)))[[1]])
  if (numbers[1] == numbers[2]) numbers[1:2] + c(-1, 1) * numbers[3] else numbers[1:2]
}

test_that("what is marked as stated is what the claims expect", {
  stated <- fread(stated_path)
  expect_gt(nrow(stated), 0)
  for (k in seq_len(nrow(stated))) {
    row <- stated[k]
    expected <- expected_of(row$claim)
    if (row$claim == "fig5b-3x") expected <- 100 * (expected - 1)
    if (row$figure == "speedup-by-queue-pairs") expected <- rev(1 / (1 + expected / 100))
    expect_equal(c(row$low, row$high), expected, tolerance = 1e-4, info = row$claim)
    expect_true(file.exists(file.path(figures, paste0(row$figure, ".R"))))
  }
})

worked <- function(...) {
  runs <- fixture_runs(access_bytes = 8, loop = "saturating", queue_pairs = 8)
  runs <- rbindlist(lapply(c(0, 8, 48), function(workers) {
    busy <- copy(runs)
    busy$workers <- workers
    if (workers > 0) {
      busy$worker_operation <- "mixed"
      busy$worker_write_fraction <- 0.9
    }
    busy
  }))
  for (column in names(list(...))) runs[[column]] <- list(...)[[column]]
  runs$run_id <- sprintf("fixture-%04d", seq_len(nrow(runs)))
  read_fixture(runs)
}

test_that("the improvement by workers has the bands of the card that the text speaks of", {
  studied <- draw_improvement_by_workers(
    worked(source = "published", nic = "ConnectX-3", profile = "nurdma-cx3")
  )
  expect_match(caption_of(studied), "Green: what the study's text states.", fixed = TRUE)
  expect_match(studied$plot$labels$title, "the study's Fig 5", fixed = TRUE)
  expect_no_match(caption_of(draw_improvement_by_workers(worked())), "Green")
})

test_that("the speedup is drawn up to the queue pairs of the study's Fig 3b", {
  runs <- read_fixture(one_size(loop = "closed", queue_pairs = c(1, 8, 16, 64)))
  speedup <- draw_speedup_by_queue_pairs(runs)
  expect_equal(max(layer_data(speedup$plot, 5)$x), 4)
  expect_lt(max(layer_data(speedup$plot, 5)$y), 1)
  many <- read_fixture(one_size(loop = "closed", queue_pairs = 64))
  expect_error(draw_speedup_by_queue_pairs(many), class = "nothing_to_draw")
})

test_that("none has a place on a load's axis that no mark touches", {
  axis <- load_axis("bytes", c(0, 800, 8e9))
  expect_equal(axis$labels, c("none", "1k", "100k", "10M", "1G"))
  expect_gte(min(diff(axis$position(axis$breaks))), 2)
})

test_that("a load's place is an axis of its own", {
  runs <- fixture_runs(access_bytes = 64, loop = "saturating", queue_pairs = 8)
  loaded <- function(node) {
    beside <- copy(runs)
    beside[, c("load_kind", "load_bytes", "load_node") := list("independent", 8e9, node)]
  }
  all <- rbindlist(c(list(runs), lapply(c("agnostic", "rdma-local", "rdma-remote"), loaded)))
  all[, run_id := sprintf("fixture-%04d", .I)]
  figure <- draw_throughput_by_load_node(read_fixture(all))
  expect_equal(sort(unique(round(means_of(figure)$x))), 1:4)
  expect_error(draw_throughput_by_load_node(read_fixture(runs)), class = "nothing_to_draw")
})

test_that("the picture has three lines of notes at most, and the text file has all", {
  figure <- draw_throughput_by_workers(worked())
  expect_lte(length(strsplit(figure$caption, "\n", fixed = TRUE)[[1]]), most_caption_lines)
  folder <- tempfile("text")
  write_figure(figure, "workers", folder, c("txt", "svg"))
  text <- readLines(file.path(folder, "workers.txt"))
  expect_equal(text[1], figure$plot$labels$title)
  expect_match(text[3], "^Plot of Throughput .* against Server workers.*RDMA read.* at 0 to ")
  for (note in c("Not fixed ", "source: soft-roce", "drawn")) {
    expect_true(any(grepl(note, text)), note)
  }
  picture <- paste(readLines(file.path(folder, "workers.svg")), collapse = "\n")
  lines <- strsplit(figure$caption, "\n", fixed = TRUE)[[1]]
  for (line in gsub("<", "&lt;", lines, fixed = TRUE)) expect_match(picture, line, fixed = TRUE)
  # A note too many is in the text alone.
  more <- caption_lines(c(lines, strrep("more words ", 60)), figure$width_in)
  expect_false(any(grepl("more words", more)))
})

test_that("a compact picture has neither title nor notes", {
  figure <- compact(draw_throughput_by_workers(worked()))
  folder <- tempfile("compact")
  write_figure(figure, "workers", folder, c("svg", "txt"))
  # Its page says how many runs there are and what the bars are.
  text <- readLines(file.path(folder, "workers.txt"))
  expect_match(text[5], "^[0-9]+ runs[.]$")
  expect_match(text[7], "^(One run a point|Small points: single runs).*interval")
  expect_length(text, 7)
  picture <- paste(readLines(file.path(folder, "workers.svg")), collapse = "\n")
  for (absent in c("Throughput by server workers", "source:", "Bars")) {
    expect_false(grepl(absent, picture, fixed = TRUE), absent)
  }
  expect_match(picture, "RDMA-local", fixed = TRUE)
})

test_that("a compact picture has letters of five points, and nothing of it is cut", {
  figure <- compact(draw_throughput_by_workers(worked()))
  # As wide as the report prints it: 37 parts of a hundred of its text (paper/report.lua).
  printed_in <- 2.4
  width_in <- compact_part[["width"]] * panels_width(2)
  expect_gte(figure_text_points * printed_in / width_in, 4.8)
  names <- vapply(figure$plot$scales$scales, function(scale) toString(scale$name), "")
  expect_lte(max(nchar(unlist(strsplit(names, "\n", fixed = TRUE)))), compact_letters[["axis"]])
  labels <- figure$plot$facet$params$labeller(data.frame(x = "load on the RDMA-remote node"))
  expect_equal(unname(labels[[1]]), "load on the\nRDMA-remote\nnode")
  expect_equal(figure$plot$theme$legend.direction, "vertical")
  long <- paste("Bars: so.", thin_bars("the run's own", "throughput"), "Points: so.")
  expect_equal(in_short(long), "Bars: so. Thin bars: of single runs. Points: so.")
})
