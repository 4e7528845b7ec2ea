# Looks beside that of locality, for figures whose curves are something else, and
# the scales of any look.

# Where client and server of an application are. The colour is that of the
# server's memory; a client elsewhere than its server is darker, with lozenges.
placement_levels <- c("both-local", "client-local", "both-remote")

placement_look <- list(
  title = "Placement", columns = c("locality", "client_locality"),
  of = function(runs) {
    server <- as.character(runs$locality)
    level <- fcase(
      server == "rdma-local" & runs$client_locality %in% "rdma-local", "both-local",
      server == "rdma-remote" & runs$client_locality %in% "rdma-local", "client-local",
      server == "rdma-remote" & runs$client_locality %in% "rdma-remote", "both-remote"
    )
    factor(level, placement_levels)
  },
  labels = c(
    "both-local" = "both RDMA-local", "client-local" = "client RDMA-local, server RDMA-remote",
    "both-remote" = "both RDMA-remote"
  ),
  colours = c(
    "both-local" = locality_colours[["rdma-local"]], "client-local" = "#A8530B",
    "both-remote" = locality_colours[["rdma-remote"]]
  ),
  shapes = c("both-local" = 16, "client-local" = 18, "both-remote" = 17),
  hollow = c("both-local" = 1, "client-local" = 5, "both-remote" = 2),
  line_types = c("both-local" = "solid", "client-local" = "12", "both-remote" = "42"),
  sides = c("both-local" = -1, "client-local" = 0, "both-remote" = 1)
)

# Reads against writes. Neither hue is one of a locality.
operation_levels <- c("read", "write")

operation_look <- list(
  title = "Operation", columns = "operation",
  of = function(runs) factor(as.character(runs$operation), operation_levels),
  labels = c("read" = "RDMA read", "write" = "RDMA write"),
  colours = c("read" = "#2B2B2B", "write" = "#A66FB5"),
  shapes = c("read" = 15, "write" = 18), hollow = c("read" = 0, "write" = 5),
  line_types = c("read" = "solid", "write" = "42"), sides = c("read" = -1, "write" = 1)
)

# For a quantity of both localities together.
single_look <- list(
  title = NULL, columns = "locality", of = function(runs) factor(rep("all", nrow(runs))),
  labels = c("all" = "all"), colours = c("all" = "#2B2B2B"), shapes = c("all" = 16),
  hollow = c("all" = 1), line_types = c("all" = "solid"), sides = c("all" = 0)
)

# The scales of colour, shape and line type under one legend of the levels drawn.
look_scales <- function(look, present) {
  present <- intersect(names(look$labels), as.character(present))
  drawn <- list(
    name = look$title, breaks = present, limits = present, labels = unname(look$labels[present]),
    guide = if (is.null(look$title)) "none" else "legend"
  )
  with_values <- function(scale, values) do.call(scale, c(drawn, list(values = values[present])))
  list(
    with_values(scale_colour_manual, look$colours),
    with_values(scale_shape_manual, look$shapes),
    with_values(scale_linetype_manual, look$line_types)
  )
}
