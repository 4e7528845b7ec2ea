# That scripts are short enough to read. Their lints are looked for by ci/test.d/lint.

scripts <- c(
  list.files(figures, "[.]R$", recursive = TRUE, full.names = TRUE),
  file.path(figures, "draw"), file.path(figures, "tests", "run")
)

test_that("no file is longer than 250 lines and no function than 40", {
  for (path in scripts) {
    expect_lte(length(readLines(path)), 250)
    code <- parse(path, keep.source = TRUE, encoding = "UTF-8")
    for (k in seq_along(code)) {
      if (!grepl("<- function", as.character(attr(code, "srcref")[[k]])[1], fixed = TRUE)) next
      place <- attr(code, "srcref")[[k]]
      expect_lte(place[3] - place[1] + 1, 40, label = paste(basename(path), code[[k]][[2]]))
    }
  }
})
