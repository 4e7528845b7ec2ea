# Which runs are a figure's topic. A figure says the levels without which it would
# be another figure (`where`), and the study's own levels of the factors it holds
# fixed (`prefer`), which narrow a table that has them and leave any other alone,
# so that one script draws the published table and a small one of a laboratory, and
# both at once: what one of them has narrows nothing of the other.

# No workers, no load, nothing done to the caches. The study's second code, since
# in its first one the client moves along with the memory.
quiet_server <- list(
  workers = 0, load_kind = "none", cache_state = c("default", NA), ddio = c("default", NA),
  code_generation = c("v2", NA)
)

# The rows with one of `levels` in `column`; a column that is not there is NA.
has_level <- function(table, column, levels) {
  values <- table[[column]]
  if (is.null(values)) values <- rep(NA, nrow(table))
  if (is.numeric(values)) {
    return(values %in% suppressWarnings(as.numeric(levels)))
  }
  as.character(values) %in% as.character(levels)
}

level_words <- function(column, levels) {
  paste0(column, " ", paste(fifelse(is.na(levels), "empty", as.character(levels)), collapse = "/"))
}

# The rows of `table` at the levels asked for by `at` (a list by column), then of
# `where`, then of `prefer`. A level "any" in `at` lifts the figure's own; a column
# in `at` replaces what the figure says of it.
selected <- function(table, where = list(), prefer = list(), at = list()) {
  unknown <- setdiff(names(at), names(table))
  if (length(unknown) > 0) refuse_unknown("'--at' names no column of the table: ", listed(unknown))
  lifted <- vapply(at, function(levels) "any" %in% levels, TRUE)
  needed <- c(at[!lifted], where[setdiff(names(where), names(at))])
  for (column in names(needed)) {
    rows <- has_level(table, column, needed[[column]])
    if (!any(rows)) {
      there <- head(sort(unique(as.character(table[[column]]))), 8)
      refuse_absent(
        "no run has ", level_words(column, needed[[column]]),
        " (left at that point: ", nrow(table), " runs with ", listed(there), "): nothing to draw"
      )
    }
    table <- table[rows]
  }
  for (column in setdiff(names(prefer), names(at))) {
    rows <- has_level(table, column, prefer[[column]])
    together <- measured_together(table)
    table <- table[rows | !together %in% together[rows]]
  }
  table
}

# `levels` with those of `changes` in place; NULL takes one out.
with_levels <- function(levels, changes) {
  for (column in names(changes)) levels[column] <- list(changes[[column]])
  levels[!vapply(levels, is.null, TRUE)]
}

# Experiments whose rows are runs of an application, not of verbs.
application_experiments <- "memcached"

# The runs of verbs in a table.
verbs_runs <- function(runs) {
  if (!"experiment" %in% names(runs)) {
    return(runs)
  }
  verbs <- which(!runs$experiment %in% application_experiments)
  if (length(verbs) == 0) refuse_absent("the table holds applications only: nothing to draw")
  runs[verbs]
}
