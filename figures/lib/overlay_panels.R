# Panels that origins share although their factors differ. A factor that splits the runs
# of one origin may have a single level in another, which none of the panels has, or
# change there along with the axis. Alone in panels of its own such an origin could be
# compared with nothing: it is drawn in every panel instead, and why is said.

# By origin the factors that must split its runs; `rows` split all of them.
own_splits <- function(runs, origin, shown, rows) {
  parts <- if (is_overlay(origin)) split(runs, origin) else list(runs)
  lapply(parts, function(part) union(splitting_factors(part, shown), rows))
}

# By column of `splitting`, a matrix of a row a run: whether the panels of that factor
# say nothing of its origin. `own` is what `own_splits` returned.
levels_elsewhere <- function(runs, origin, splitting, own) {
  columns <- lapply(splitting, function(column) {
    levels <- lapply(split(as.character(runs[[column]]), origin), unique)
    splits <- vapply(own, function(columns) column %in% columns, TRUE) & lengths(levels) > 1
    # What is not stated is no level that another origin has too.
    home <- setdiff(unlist(levels[splits]), NA)
    alike <- lengths(levels) == 1 & vapply(levels, function(level) level[1] %in% home, TRUE)
    unname((any(splits) & !splits & !alike)[as.integer(origin)])
  })
  matrix(
    as.logical(unlist(columns)), nrow(runs), length(splitting),
    dimnames = list(NULL, splitting)
  )
}

# The variants of runs by the factors of which panels say something: the designs, whose
# levels of the axis are counted.
own_designs <- function(runs, splitting, elsewhere) {
  if (!any(elsewhere)) {
    return(run_variants(runs, splitting))
  }
  levels <- runs[, splitting, with = FALSE]
  for (column in splitting) set(levels, which(elsewhere[, column]), column, NA)
  run_variants(levels, splitting)
}

# The combinations of levels that make the panels: those of the origins of which all
# factors say something, or else all of what each factor says.
panel_levels <- function(levels, elsewhere) {
  host <- rowSums(elsewhere) == 0
  if (any(host)) {
    return(unique(levels[host]))
  }
  homes <- lapply(names(levels), function(column) {
    unique(levels[[column]][!elsewhere[, column]])
  })
  do.call(CJ, c(setNames(homes, names(levels)), sorted = FALSE))
}

# The points of `runs`, each once for every panel that it stands in. `read` is what
# `run_points` returned.
in_shared_panels <- function(read, runs) {
  elsewhere <- read$elsewhere
  if (!any(elsewhere)) {
    return(read$points)
  }
  splitting <- read$splitting
  levels <- runs[, splitting, with = FALSE]
  panels <- panel_levels(levels, elsewhere)
  # Runs of one origin and design stand in the same panels.
  design <- paste(read$points$origin, do.call(paste, c(levels, sep = "\r")))
  places <- lapply(which(!duplicated(design)), function(row) {
    panels_of(levels[row], panels, splitting[elsewhere[row, ]])
  })[match(design, unique(design))]
  points <- read$points[rep(seq_along(places), vapply(places, nrow, 1L))]
  points$variant <- run_variants(rbindlist(places), splitting)
  points
}

# The panels of one run: its own levels, with those of `panels` in the columns `free`.
panels_of <- function(own, panels, free) {
  if (length(free) == 0) {
    return(own)
  }
  fixed <- setdiff(names(own), free)
  fits <- if (length(fixed) > 0) panels[own[, fixed, with = FALSE], on = fixed, nomatch = NULL]
  # No panel has its own levels: then in panels of them, as often as there are others.
  others <- unique((if (is.null(fits) || nrow(fits) == 0) panels else fits)[, free, with = FALSE])
  cbind(own[rep(1, nrow(others)), fixed, with = FALSE], others)[, names(own), with = FALSE]
}

# Which origins are drawn in every panel, and the levels that no panel has.
shared_note <- function(runs, origin, splitting, elsewhere) {
  said <- vapply(levels(origin), function(name) {
    rows <- which(origin == name)
    columns <- splitting[elsewhere[rows[1], ]]
    own <- vapply(columns, function(column) {
      levels <- unique(runs[[column]][rows])
      if (length(levels) == 1) {
        level_label(column, levels)
      } else {
        paste("changing", gsub("_", " ", column))
      }
    }, "")
    if (length(own) == 0) "" else paste0(name, " (", paste(own, collapse = ", "), ")")
  }, "")
  if (all(said == "")) {
    return(NULL)
  }
  paste0(
    "In every panel, as no panel has its levels: ", paste(said[said != ""], collapse = "; "), "."
  )
}
