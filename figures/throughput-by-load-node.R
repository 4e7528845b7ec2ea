# Throughput beside the same independent load, by where the load's threads and memory are: on
# no node in particular, on the node of the card, or on the other. (Section V-C of the study,
# in words only.)

# Places of the load in the order of the axis.
load_places <- c("none", "agnostic", "rdma-local", "rdma-remote")
load_place_labels <- c("none", "unbound", "RDMA-\nlocal", "RDMA-\nremote")

# The runs beside the largest load that was bound, and beside none, with their `load_place`.
beside_placed_loads <- function(runs) {
  is_bound <- runs$load_node %in% load_places[3:4] & !is.na(runs$load_bytes)
  bound <- runs[is_bound]
  if (nrow(bound) == 0) refuse_absent("no run has a load of known size that is bound to a node")
  # Each origin's own largest: a level of fewer runs has smaller loads.
  origin <- intersect(origin_identity, names(runs))
  size <- bound[, list(size = max(load_bytes)), by = origin][runs, on = origin]$size
  runs <- runs[which(runs$load_kind == "none" | runs$load_bytes == size)]
  node <- as.character(runs$load_node)
  runs$load_place <- match(fifelse(runs$load_kind == "none", "none", node), load_places)
  # Where and how large an absent load would have been tells nothing apart.
  runs$load_bytes <- max(bound$load_bytes)
  runs$load_kind <- bound$load_kind[1]
  runs$load_node <- "agnostic"
  runs[!is.na(runs$load_place)]
}

# Returns the figure of the saturating runs beside placed loads of a table.
draw_throughput_by_load_node <- function(runs, at = list()) {
  levels <- with_levels(quiet_server, list(loop = "saturating", load_kind = NULL))
  prefer <- list(queue_pairs = 8, campaign = c("b", NA), mtu_bytes = 256, experiment = "load")
  all <- selected(verbs_runs(runs), levels, prefer, at)
  runs <- beside_placed_loads(all)
  sizes <- unique(all$load_bytes[which(all$load_node %in% load_places[3:4])])
  largest <- decimal_size_label(max(sizes, na.rm = TRUE))
  curves(
    drawable(runs, "throughput_ops"), throughput, "load_place",
    title = "Throughput by the node of an independent load", columns = "access_bytes",
    note = sprintf(
      "Loads that range over %s, or over the largest size that an origin has.", largest
    )
  )
}

tables_throughput_by_load_node <- function() {
  list(runs = c(saturating_columns, "load_bytes", "load_node"))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
