# Writing a figure so that a second run gives the same bytes.

# Neither R's nor cairo's PDF device takes a date from outside, SOURCE_DATE_EPOCH
# included, so the digits are overwritten in place: same length, same offsets.
pdf_date_digits <- "19700101000000"

png_pixels_per_inch <- 220

# Replaces the creation date inside a PDF file. A cairo that keeps it inside a
# compressed object leaves nothing to replace, which is said, as the file is
# sound but differs from run to run.
fix_pdf_dates <- function(path) {
  bytes <- readBin(path, "raw", file.size(path))
  starts <- grepRaw("/(CreationDate|ModDate) *\\(D:[0-9]{14}", bytes, all = TRUE)
  for (start in starts) {
    colon <- start + grepRaw("D:", bytes[start:(start + 24L)], fixed = TRUE)
    bytes[colon + seq_len(nchar(pdf_date_digits))] <- charToRaw(pdf_date_digits)
  }
  if (length(starts) == 0) {
    message("warning: found no date to fix in ", path, ": it will differ from run to run")
  }
  writeBin(bytes, path)
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

# Draws `figure` into `path`; the file appears whole or not at all.
write_format <- function(figure, format, path) {
  partial <- paste0(path, ".partial")
  on.exit(unlink(partial))
  open_device(format, partial, figure$width_in, figure$height_in)
  device <- dev.cur()
  tryCatch(print(figure$plot), finally = dev.off(device))
  if (format == "pdf") fix_pdf_dates(partial)
  if (!file.rename(partial, path)) refuse(path, ": cannot be written")
}

# Writes `figure` as `out/name.format` for each of `formats`; returns the paths.
write_figure <- function(figure, name, out, formats) {
  check_font()
  # cairo writes the zone's offset after the date.
  zone <- Sys.getenv("TZ", NA)
  Sys.setenv(TZ = "UTC")
  on.exit(if (is.na(zone)) Sys.unsetenv("TZ") else Sys.setenv(TZ = zone))
  if (!dir.exists(out) && !dir.create(out, recursive = TRUE, showWarnings = FALSE)) {
    refuse(out, ": the folder cannot be made")
  }
  if (file.access(out, 2) != 0) refuse(out, ": the folder cannot be written to")
  paths <- file.path(out, paste0(name, ".", formats))
  for (k in seq_along(formats)) write_format(figure, formats[k], paths[k])
  paths
}
