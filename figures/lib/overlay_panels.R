# Which origins share a panel. Two of them are laid over each other only where no factor that
# matters is known to differ between them; else each has panels of its own, named by the
# factor. A factor that one of them does not state may differ, which the caption says.

# Factors that may differ between runs that are laid over each other, each with its reason;
# `unless` are levels of a run, as in "operation=send", with which the factor matters.
immaterial <- read.csv(
  file.path(dirname(sourced_file()), "immaterial-factors.csv"), colClasses = "character"
)

# Those that never matter. Of a place that was asked for, what came of it is compared.
immaterial_factors <- c(immaterial$factor[!nzchar(immaterial$unless)], unname(asked_factors))

# Of each of the others the levels with which it matters.
levels_that_matter <- local({
  some <- immaterial[nzchar(immaterial$unless), ]
  lapply(setNames(strsplit(some$unless, " "), some$factor), strsplit, "=")
})

# Whether a factor matters in each run.
matters <- function(runs, column) {
  levels <- levels_that_matter[[column]]
  if (is.null(levels)) {
    return(rep(TRUE, nrow(runs)))
  }
  Reduce(`|`, lapply(levels, function(level) runs[[level[1]]] %in% level[2]))
}

# What origins are compared by: nothing where a factor does not matter. Of the study's threads
# those that post, one for each queue pair: in its saturating loop each has another one that
# polls.
compared_levels <- function(runs, column) {
  levels <- runs[[column]]
  levels[!matters(runs, column)] <- NA
  if (column == "threads") {
    levels <- fifelse(runs$source %in% "published", pmin(levels, runs$queue_pairs), levels)
  }
  levels
}

# The factors of which origins are known to have no level in common somewhere, at a place
# that `at` (a text for each run) names.
factors_apart <- function(runs, origin, candidates, at) {
  Filter(function(column) {
    level <- as.character(compared_levels(runs, column))
    known <- !is.na(level)
    if (uniqueN(level[known]) < 2) {
      return(FALSE)
    }
    seen <- unique(data.table(at = at[known], level = level[known], origin = origin[known]))
    of_level <- seen[, list(origins = .N), by = c("at", "level")]
    # Origins at a place, and the most of them that share a level.
    there <- seen[, list(origins = uniqueN(origin)), by = "at"]
    shared <- of_level[, list(origins = max(origins)), by = "at"]
    any(there$origins > shared$origins)
  }, candidates)
}

# A text for each run of its levels of `columns`.
place_of <- function(runs, columns) {
  if (!any(columns %in% names(runs))) {
    return(rep("", nrow(runs)))
  }
  levels <- lapply(intersect(columns, names(runs)), function(column) {
    compared_levels(runs, column)
  })
  do.call(paste, c(levels, sep = "\r"))
}

# The factors by which runs stand in different panels, and of these the ones that keep
# origins apart: `all` and `apart`. `panel` are those that panels show anyway, `point` those
# that tell points of a panel apart, `rows` those that split all runs.
panel_factors <- function(runs, origin, panel, point, rows) {
  shown <- c(panel, point)
  parts <- if (is_overlay(origin)) split(runs, origin) else list(runs)
  own <- lapply(parts, function(part) union(splitting_factors(part, shown), rows))
  found <- list(all = unique(unlist(own, use.names = FALSE)), apart = character(), own = own)
  candidates <- setdiff(intersect(design_factors, names(runs)), c(shown, immaterial_factors))
  while (is_overlay(origin)) {
    left <- setdiff(candidates, found$all)
    at <- paste(place_of(runs, panel), panel_variants(runs, origin, found), sep = "\r")
    apart <- union(
      factors_apart(runs, origin, left, at),
      factors_apart(runs, origin, left, paste(at, place_of(runs, point), sep = "\r"))
    )
    if (length(apart) == 0) break
    # The most telling one may be enough.
    first <- intersect(candidates, apart)[1]
    found$all <- c(found$all, first)
    found$apart <- c(found$apart, first)
  }
  found
}

# The variant of every run by the factors `found`. An origin of which a factor changes along
# with the axis has one level of it, or its curve would be cut into pieces.
panel_variants <- function(runs, origin, found) {
  if (!is_overlay(origin)) {
    return(run_variants(runs, found$all))
  }
  parts <- lapply(setNames(nm = found$all), function(column) {
    labels <- labelled_levels(compared_levels(runs, column), column)
    changing <- paste("changing", gsub("_", " ", column))
    changes <- vapply(levels(origin), function(name) {
      !column %in% found$own[[name]] && uniqueN(labels[origin == name]) > 1
    }, TRUE)
    text <- fifelse(changes[as.integer(origin)], changing, as.character(labels))
    factor(text, intersect(c(levels(labels), changing), text))
  })
  combined_levels(parts, nrow(runs))
}

# What keeps origins apart, and how threads were compared, for the caption.
apart_note <- function(runs, origin, found) {
  if (!is_overlay(origin)) {
    return(software_note(runs))
  }
  study <- runs$source %in% "published"
  polling <- "threads" %in% names(runs) &&
    any(study & runs$threads > runs$queue_pairs, na.rm = TRUE)
  c(
    if (length(found$apart) > 0) {
      paste0(
        "Origins that differ in ", paste(gsub("_", " ", found$apart), collapse = ", "),
        " are in panels of their own."
      )
    },
    if (polling) "Of two threads a queue pair, the study's, one posts: it is what is compared."
  )
}
