# Latency and bandwidth of messages by length: pushed, pulled, and either by a threshold, beside
# TCP on loopback (as NetPIPE, Fig 1 of Scale-Out NUMA).
# From which length on is it better to fetch a message than to be sent it? (Fig 8 of
# Scale-Out NUMA, of which the text states single numbers.)

# Returns the figure of the messages of a table.
draw_fabric_messages <- function(fabric_messages, at = list()) {
  sound <- sound_fabric(selected(fabric_messages, at = at))
  rows <- sound$rows
  is_stated <- rows$source == "published"
  pulled <- fifelse(
    rows$way %in% "combined" & !is_stated,
    sprintf(" (pull from %s B)", format_number(rows$threshold_bytes)), ""
  )
  way <- fifelse(is_stated | is.na(rows$way), "", paste0(", ", rows$way, pulled))
  rows$series <- paste0(fabric_machine(rows), way)
  # Of one bandwidth the text says only what it is more than.
  if (!"bandwidth_low_gbit_per_s" %in% names(rows)) rows$bandwidth_low_gbit_per_s <- NA_real_
  bound <- is_stated & is.na(rows$bandwidth_gbit_per_s) & !is.na(rows$bandwidth_low_gbit_per_s)
  rows$bandwidth_gbit_per_s[bound] <- rows$bandwidth_low_gbit_per_s[bound]
  cells <- fabric_cells(rows, "message_bytes", list(
    "Half a round trip (µs)" = list(column = "latency_ns", unit = 1e3),
    "Bandwidth in one direction (Gb/s)" = list(column = "bandwidth_gbit_per_s", unit = 1)
  ))
  is_tcp <- rows$back_end %in% "tcp" & !is_stated
  alone <- unique(rows$threads[!is_stated & !is_tcp & !is.na(rows$threads)])
  fabric_plot(
    cells, rows, "Bytes a message", "Messages by length",
    c(
      if (1 %in% alone) {
        "Both ends are of one thread, which does in turns what either does: their times add up."
      },
      if (any(is_tcp)) {
        "tcp: through the kernel on loopback, no network; a thread at each end, which blocks."
      },
      if (any(is_tcp) && 1 %in% alone) {
        "Do not compare tcp with the others here: it has two threads, and they have one."
      },
      if (any(bound)) "The stated bandwidth at 4 KiB is a lower bound.",
      sound$note
    )
  )
}

tables_fabric_messages <- function() {
  list("fabric-messages" = c("way", "message_bytes", "latency_ns", "bandwidth_gbit_per_s"))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
