# Panels that origins share although their factors differ. An origin that was measured
# at one level of a factor, which none of the panels of the others has, would be alone in
# a panel; it is drawn in every panel instead, and its level is said.

# By column of `splitting`, a matrix of a row a run: whether its origin has one level
# there, and none of those at which the origins with several levels stand.
levels_elsewhere <- function(runs, origin, splitting) {
  columns <- lapply(splitting, function(column) {
    levels <- lapply(split(as.character(runs[[column]]), origin), unique)
    single <- lengths(levels) == 1
    # What is not stated is no level that another origin has too.
    home <- setdiff(unlist(levels[!single]), NA)
    elsewhere <- single & !vapply(levels, function(level) level[1] %in% home, TRUE)
    unname((any(!single) & elsewhere)[as.integer(origin)])
  })
  matrix(unlist(columns), ncol = length(splitting), dimnames = list(NULL, splitting))
}

# The points of `runs` with those of an origin whose levels are elsewhere once for each
# panel that fits in the other factors. `splitting`: the factors that make the variants.
in_shared_panels <- function(points, runs, splitting) {
  if (!is_overlay(points$origin) || length(splitting) == 0) {
    return(points)
  }
  elsewhere <- levels_elsewhere(runs, points$origin, splitting)
  guest <- rowSums(elsewhere) > 0
  if (!any(guest) || all(guest)) {
    return(points)
  }
  levels <- runs[, splitting, with = FALSE]
  panels <- unique(data.table(levels[!guest], variant = points$variant[!guest]))
  shared <- lapply(split(which(guest), points$origin[guest], drop = TRUE), function(rows) {
    fixed <- splitting[!elsewhere[rows[1], ]]
    repeated(points[rows], levels[rows], panels, fixed)
  })
  all <- rbindlist(c(list(points[!guest]), unname(shared)))
  all$variant <- droplevels(all$variant)
  all
}

# Rows of one origin, each in all of `panels` that have its levels of the factors
# `fixed`; a row that fits none keeps its own.
repeated <- function(points, levels, panels, fixed) {
  targets <- lapply(seq_len(nrow(points)), function(row) {
    fits <- rep(TRUE, nrow(panels))
    for (column in fixed) fits <- fits & panels[[column]] %in% levels[[column]][row]
    unique(panels$variant[fits])
  })
  targets[lengths(targets) == 0] <- as.list(points$variant[lengths(targets) == 0])
  row <- rep(seq_len(nrow(points)), lengths(targets))
  copies <- points[row]
  copies$variant <- unlist(targets)
  copies
}

# Which origins are drawn in every panel, with the levels that no panel has.
shared_note <- function(runs, origin, splitting) {
  if (!is_overlay(origin) || length(splitting) == 0) {
    return(NULL)
  }
  elsewhere <- levels_elsewhere(runs, origin, splitting)
  first <- match(levels(origin), origin)
  said <- vapply(seq_along(first), function(k) {
    columns <- splitting[elsewhere[first[k], ]]
    if (length(columns) == 0) {
      return(NA_character_)
    }
    own <- vapply(columns, function(column) level_label(column, runs[[column]][first[k]]), "")
    paste0(levels(origin)[k], " (", paste(own, collapse = ", "), ")")
  }, "")
  said <- said[!is.na(said)]
  if (length(said) == 0 || length(said) == nlevels(origin)) {
    return(NULL)
  }
  paste0("In every panel, as no panel has its levels: ", paste(said, collapse = "; "), ".")
}
