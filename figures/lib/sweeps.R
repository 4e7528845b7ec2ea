# Runs that a design made at several levels of one factor and at one of all others.

# The runs of those designs that have several levels of `column`, which is no column of
# every table; the others would be single points beside its curves. `but`: factors that
# may change along with it, in which case `also` has to tell the designs apart.
swept <- function(runs, column, but = character(), also = character()) {
  if (!column %in% names(runs)) {
    refuse_absent("the table has no column '", column, "': nothing to draw")
  }
  runs <- runs[!is.na(runs[[column]])]
  by <- setdiff(c(origin_factors, also, "operation", design_factors), c(column, but))
  by <- intersect(by, names(runs))
  levels <- runs[, list(row = .I, levels = uniqueN(.SD[[1]])), by = by, .SDcols = column]
  kept <- sort(levels$row[levels$levels > 1])
  if (length(kept) == 0) {
    refuse_absent("no design has several levels of ", column, ": no sweep to draw")
  }
  runs[kept]
}
