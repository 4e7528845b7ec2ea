# Runs of several origins in one figure. Where every factor that matters is equal they are
# drawn into the same panels, where line type and shape tell the origins apart as colour
# tells localities; nothing is joined, averaged or selected across origins. The study's own
# machines alone stand in panels of their own, as in its figures; so does each origin where
# software is beside cards.

origin_identity <- c("source", "back_end", "profile", "nic")

# Filled and hollow shapes and line types, in the order of the origins. Pluses and
# crosses cannot be hollow, and are ringed instead.
origin_shapes <- c(16, 17, 15, 18, 3, 4, 8)
origin_hollow_shapes <- c(1, 2, 0, 5, 10, 13, 9)
origin_line_types <- c("solid", "42", "12", "4212", "62", "82", "8212")

# Beyond this nobody tells the shapes apart: panels for each origin are drawn instead.
most_origins <- length(origin_shapes)

origins_of <- function(runs) {
  there <- unique(runs[, intersect(origin_identity, names(runs)), with = FALSE])
  # Radix order does not depend on the locale.
  sorted <- do.call(order, c(unname(as.list(there)), method = "radix"))
  there[sorted]
}

# Whether `there`, the origins of runs, share panels, as far as their factors allow.
overlaid <- function(there) {
  nrow(there) > 1 && nrow(there) <= most_origins && any(there$source != "published") &&
    !has_software_beside_cards(there)
}

# The origins in words: source and profile, and what else tells them apart.
origin_names <- function(there) {
  text <- as.character(there$source)
  add <- function(column, word) {
    if (!column %in% names(there)) {
      return(text)
    }
    paste0(text, fifelse(is.na(there[[column]]), "", paste0(", ", word, " ", there[[column]])))
  }
  text <- add("profile", "profile")
  for (column in c("back_end", "nic")) {
    if (anyDuplicated(text)) text <- add(column, c(back_end = "back end", nic = "NIC")[[column]])
  }
  make.unique(text, sep = " #")
}

# The origin of every run as a factor in the order of the sources.
named_origins <- function(runs) {
  there <- origins_of(runs)
  names <- origin_names(there)
  factor(names[there[runs, on = names(there), which = TRUE]], names)
}

# The same; one level without a name where no panel holds several.
run_origins <- function(runs) {
  if (overlaid(origins_of(runs))) named_origins(runs) else factor(rep("", nrow(runs)))
}

# The same for captions and labels, which name the origins of software and cards that share
# no panel, too.
labelled_origins <- function(runs) {
  if (has_software_beside_cards(runs)) named_origins(runs) else run_origins(runs)
}

is_overlay <- function(origin) nlevels(origin) > 1

# A number for every run, in the order of the sources: among runs of one number a figure
# looks for the levels it prefers and for the fullest curve. The study's own runs have
# one number, as it is their figures that a script draws; every other origin has its own.
measured_together <- function(runs) {
  parts <- lapply(setdiff(intersect(origin_identity, names(runs)), "source"), function(column) {
    fifelse(runs$source %in% "published", "", as.character(runs[[column]]))
  })
  key <- do.call(paste, c(list(as.character(runs$source)), parts, sep = "\r"))
  match(key, unique(key[order(runs$source)]))
}

# What line type and shape show of `points` in `look`: the origin where several share the
# panels, else the place. A list as a look.
marks <- function(look, points) {
  if (!is_overlay(points$origin)) {
    return(look)
  }
  named <- function(values) setNames(head(values, nlevels(points$origin)), levels(points$origin))
  list(
    title = "Origin", labels = setNames(nm = levels(points$origin)),
    shapes = named(origin_shapes), hollow = named(origin_hollow_shapes),
    line_types = named(origin_line_types)
  )
}

# How far each row stands aside for its origin, in steps of the axis: curves that lie
# upon each other would hide one another.
origin_offset <- 0.1

origin_side <- function(origin) (as.integer(origin) - (nlevels(origin) + 1) / 2) * origin_offset

# The scales of points that `look` colours, with a second legend for several origins.
curve_scales <- function(look, points) {
  if (!is_overlay(points$origin)) {
    return(look_scales(look, points$place))
  }
  # Line type and shape are the origin's.
  coloured <- look_scales(look, points$place)[1]
  c(coloured, list(guides(colour = guide_legend(order = 1))), origin_scales(points))
}

origins_a_line <- 2L

# Shape and line type of several origins under one legend; none for one origin.
origin_scales <- function(points) {
  if (!is_overlay(points$origin)) {
    return(NULL)
  }
  look <- marks(NULL, points)
  scale <- function(kind, values) {
    kind(
      name = look$title, values = values, breaks = names(values), limits = names(values),
      guide = guide_legend(order = 2, ncol = origins_a_line)
    )
  }
  list(
    scale(scale_shape_manual, look$shapes), scale(scale_linetype_manual, look$line_types)
  )
}

# The height of the legend of origins, in lines of the caption.
origin_lines <- function(points) {
  if (!"origin" %in% names(points) || !is_overlay(points$origin)) {
    return(0)
  }
  1.6 * ceiling(nlevels(points$origin) / origins_a_line)
}
