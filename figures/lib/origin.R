# Where numbers come from, said on every figure: a stand-in carries its own name
# into every plot.

# What each source may be taken for.
origin_meaning <- c(
  "published" = "the study's own data",
  "measured" = "hardware",
  "soft-roce" = "function only, no performance claim",
  "emulated" = "a NIC in software, no performance claim about hardware",
  "simulated" = "output of a model, not a measurement"
)

# The same of the latency of memory, of which the study's text tells and its data not.
memory_latency_meaning <- replace(origin_meaning, "published", "stated in the study's text")

# The same of the emulated fabric's tables.
fabric_meaning <- replace(origin_meaning, "published", "stated in its paper's text")

# One label for each source, back end, profile and NIC, as
# "source: soft-roce, back end verbs on rdma_rxe: function only, no performance claim".
# A table without back ends, as that of memory latencies, names none.
origin_labels <- function(runs, meaning) {
  column <- function(name) {
    if (name %in% names(runs)) as.character(runs[[name]]) else rep(NA_character_, nrow(runs))
  }
  source <- column("source")
  # What Soft-RoCE calls its device is a name of the set-up; the driver is the fact.
  device <- fifelse(source == "soft-roce", "rdma_rxe", column("nic"))
  # A rdma_rxe machine is a virtual one: its profile says nothing about a NIC.
  profile <- fifelse(source == "soft-roce", NA_character_, column("profile"))
  back_end <- if ("back_end" %in% names(runs)) {
    paste(", back end", fcoalesce(column("back_end"), "not stated"))
  } else {
    ""
  }
  is_loopback <- column("back_end") %in% "tcp" & source != "published"
  means <- fifelse(is_loopback, "the kernel on loopback, no network", unname(meaning[source]))
  paste0(
    "source: ", source, back_end,
    fifelse(is.na(device), "", paste0(" on ", device)),
    fifelse(is.na(profile), "", paste0(", profile ", profile)),
    ": ", means
  )
}

# All origins of the drawn runs, one a line, in the order of the sources. `meaning`:
# what each source may be taken for.
origin_statement <- function(runs, meaning = origin_meaning) {
  paste(unique(origin_labels(runs[order(runs$source)], meaning)), collapse = "\n")
}
