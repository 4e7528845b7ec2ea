small_figure <- function() {
  draw_latency_by_queue_pairs(read_fixture(fixture_runs(access_bytes = 64)))
}

bytes_of <- function(path) readBin(path, "raw", file.size(path))

for (format in figure_formats) {
  test_that(paste("a second run, in another second and time zone, gives the same", format), {
    first <- write_figure(small_figure(), "figure", tempfile("first"), format)
    Sys.sleep(1.1)
    second <- with_zone(
      "Asia/Tokyo", write_figure(small_figure(), "figure", tempfile("second"), format)
    )
    expect_gt(file.size(first), 500)
    expect_identical(bytes_of(first), bytes_of(second))
  })
}

test_that("another figure gives other bytes", {
  one <- write_figure(small_figure(), "figure", tempfile("one"), "svg")
  runs <- fixture_runs(access_bytes = 64, spread = 0.05)
  other <- write_figure(
    draw_latency_by_queue_pairs(read_fixture(runs)), "figure", tempfile("other"), "svg"
  )
  expect_false(identical(bytes_of(one), bytes_of(other)))
})

test_that("files have the format of their names", {
  paths <- write_figure(small_figure(), "figure", tempfile("kinds"), figure_formats)
  expect_equal(basename(paths), paste0("figure.", c("pdf", "svg", "png", "txt")))
  starts <- lapply(paths, function(path) head(bytes_of(path), 5))
  expect_equal(rawToChar(starts[[1]]), "%PDF-")
  expect_equal(rawToChar(starts[[2]]), "<?xml")
  expect_equal(starts[[3]], as.raw(c(0x89, 0x50, 0x4e, 0x47, 0x0d)))
  expect_equal(list.files(dirname(paths[1])), sort(basename(paths)))
})

test_that("the SVG holds its text as text in the named font", {
  svg <- readLines(write_figure(small_figure(), "figure", tempfile("text"), "svg"))
  expect_true(any(grepl("RDMA-remote", svg, fixed = TRUE)))
  families <- unique(unlist(regmatches(svg, gregexpr("font-family: [^;]*", svg))))
  expect_equal(gsub("[\"']|&quot", "", families), paste("font-family:", figure_font))
})

test_that("an SVG has no title, for its page has it as a heading, and is lower by that", {
  figure <- small_figure()
  svg <- readLines(write_figure(figure, "figure", tempfile("untitled"), "svg"))
  expect_false(any(grepl("Completion latency by queue pairs", svg, fixed = TRUE)))
  expect_true(any(grepl("source: ", svg, fixed = TRUE)))
  points <- as.numeric(sub(".*<svg [^>]*height='([0-9.]+)pt'.*", "\\1", svg[2]))
  expect_lt(points, 72 * figure$height_in - 10)
  expect_gt(points, 72 * figure$height_in - 25)
  expect_gt(laid_out(figure)$title_in, 0)
})

test_that("the PDF has a fixed date and the named font embedded", {
  path <- write_figure(small_figure(), "figure", tempfile("date"), "pdf")
  found <- function(pattern) length(grepRaw(pattern, bytes_of(path))) > 0
  expect_true(found(paste0("/CreationDate \\(D:", pdf_date_digits, "Z")))
  expect_true(found("DejaVuSans"))
})

test_that("the date is fixed in a compressed object, too, as cairo 1.18 writes it", {
  skip_if_not(nzchar(Sys.which("qpdf")), "there is no qpdf here (Debian: qpdf)")
  path <- function(name) file.path(tempdir(), paste0(name, ".pdf"))
  for (name in c("first", "second")) {
    cairo_pdf(path("plain"), 3, 3, family = figure_font)
    plot(1:3)
    dev.off()
    expect_equal(
      system2("qpdf", c("--object-streams=generate", "--static-id", path("plain"), path(name))), 0,
      info = "Debian: qpdf"
    )
    expect_length(pdf_dates(bytes_of(path(name))), 0)
    fix_pdf_dates(path(name))
    Sys.sleep(1.1)
  }
  fixed <- bytes_of(path("first"))
  digits <- fixed[pdf_dates(fixed)[1] + 17 + 0:13]
  expect_equal(rawToChar(digits), pdf_date_digits)
  expect_identical(fixed, bytes_of(path("second")))
})

test_that("a missing font is refused instead of replaced", {
  expect_error(check_font("Helvetica"), "fonts-dejavu-core", class = "figure_error")
})

test_that("a folder that cannot be made is refused", {
  file <- tempfile()
  file.create(file)
  expect_error(
    write_figure(small_figure(), "figure", file.path(file, "below"), "svg"),
    "cannot be made",
    class = "figure_error"
  )
})

test_that("a folder that another process makes at the same moment is no failure", {
  out <- tempfile("raced")
  beaten <- function(path, ...) {
    dir.create(path)
    FALSE
  }
  expect_identical(make_folder(out, beaten), out)
  expect_error(make_folder(tempfile("never"), function(...) FALSE), "cannot be made")
})
