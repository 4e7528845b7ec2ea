# The table of runs, one row a run.

# Closed sets of levels that are drawn in the order of their declaration.
run_levels <- levels_of(
  "runs", c("source", "operation", "locality", "loop", "worker_operation", "load_node")
)

# Columns no figure can do without; a figure adds the one it draws.
run_identity <- c(
  "source", "back_end", "run_id", "operation", "locality", "queue_pairs", "access_bytes",
  "loop", "valid"
)

# Together they name a run: a run id is derived from the design point only, so
# two machines or two sources may share one.
run_key <- c("source", "back_end", "profile", "experiment", "run_id")

# The runs of one table as a data.table: numbers in their own units, choices as
# factors in a fixed order, `valid` as a logical. `columns`: those needed beyond
# `run_identity`.
read_runs <- function(path, columns = character()) {
  # Published ones have the columns of every run, and their own.
  runs <- read_table("published-runs", path, c(run_identity, columns), run_levels, run_key)
  set(runs, j = "valid", value = as_truth(runs$valid, "valid", path))
  runs
}

# Whether each run has the doubt called `name`; a table without doubts has none.
has_doubt <- function(runs, name) {
  if (!"doubts" %in% names(runs)) {
    return(rep(FALSE, nrow(runs)))
  }
  grepl(paste0(" ", name, " "), paste0(" ", runs$doubts, " "), fixed = TRUE)
}

# How many of the runs have each doubt, for the caption; NULL when none has any.
# `told`: the doubts that another note of the same figure tells.
doubts_note <- function(runs, told = character()) {
  if (!"doubts" %in% names(runs)) {
    return(NULL)
  }
  # A run may be drawn in several panels.
  runs <- unique(runs, by = intersect(run_key, names(runs)))
  counts <- table(unlist(strsplit(runs$doubts[!is.na(runs$doubts)], " ", fixed = TRUE)))
  counts <- counts[setdiff(names(counts), told)]
  if (length(counts) == 0) {
    return(NULL)
  }
  paste0("Doubts about runs drawn: ", paste0(names(counts), " ", counts, collapse = ", "), ".")
}
