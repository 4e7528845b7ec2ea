# From the units of the tables to those a reader thinks in.

# Nanoseconds to microseconds.
microseconds <- function(ns) ns / 1000

# The unit in which operations per second are drawn: `per` (operations per
# second in one unit) and `name`, chosen by the largest value.
throughput_unit <- function(ops) {
  largest <- max(ops)
  if (largest >= 1e6) {
    list(per = 1e6, name = "M ops/s")
  } else if (largest >= 1e3) {
    list(per = 1e3, name = "k ops/s")
  } else {
    list(per = 1, name = "ops/s")
  }
}

# A size as people write it: 64 B, 1024 B, 64 KiB, 1 MiB. Bytes stay bytes below
# 4096, as the study writes them.
size_label <- function(bytes) {
  fcase(
    bytes >= 2^20 & bytes %% 2^20 == 0, paste(format_number(bytes / 2^20), "MiB"),
    bytes >= 4096 & bytes %% 1024 == 0, paste(format_number(bytes / 1024), "KiB"),
    rep_len(TRUE, length(bytes)), paste(format_number(bytes), "B")
  )
}

# A size in powers of ten, for sizes that were chosen so: 8 kB, 80 MB.
decimal_size_label <- function(bytes) {
  power <- fcase(
    bytes >= 1e9, 3L, bytes >= 1e6, 2L, bytes >= 1e3, 1L, rep_len(TRUE, length(bytes)), 0L
  )
  text <- paste(format_number(bytes / 1000^power), c("B", "kB", "MB", "GB")[power + 1L])
  fifelse(is.na(bytes), "unknown size", text)
}

# A time as people say it: 300 ns, 10 \u00b5s, 3 ms.
time_label <- function(ns) {
  fcase(
    ns >= 1e6, paste(format_number(ns / 1e6), "ms"),
    ns >= 1e3, paste(format_number(ns / 1e3), "\u00b5s"),
    ns < 1e3, paste(format_number(ns), "ns")
  )
}

# A number in full, without exponent, padding or trailing zeros.
format_number <- function(number) {
  vapply(number, format, "", scientific = FALSE, trim = TRUE, drop0trailing = TRUE, digits = 7)
}

# A logarithmic axis of queue pairs with a break at every power of two in range.
queue_pair_scale <- function(queue_pairs) {
  powers <- 2^(floor(log2(min(queue_pairs))):ceiling(log2(max(queue_pairs))))
  # One measured level would leave an axis without width.
  room <- if (length(unique(queue_pairs)) == 1) 1 else 0.35
  list(
    scale_x_continuous(
      name = "Queue pairs", trans = "log2", breaks = powers, minor_breaks = NULL,
      labels = format_number, expand = expansion(add = room)
    )
  )
}
