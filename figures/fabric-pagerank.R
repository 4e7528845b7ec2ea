# Supersteps of PageRank by the number of nodes: by shared memory, by bulk reads, by a load and by a
# read for each link. (Fig 9 of Scale-Out NUMA, whose curves its text does not state.)

# Returns the figure of the runs of a table.
draw_fabric_pagerank <- function(fabric_pagerank, at = list()) {
  sound <- sound_fabric(selected(fabric_pagerank, at = at))
  rows <- sound$rows
  window <- rows$window
  # Before tables had the column.
  window[is.na(window) & rows$variant == "fine-grain" & rows$source != "published"] <- 64
  depth <- ""
  if (uniqueN(window, na.rm = TRUE) > 1) {
    depth <- fifelse(is.na(window), "", sprintf(", %s under way", format_number(window)))
  }
  rows$series <- paste0(fabric_machine(rows), ", ", rows$variant, depth)
  cells <- fabric_cells(rows, "nodes", list(
    "Time of a superstep (ms)" = list(column = "superstep_ns", unit = 1e6),
    "Speed-up over shared memory by one thread" = list(column = "speed_up", unit = 1)
  ))
  graphs <- unique(sprintf("%s vertices", format_number(sort(unique(rows$vertices)))))
  fabric_plot(
    cells, rows, "Nodes", "PageRank by number of nodes",
    c(paste0("Graphs of ", paste(graphs, collapse = ", "), "."), sound$note)
  )
}

tables_fabric_pagerank <- function() {
  list("fabric-pagerank" = c("variant", "nodes", "superstep_ns", "speed_up", "vertices"))
}

if (sys.nframe() == 0L) {
  script <- sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)[1])
  source(file.path(dirname(gsub("~+~", " ", script, fixed = TRUE)), "draw"), encoding = "UTF-8")
}
