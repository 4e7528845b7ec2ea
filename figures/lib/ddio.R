# Runs with the NIC's writes into the cache switched off, and their like with them on.

# The saturating runs with DDIO off, beside mixed workers and beside none.
with_ddio_off <- function(runs, at) {
  selected(
    verbs_runs(runs),
    with_levels(quiet_server, list(
      loop = "saturating", workers = NULL, ddio = "off", code_generation = NULL,
      worker_operation = c("mixed", "none"), operation = c("read", "write")
    )),
    prefer = list(queue_pairs = 8), at = at
  )
}

# What runs with DDIO on have to have in common with those without: all but that. Of the
# study also program and campaign, which differ in how long a read takes by more than DDIO does.
alike_but_for_ddio <- c(
  "source", "back_end", "profile", "code_generation", "campaign", "queue_pairs", "access_bytes",
  "mtu_bytes", "operation", "worker_operation", "worker_write_fraction", "load_kind", "loop",
  "cache_state"
)

# The figure of the runs `off` and of those of `runs` that are like them with DDIO on. Its title
# says what it has, and `which`, where all are of something.
off_and_on <- function(off, runs, which = "") {
  # That there are none of them is told before anything is compared.
  force(off)
  alike <- intersect(alike_but_for_ddio, names(runs))
  on <- runs[runs$ddio == "default"][unique(off[, alike, with = FALSE]), on = alike, nomatch = NULL]
  together <- measured_together(rbind(off, on))
  own <- seq_len(nrow(off))
  alone <- unique(as.character(off$source[!together[own] %in% together[-own]]))
  title <- paste0(
    "Throughput by server workers, DDIO ", if (nrow(on) > 0) "off and on" else "off", which
  )
  note <- if (length(alone) > 0) {
    paste0(
      "DDIO off alone of ", paste(alone, collapse = ", "), ": no run with DDIO on is of the same ",
      "program and campaign, so that nothing here says how much DDIO does."
    )
  }
  curves(
    drawable(rbind(off, on), "throughput_ops"), throughput, "workers",
    title = title, columns = "ddio", note = note
  )
}
