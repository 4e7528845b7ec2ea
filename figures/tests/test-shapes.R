# The table that `onesided simulate --study` writes, and what is stated of the same. The
# numbers of the sweeps are invented.

shape_columns <- c(
  "schema_version", "source", "back_end", "profile", "set_up", "study", "operation",
  "access_bytes", "queue_pairs", "threads", "client_hosts", "window", "counters",
  "put_fraction", "throughput_ops", "relative_throughput", "locality", "limit"
)

sweep_of <- function(study, column, levels, operation = "read", profile = "atc16-cib", ...) {
  rows <- CJ(operation = operation, level = levels)
  rows[, throughput_ops := 1e8 / (1 + .I)]
  rows[, relative_throughput := throughput_ops / throughput_ops[1]]
  setnames(rows, "level", column)
  constant <- list(
    schema_version = 3, source = "simulated", back_end = "sim", profile = profile,
    study = study, ...
  )
  for (name in names(constant)) set(rows, j = name, value = constant[[name]])
  for (name in setdiff(shape_columns, names(rows))) set(rows, j = name, value = NA)
  setcolorder(rows, shape_columns)[]
}

stated_shapes <- function() file.path(dirname(figures), "data", "stated", "shapes.csv")

# The figure called `name` of tables, as its script reads them.
drawn_shapes <- function(name, ..., stated = TRUE) {
  paths <- c(vapply(list(...), write_fixture, ""), if (stated) stated_shapes())
  columns <- of_figure("tables", name)()$shapes
  of_figure("draw", name)(read_shapes(paste(paths, collapse = ","), columns))
}

sizes <- function(...) sweep_of("size", "access_bytes", c(8, 64, 512), c("read", "write"), ...)

test_that("each set-up of a profile is a machine, with a panel of its own", {
  figure <- drawn_shapes(
    "shapes-by-size", sizes(set_up = "campaign a"), sizes(set_up = "campaign b"), sizes(),
    stated = FALSE
  )
  expect_setequal(
    unique(figure$plot$layers[[1]]$data$panel),
    paste0("atc16-cib", c("", " (set-up campaign a)", " (set-up campaign b)"), ", inbound")
  )
})

test_that("a curve is what was simulated, in millions, with a colour an operation", {
  figure <- drawn_shapes("shapes-by-size", sizes(), stated = FALSE)
  curves <- layer_data(figure$plot, 1)
  expect_equal(sort(unique(curves$x)), log2(c(8, 64, 512)))
  expect_equal(curves$y, 1e2 / (2:7))
  expect_setequal(curves$colour, shape_colours[c("read", "write")])
  expect_match(flat(figure$plot$labels$subtitle), "output of a model, not a measurement")
  expect_false(grepl("Crosses", caption_of(figure)))
})

test_that("stated numbers are crosses, and lines where the text has no other coordinate", {
  skip_if_not(file.exists(stated_shapes()), "no stated table")
  outbound <- sweep_of("outbound", "access_bytes", c(8, 32), "write")
  figure <- drawn_shapes("shapes-by-size", sizes(), outbound)
  down <- layer_data(figure$plot, 3)
  across <- layer_data(figure$plot, 4)
  crosses <- layer_data(figure$plot, 5)
  expect_equal(down$xintercept, log2(64))
  expect_equal(sort(across$yintercept), c(80, 88))
  expect_equal(crosses$y, c(121.6, 76.2))
  expect_equal(crosses$shape, c(4, 4))
  panels <- as.character(layout_of(figure)$panel)
  expect_equal(panels, c("atc16-cib, inbound", "atc16-cib, outbound"))
  expect_match(caption_of(figure), "Stated, but not simulated: atc16-cx, atc16-cx3.", fixed = TRUE)
  expect_match(flat(figure$plot$labels$subtitle), "stated in its paper's text")
})

test_that("the best window is a line, atomics and PUTs have crosses at their place", {
  skip_if_not(file.exists(stated_shapes()), "no stated table")
  windows <- sweep_of("window", "window", c(1, 512), access_bytes = 8, threads = 14)
  expect_equal(layer_data(drawn_shapes("shapes-by-window", windows)$plot, 3)$xintercept, 9)
  counters <- sweep_of("atomics", "counters", c(1, 4096), "fetch-and-add")
  crosses <- layer_data(drawn_shapes("atomics-by-counters", counters)$plot, 5)
  expect_equal(crosses$x, c(0, 12))
  expect_equal(crosses$y, c(2.24, 52))
  puts <- sweep_of("key-value", "put_fraction", c(0, 0.5, 1), "mixed")
  figure <- drawn_shapes("key-value-by-puts", puts)
  crosses <- layer_data(figure$plot, 5)
  expect_equal(crosses$x, c(10, 100))
  expect_equal(crosses$y, c(69, 12))
  expect_equal(layer_data(figure$plot, 1)$y[1], 100)
})

test_that("what is stated is drawn alone, too, without a word about what was simulated", {
  skip_if_not(file.exists(stated_shapes()), "no stated table")
  figure <- drawn_shapes("key-value-by-puts")
  expect_equal(nrow(layout_of(figure)), 2)
  expect_false(grepl("put in", caption_of(figure)))
})

test_that("stated numbers say of which operation they are", {
  skip_if_not(file.exists(stated_shapes()), "no stated table")
  outbound <- sweep_of("outbound", "access_bytes", c(8, 32), "write")
  crosses <- layer_data(drawn_shapes("shapes-by-size", sizes(), outbound)$plot, 5)
  expect_setequal(crosses$colour, shape_colours["read"])
})

test_that("of stated places without a rate there are crosses by machine, and no empty panel", {
  skip_if_not(file.exists(stated_shapes()), "no stated table")
  figure <- drawn_shapes("shapes-by-window")
  expect_equal(sort(layer_data(figure$plot, 1)$x), log2(c(16, 512)))
  expect_match(figure$text[2], "against")
  expect_match(figure$text[2], "Machine", fixed = TRUE)
  expect_match(caption_of(figure), "states no rate there", fixed = TRUE)
  beside <- drawn_shapes("shapes-by-size")
  expect_false(any(grepl("atc16-cx,", layout_of(beside)$panel)))
  expect_no_match(caption_of(beside), "not simulated")
  only <- "Not drawn, as the text states only where bandwidth takes over"
  expect_match(caption_of(beside), only, fixed = TRUE)
})

test_that("two machines are panels, a row that stands there twice and other sweeps are refused", {
  figure <- drawn_shapes("shapes-by-size", sizes(), sizes(profile = "atc16-cx3"), stated = FALSE)
  expect_equal(nrow(layout_of(figure)), 2)
  rows <- sizes()
  expect_error(drawn_shapes("shapes-by-size", rows, rows, stated = FALSE), class = "figure_error")
  expect_error(
    drawn_shapes("shapes-by-window", rows, stated = FALSE), "no run has study window",
    class = "nothing_to_draw"
  )
})

test_that("folders of several machines and of what is stated are drawn together", {
  folders <- vapply(c("atc16-cib", "atc16-cx3"), function(profile) {
    folder <- tempfile(profile)
    dir.create(folder)
    write_fixture(sizes(profile = profile), file.path(folder, table_files[["shapes"]]))
    folder
  }, "")
  out <- tempfile("out")
  asked <- paste(c(folders, dirname(stated_shapes())), collapse = ",")
  run <- run_script("shapes-by-size", "--tables", asked, "--out", out, "--formats", "svg")
  expect_equal(run$status, 0L, info = run$errors)
  expect_equal(list.files(out), "shapes-by-size.svg")
})

test_that("saturation rings the first point near the most, and says what is busy at the last", {
  counts <- c(1, 8, 64)
  host <- sweep_of("queue-pairs", "queue_pairs", counts, locality = "rdma-local", limit = "window")
  host[, throughput_ops := c(1e6, 9.7e6, 1e7)]
  host[, limit := c("window", "requester's card", "requester's card")]
  many <- sweep_of(
    "client-hosts", "queue_pairs", counts,
    locality = "rdma-remote", limit = "responder's link, out"
  )
  many[, throughput_ops := c(1e6, 8e6, 2e7)]
  figure <- drawn_shapes("saturation", host, many, stated = FALSE)
  rings <- layer_data(figure$plot, 2)
  expect_equal(sort(rings$y), c(9.7, 20))
  expect_equal(rings$x[order(rings$y)], log2(c(8, 64)))
  expect_setequal(rings$colour, locality_colours[c("rdma-local", "rdma-remote")])
  expect_match(
    caption_of(figure),
    "atc16-cib, READs (one host: its card; many: the server's link, out)", fixed = TRUE
  )
})
