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

# One label for each source, back end, profile and NIC, as
# "source: soft-roce, back end verbs on rdma_rxe: function only, no performance claim".
origin_labels <- function(runs) {
  column <- function(name) {
    if (name %in% names(runs)) as.character(runs[[name]]) else rep(NA_character_, nrow(runs))
  }
  source <- column("source")
  # What Soft-RoCE calls its device is a name of the set-up; the driver is the fact.
  device <- fifelse(source == "soft-roce", "rdma_rxe", column("nic"))
  # A rdma_rxe machine is a virtual one: its profile says nothing about a NIC.
  profile <- fifelse(source == "soft-roce", NA_character_, column("profile"))
  back_end <- fcoalesce(column("back_end"), "not stated")
  paste0(
    "source: ", source, ", back end ", back_end,
    fifelse(is.na(device), "", paste0(" on ", device)),
    fifelse(is.na(profile), "", paste0(", profile ", profile)),
    ": ", origin_meaning[source]
  )
}

# All origins of the drawn runs, one a line, in the order of the sources.
origin_statement <- function(runs) {
  paste(unique(origin_labels(runs[order(runs$source)])), collapse = "\n")
}
