# How RDMA-local and RDMA-remote look, the same in every figure: on the NIC's
# node or not. Colour, lightness, shape and line type each tell them apart, so
# that print in grey and any colour vision will do.

# Levels as drawn; the last is for runs whose table does not say.
locality_levels <- c("rdma-local", "rdma-remote", "not stated")

locality_labels <- c(
  "rdma-local" = "RDMA-local", "rdma-remote" = "RDMA-remote", "not stated" = "not stated"
)

# Ours, because: a dark blue and a mid orange lie on the blue-yellow axis, which
# red-green vision deficiency keeps, and some 35 units of lightness apart.
locality_colours <- c(
  "rdma-local" = "#12436D", "rdma-remote" = "#E07B1A", "not stated" = "#8C8C8C"
)

locality_shapes <- c("rdma-local" = 16, "rdma-remote" = 17, "not stated" = 15)

locality_hollow_shapes <- c("rdma-local" = 1, "rdma-remote" = 2, "not stated" = 0)

locality_line_types <- c("rdma-local" = "solid", "rdma-remote" = "42", "not stated" = "12")

# Steps of the axis to the side, so that intervals at one level stay apart.
locality_sides <- c("rdma-local" = -1, "rdma-remote" = 1, "not stated" = 0)

# Locality as a factor of `locality_levels`, with "not stated" for NA.
stated_locality <- function(locality) {
  text <- as.character(locality)
  text[is.na(text)] <- "not stated"
  factor(text, locality_levels)
}

# A sentence for the caption when one of the two localities is absent, else NULL.
locality_note <- function(present) {
  compared <- locality_levels[1:2]
  absent <- setdiff(compared, as.character(present))
  if (length(absent) == 0) {
    return(NULL)
  }
  sprintf("No %s runs in this table.", paste(locality_labels[absent], collapse = " or "))
}

# A look is what tells the curves of a panel apart: the legend's `title`, and by
# level the `labels`, `colours`, `shapes` (filled and hollow), `line_types` and
# `sides`; `columns` are the factors it shows, `of` gives the level of every run.
locality_look <- list(
  title = "Target memory", columns = "locality",
  of = function(runs) stated_locality(runs$locality),
  labels = locality_labels, colours = locality_colours, shapes = locality_shapes,
  hollow = locality_hollow_shapes, line_types = locality_line_types, sides = locality_sides
)
