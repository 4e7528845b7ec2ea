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

locality_line_types <- c("rdma-local" = "solid", "rdma-remote" = "42", "not stated" = "12")

# Steps of log2(queue pairs) to the side, so that intervals at one x stay apart.
locality_sides <- c("rdma-local" = -1, "rdma-remote" = 1, "not stated" = 0)

# Locality as a factor of `locality_levels`, with "not stated" for NA.
stated_locality <- function(locality) {
  text <- as.character(locality)
  text[is.na(text)] <- "not stated"
  factor(text, locality_levels)
}

# The scales of colour, shape and line type under one legend of the levels drawn.
locality_scales <- function(present) {
  present <- intersect(locality_levels, as.character(present))
  title <- "Target memory"
  drawn <- list(name = title, breaks = present, limits = present, labels = locality_labels[present])
  with_values <- function(scale, values) do.call(scale, c(drawn, list(values = values[present])))
  list(
    with_values(scale_colour_manual, locality_colours),
    with_values(scale_shape_manual, locality_shapes),
    with_values(scale_linetype_manual, locality_line_types)
  )
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
