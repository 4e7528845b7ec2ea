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
  over_tcp <- rows$back_end %in% "tcp"
  way[is_stated & over_tcp] <- ", tcp"
  rows$series <- paste0(fabric_machine(rows), way)
  # Of some numbers the text says only what they are more or less than.
  bounded <- c(
    "bandwidth_low_gbit_per_s" = "bandwidth_gbit_per_s",
    "bandwidth_high_gbit_per_s" = "bandwidth_gbit_per_s", "latency_low_ns" = "latency_ns"
  )
  bound <- rep(FALSE, nrow(rows))
  for (limit in intersect(names(bounded), names(rows))) {
    column <- bounded[[limit]]
    is_bound <- is_stated & is.na(rows[[column]]) & !is.na(rows[[limit]])
    set(rows, which(is_bound), column, rows[[limit]][is_bound])
    bound <- bound | is_bound
  }
  cells <- fabric_cells(rows, "message_bytes", list(
    "Half a round trip (µs)" = list(column = "latency_ns", unit = 1e3),
    "Bandwidth in one direction (Gb/s)" = list(column = "bandwidth_gbit_per_s", unit = 1)
  ))
  is_tcp <- over_tcp & !is_stated
  alone <- unique(rows$threads[!is_stated & !is_tcp & !is.na(rows$threads)])
  fabric_plot(
    cells, rows, "Bytes a message", "Messages by length",
    c(
      message_notes(1 %in% alone, any(is_tcp), any(bound & !over_tcp), any(bound & over_tcp)),
      sound$note
    )
  )
}

# What a reader must know of these rows: whether both ends are of one thread, whether there are some
# over TCP, and which stated numbers are bounds.
message_notes <- function(by_one_thread, has_tcp, is_bound, is_bound_over_tcp) {
  c(
    if (by_one_thread) {
      "Both ends are of one thread, which does in turns what either does: their times add up."
    },
    if (has_tcp) {
      "tcp: through the kernel on loopback, no network; a thread at each end, which blocks."
    },
    if (has_tcp && by_one_thread) {
      "Do not compare tcp with the others here: it has two threads, and they have one."
    },
    if (is_bound) "The stated bandwidth at 4 KiB is a lower bound.",
    if (is_bound_over_tcp) {
      paste(
        "Stated over TCP, between two machines and of no size: latency of short messages is",
        "above its line, bandwidth of long ones below."
      )
    }
  )
}

tables_fabric_messages <- function() {
  list("fabric-messages" = c("way", "message_bytes", "latency_ns", "bandwidth_gbit_per_s"))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
