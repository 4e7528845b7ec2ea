# Writing a figure so that a second run gives the same bytes.

# Neither R's nor cairo's PDF device takes a date from outside, SOURCE_DATE_EPOCH
# included, so the digits are overwritten in place: same length, same offsets.
pdf_date_digits <- "19700101000000"

png_pixels_per_inch <- 220

# Where dates of a PDF file begin.
pdf_dates <- function(bytes) {
  grepRaw("/(CreationDate|ModDate) *\\(D:[0-9]{14}", bytes, all = TRUE)
}

# Replaces the creation date inside a PDF file. cairo 1.18 keeps it inside a compressed
# object, which qpdf takes apart.
fix_pdf_dates <- function(path) {
  bytes <- readBin(path, "raw", file.size(path))
  if (length(pdf_dates(bytes)) == 0) {
    take_apart(path)
    bytes <- readBin(path, "raw", file.size(path))
  }
  starts <- pdf_dates(bytes)
  for (start in starts) {
    colon <- start + grepRaw("D:", bytes[start:(start + 24L)], fixed = TRUE)
    bytes[colon + seq_len(nchar(pdf_date_digits))] <- charToRaw(pdf_date_digits)
  }
  if (length(starts) == 0) {
    message(
      "warning: found no date to fix in ", path, ": it will differ from run to run",
      if (!nzchar(Sys.which("qpdf"))) " (install qpdf, which reads what cairo 1.18 writes)"
    )
  }
  writeBin(bytes, path)
}

# Writes a PDF file anew without compressed objects, where qpdf is there.
take_apart <- function(path) {
  if (!nzchar(Sys.which("qpdf"))) {
    return(invisible())
  }
  apart <- paste0(path, ".apart")
  on.exit(unlink(apart))
  # Another identifier would be made of the date.
  options <- c("--object-streams=disable", "--static-id", shQuote(path), shQuote(apart))
  if (system2("qpdf", options) == 0) file.rename(apart, path)
}

open_device <- function(format, path, width_in, height_in) {
  switch(format,
    pdf = cairo_pdf(path, width_in, height_in, family = figure_font),
    svg = svglite::svglite(path, width_in, height_in, bg = "white"),
    png = ragg::agg_png(
      path, width_in, height_in,
      units = "in", res = png_pixels_per_inch, background = "white"
    ),
    refuse("unknown format '", format, "'")
  )
}

# Calls `draw` on a device that writes `path`; the file appears whole or not at all.
write_format <- function(format, path, width_in, height_in, draw) {
  partial <- paste0(path, ".partial")
  on.exit(unlink(partial))
  open_device(format, partial, width_in, height_in)
  device <- dev.cur()
  tryCatch(draw(), finally = dev.off(device))
  if (format == "pdf") fix_pdf_dates(partial)
  if (!file.rename(partial, path)) refuse(path, ": cannot be written")
}

# The laid-out plot of a figure, `whole`, and `untitled`, which is `title_in` inches lower. Text is
# measured on one device for all formats, so that they have one layout, whichever are asked for.
laid_out <- function(figure) {
  caption <- figure$caption
  if (!is.null(caption)) figure$plot <- figure$plot + labs(caption = if (length(caption)) caption)
  ragg::agg_capture(figure$width_in, figure$height_in, units = "in", res = png_pixels_per_inch)
  device <- dev.cur()
  on.exit(dev.off(device))
  whole <- ggplotGrob(figure$plot)
  title <- which(whole$layout$name == "title")
  row <- whole$layout$t[title]
  title_in <- grid::convertHeight(whole$heights[row], "in", valueOnly = TRUE)
  untitled <- whole
  untitled$grobs[[title]] <- zeroGrob()
  untitled$heights[row] <- grid::unit(0, "in")
  list(whole = whole, untitled = untitled, title_in = title_in)
}

# Makes a folder that can be written to, unless it is there or another process makes
# it meanwhile; returns its path. `create` makes it.
make_folder <- function(out, create = dir.create) {
  if (!dir.exists(out)) create(out, recursive = TRUE, showWarnings = FALSE)
  if (!dir.exists(out)) refuse(out, ": the folder cannot be made")
  if (file.access(out, 2) != 0) refuse(out, ": the folder cannot be written to")
  out
}

# What a figure shows and every note on it, a paragraph each: first its title, then what is seen.
write_text <- function(figure, path) {
  partial <- paste0(path, ".partial")
  on.exit(unlink(partial))
  paragraphs <- gsub("\u00a0", " ", gsub("\n", "\n\n", figure$text, fixed = TRUE), fixed = TRUE)
  writeLines(enc2utf8(paste(paragraphs, collapse = "\n\n")), partial, useBytes = TRUE)
  if (!file.rename(partial, path)) refuse(path, ": cannot be written")
}

# Writes `figure` as `out/name.format` for each of `formats`; returns the paths. An SVG is for a
# page that has the title as a heading, as the report does; the others stand alone and have it.
write_figure <- function(figure, name, out, formats) {
  check_font()
  # cairo writes the zone's offset after the date.
  zone <- Sys.getenv("TZ", NA)
  Sys.setenv(TZ = "UTC")
  on.exit(if (is.na(zone)) Sys.unsetenv("TZ") else Sys.setenv(TZ = zone))
  make_folder(out)
  paths <- file.path(out, paste0(name, ".", formats))
  layout <- laid_out(figure)
  for (k in seq_along(formats)) {
    if (formats[k] == "txt") {
      write_text(figure, paths[k])
      next
    }
    svg <- formats[k] == "svg"
    draw <- function() grid::grid.draw(if (svg) layout$untitled else layout$whole)
    height_in <- figure$height_in - if (svg) layout$title_in else 0
    write_format(formats[k], paths[k], figure$width_in, height_in, draw)
  }
  paths
}
