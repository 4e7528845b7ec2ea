# Telling replicates from runs that merely look alike. Runs are replicates only
# when every factor agrees; a factor that the axes do not show, and that takes
# several levels at one point, gets rows of panels of its own.

# Of different origins: kept apart wherever they occur together.
origin_factors <- c("source", "back_end", "profile", "nic")

# Of one origin, most telling first.
design_factors <- c(
  "workers", "worker_operation", "worker_write_fraction", "load_kind", "load_node", "load_bytes",
  "mtu_bytes", "max_rd_atomic", "window", "threads", "slot_layout", "cache_state", "ddio",
  "client_locality", "worker_locality", "code_generation", "campaign", "experiment"
)

# The factors that every figure by queue pairs shows by itself.
shown_factors <- c("operation", "access_bytes", "locality", "queue_pairs")

# Factors worth stating when they are constant.
stated_factors <- c("mtu_bytes", "max_rd_atomic", "window", "workers", "load_kind")

combinations <- function(runs, columns) {
  if (length(columns) == 0) 1L else uniqueN(runs, by = columns)
}

# The columns that must split `runs` into variants, fewest first to do it: a
# factor that follows from those already chosen adds none.
splitting_factors <- function(runs) {
  chosen <- character()
  for (column in intersect(origin_factors, names(runs))) {
    if (combinations(runs, c(chosen, column)) > combinations(runs, chosen)) {
      chosen <- c(chosen, column)
    }
  }
  for (column in intersect(design_factors, names(runs))) {
    point <- c(shown_factors, chosen)
    if (combinations(runs, c(point, column)) > combinations(runs, point)) {
      chosen <- c(chosen, column)
    }
  }
  chosen
}

# One level of one factor in words, as "MTU 1024 B" or "4 workers".
level_label <- function(column, level) {
  text <- if (is.numeric(level)) format_number(level) else as.character(level)
  named <- switch(column,
    source = text,
    back_end = paste("back end", text),
    mtu_bytes = paste("MTU", text, "B"),
    workers = paste(text, fifelse(text == "1", "worker", "workers")),
    max_rd_atomic = paste("max_rd_atomic", text),
    load_kind = fifelse(text == "none", "no load", paste("load", text)),
    load_bytes = paste("load", text, "B"),
    paste(gsub("_", " ", column), text)
  )
  fifelse(is.na(level), paste(gsub("_", " ", column), "not stated"), named)
}

# The variant of every run as a factor in the order of its columns' levels; one
# level without a name when nothing splits.
run_variants <- function(runs, columns) {
  if (length(columns) == 0) {
    return(factor(rep("", nrow(runs))))
  }
  parts <- lapply(columns, function(column) level_label(column, runs[[column]]))
  labels <- do.call(paste, c(parts, sep = ", "))
  # Radix order does not depend on the locale.
  order <- do.call(order, c(unname(as.list(runs[, columns, with = FALSE])), method = "radix"))
  factor(labels, unique(labels[order]))
}

# What is held fixed and what changes along with the axes, for the caption.
variation_note <- function(runs, columns) {
  candidates <- setdiff(intersect(design_factors, names(runs)), columns)
  levels <- vapply(candidates, function(column) combinations(runs, column), 1L)
  stated <- Filter(
    function(column) levels[[column]] == 1 && !is.na(runs[[column]][1]),
    intersect(stated_factors, candidates)
  )
  fixed <- vapply(stated, function(column) level_label(column, runs[[column]][1]), "")
  varying <- gsub("_", " ", candidates[levels > 1])
  # A no-break space keeps a number with its unit.
  fixed <- gsub(" ", "\u00a0", fixed, fixed = TRUE)
  c(
    if (length(fixed) > 0) paste0("Fixed: ", paste(fixed, collapse = ", "), "."),
    if (length(varying) > 0) {
      paste0("Not fixed but changing along with the axes: ", paste(varying, collapse = ", "), ".")
    }
  )
}
