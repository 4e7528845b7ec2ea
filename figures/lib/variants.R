# Telling replicates from runs that merely look alike. Runs are replicates only
# when every factor agrees; a factor that the axes do not show, and that takes
# several levels at one point, gets rows of panels of its own.

# Of different origins: kept apart wherever they occur together. To a reader of
# the published data the generation of the code says what "remote" means, and
# the campaign which cables were measured.
origin_factors <- c("source", "back_end", "profile", "nic", "code_generation", "campaign")

# Of one origin, the most telling ones first. All others that the schema knows follow: a
# factor that no one thought of here tells runs apart all the same. The experiment is none
# of them: it names why a run was made, and equal factors make replicates whatever the
# reason. Neither are those by which every figure chooses its runs or its panels.
telling_factors <- c(
  "workers", "worker_operation", "worker_write_fraction", "load_kind", "load_node", "load_bytes",
  "queue_pairs", "access_bytes", "mtu_bytes", "max_rd_atomic", "window",
  "client_hosts", "threads",
  "slot_layout", "cache_state", "ddio", "client_locality", "worker_locality",
  "worker_threads", "worker_pattern"
)
design_factors <- c(
  telling_factors,
  setdiff(factors_of_runs, c(telling_factors, "operation", "locality", "loop"))
)

# The factors that every figure by queue pairs shows by itself.
shown_factors <- c("operation", "access_bytes", "locality", "queue_pairs")

# Factors worth stating when they are constant.
stated_factors <- c(
  "code_generation", "campaign", "queue_pairs", "access_bytes", "mtu_bytes", "max_rd_atomic",
  "window", "workers", "worker_operation", "worker_write_fraction", "load_kind", "cache_state",
  "ddio"
)

# Factors worth a warning when they are not: those that a reader takes for constant,
# though runs of different origins may differ in them.
varying_factors <- c(design_factors, "code_generation", "campaign")

combinations <- function(runs, columns) {
  if (length(columns) == 0) 1L else uniqueN(runs, by = columns)
}

# The columns that must split `runs` into variants, fewest first to do it: a
# factor that follows from those already chosen adds none. `shown`: the factors
# that axes, colours and panels show anyway.
splitting_factors <- function(runs, shown = shown_factors) {
  shown <- intersect(shown, names(runs))
  chosen <- character()
  for (column in setdiff(intersect(origin_factors, names(runs)), shown)) {
    known <- c(intersect(origin_factors, shown), chosen)
    if (combinations(runs, c(known, column)) > combinations(runs, known)) {
      chosen <- c(chosen, column)
    }
  }
  for (column in setdiff(intersect(design_factors, names(runs)), shown)) {
    point <- c(shown, chosen)
    if (combinations(runs, c(point, column)) > combinations(runs, point)) {
      chosen <- c(chosen, column)
    }
  }
  chosen
}

load_node_labels <- c(
  "none" = "no load", "agnostic" = "load on both nodes",
  "rdma-local" = "load on the RDMA-local node",
  "rdma-remote" = "load on the RDMA-remote node"
)

# One level of one factor in words, as "MTU 1024 B" or "4 workers".
level_label <- function(column, level) {
  text <- if (is.numeric(level)) format_number(level) else as.character(level)
  plain <- gsub("_", " ", column)
  named <- switch(column,
    source = text,
    profile = text,
    nic = text,
    locality = paste(locality_labels[text], "memory"),
    back_end = paste("back end", text),
    access_bytes = paste(size_label(level), "accesses"),
    worker_operation = fifelse(text == "none", "no worker operation", paste("workers:", text)),
    worker_write_fraction = paste0("workers write ", format_number(100 * as.numeric(level)), " %"),
    load_kind = fifelse(text == "none", "no load", paste("load", text)),
    load_node = unname(load_node_labels[text]),
    ddio = fifelse(text == "default", "DDIO default", paste("DDIO", text)),
    words_of_level(column, text)
  )
  if (is.null(named)) named <- paste(plain, text)
  fifelse(is.na(level), paste(plain, "not stated"), named)
}

# The combination of levels of `columns` in every run, in words, as a factor in
# the order of the levels; one level without a name when there are no columns.
run_variants <- function(runs, columns) {
  levels <- lapply(setNames(nm = columns), function(column) {
    labelled_levels(runs[[column]], column)
  })
  combined_levels(levels, nrow(runs))
}

# Levels of the factor called `column` in words, as a factor in the order of the levels.
labelled_levels <- function(levels, column) {
  # Radix order does not depend on the locale.
  there <- unique(levels)
  there <- there[order(there, method = "radix")]
  labels <- level_label(column, there)
  factor(labels[match(levels, there)], unique(labels))
}

# A list of `rows` levels of each of several factors as one factor of their combinations.
combined_levels <- function(levels, rows) {
  if (length(levels) == 0) {
    return(factor(rep("", rows)))
  }
  sorted <- do.call(order, c(unname(lapply(levels, as.integer)), method = "radix"))
  text <- do.call(paste, c(unname(lapply(levels, as.character)), sep = ", "))
  factor(text, unique(text[sorted]))
}
