# What is held fixed in a figure, what differs between its origins, and what changes
# along with the axes or from panel to panel, for the caption.

# `shown`: the factors that the figure shows.
variation_note <- function(runs, shown) {
  origin <- labelled_origins(runs)
  candidates <- setdiff(intersect(c(design_factors, origin_factors), names(runs)), shown)
  # What came of it is shown.
  candidates <- setdiff(candidates, asked_factors[intersect(shown, names(asked_factors))])
  within <- vapply(candidates, function(column) {
    max(vapply(split(runs[[column]], origin), uniqueN, 1L))
  }, 1L)
  levels <- vapply(candidates, function(column) combinations(runs, column), 1L)
  differing <- candidates[within == 1 & levels > 1]
  c(
    fixed_note(runs, candidates[levels == 1]),
    if (is_overlay(origin)) origin_note(runs, origin, intersect(varying_factors, differing)),
    varying_note(intersect(varying_factors, candidates[within > 1]))
  )
}

# A no-break space keeps a number with its unit.
unbroken <- function(text) gsub(" ", "\u00a0", text, fixed = TRUE)

fixed_note <- function(runs, columns) {
  stated <- Filter(function(column) !is.na(runs[[column]][1]), intersect(stated_factors, columns))
  # Of no workers the number says enough.
  stated <- Filter(function(column) {
    !(column == "worker_operation" && runs$worker_operation[1] == "none")
  }, stated)
  if (length(stated) == 0) {
    return(NULL)
  }
  fixed <- vapply(stated, function(column) level_label(column, runs[[column]][1]), "")
  paste0("Fixed: ", paste(unbroken(fixed), collapse = ", "), ".")
}

varying_note <- function(columns) {
  if (length(columns) == 0) {
    return(NULL)
  }
  paste0(
    "Not fixed but changing along with the axes or panels: ",
    paste(gsub("_", " ", columns), collapse = ", "), "."
  )
}

# The level that each origin has of `columns`, in which origins differ; of a factor that
# but one level is known of only that some origins do not state it.
origin_note <- function(runs, origin, columns) {
  first <- runs[match(levels(origin), origin)]
  known <- vapply(columns, function(column) uniqueN(first[[column]], na.rm = TRUE) > 1, TRUE)
  said <- columns[known]
  each <- vapply(seq_len(nrow(first)), function(k) {
    own <- vapply(said, function(column) level_label(column, first[[column]][k]), "")
    paste0(levels(origin)[k], ": ", paste(unbroken(own), collapse = ", "))
  }, "")
  unstated <- gsub("_", " ", intersect(intersect(stated_factors, design_factors), columns[!known]))
  c(
    if (length(said) > 0) paste0("By origin: ", paste(each, collapse = "; "), "."),
    if (length(unstated) > 0) {
      paste0("Not stated by every origin: ", paste(unstated, collapse = ", "), ".")
    }
  )
}
