# From a command line to files: what every figure script does around its topic.
#
# A script called `some-topic.R` has `draw_some_topic`, which takes its tables and the
# levels asked for and gives a plot and its size, and `tables_some_topic`, which names
# these tables and the columns needed of each.

# Code that runs once is slower to compile than to interpret: a third of the time.
invisible(compiler::enableJIT(0L))

suppressPackageStartupMessages({
  library(data.table)
  library(ggplot2)
})

# One thread: the tables are small, and a sum split over threads may round
# differently on another machine.
setDTthreads(1)

# The function of a kind ("draw" or "tables") of the figure called `name`.
of_figure <- function(kind, name) get(paste0(kind, "_", gsub("-", "_", name)), mode = "function")

# The rows of one experiment, all of them when it is NULL.
of_experiment <- function(table, experiment, path) {
  if (is.null(experiment)) {
    return(table)
  }
  check_columns(table, "experiment", path)
  # Outside the brackets of data.table, where `experiment` would be the column.
  asked <- which(table$experiment == experiment)
  if (length(asked) == 0) {
    refuse_unknown(
      path, ": no run of experiment '", experiment, "' (there: ",
      listed(unique(table$experiment)), ")"
    )
  }
  table[asked]
}

# How each table is read from `path`, with the columns needed beyond its identity.
read_as <- function(table, path, columns) {
  switch(table,
    "runs" = read_runs(path, columns),
    "clients" = read_clients(path, columns),
    "traces" = read_traces(path, columns),
    "memory-latency" = read_memory_latency(path, columns),
    "fabric-reads" = ,
    "fabric-messages" = ,
    "fabric-pagerank" = read_fabric(path, columns),
    "pcie-transfers" = ,
    "pcie-operations" = ,
    "pcie-transactions" = ,
    "pcie-verbs" = ,
    "pcie-hosts" = read_pcie(path, columns),
    "shapes" = read_shapes(path, columns),
    "predictions" = read_predictions(path, columns)
  )
}

# The tables a figure is asked to draw, in the order of `columns`: a list that
# names the tables and gives the columns needed of each.
asked_tables <- function(arguments, columns, read = read_as) {
  lapply(setNames(nm = names(columns)), function(table) {
    path <- arguments$paths[[table]]
    rows <- read(table, path, columns[[table]])
    if (table %in% tables_without_runs) rows else of_experiment(rows, arguments$experiment, path)
  })
}

# In the place of a figure of which tables hold nothing: a page that says why, so that
# it is missed by nobody. Of its text the report makes a sentence.
empty_page <- function(why) {
  words <- paste(strwrap(paste("Nothing to draw:", why), 68), collapse = "\n")
  page <- ggplot() +
    annotate("text", x = 0, y = 0, label = words, family = figure_font, size = 3.2) +
    theme_void()
  list(
    plot = page, width_in = 6, height_in = 2.5, compact_height_in = 2.5,
    text = paste("Nothing to draw:", why)
  )
}

# Draws and writes the figure called `name` as `arguments` ask; returns the paths.
draw_files <- function(name, arguments, read = read_as) {
  # Before anything is written.
  figure <- tryCatch(drawn_figure(name, arguments, read), nothing_to_draw = function(condition) {
    if (!isTRUE(arguments$or_say)) stop(condition)
    message(name, ": ", conditionMessage(condition))
    empty_page(conditionMessage(condition))
  })
  if (isTRUE(arguments$compact)) figure <- compact(figure)
  write_figure(figure, name, arguments$out, arguments$formats)
}

# The figure called `name` as `arguments` ask, not written yet.
drawn_figure <- function(name, arguments, read) {
  columns <- of_figure("tables", name)()
  asked <- function(paths) {
    asked_tables(list(paths = paths, experiment = arguments$experiment), columns, read)
  }
  draw <- function(tables) {
    if (!is.null(tables$runs)) tables$runs <- of_own_experiment(tables$runs, name, arguments$at)
    do.call(of_figure("draw", name), c(unname(tables), list(at = arguments$at)))
  }
  tables <- if (is.null(arguments$folders)) {
    asked(arguments$paths)
  } else {
    tables_of_folders(name, arguments$folders, asked, draw)
  }
  draw(tables)
}

# The exit status of `code`, which writes files. What goes wrong is told to people on
# stderr, with `help` when the command line is to blame; `if_any()` says whether a
# table without anything to draw will do.
exit_status <- function(name, help, if_any, code) {
  failed <- function(condition) {
    message(name, ": ", conditionMessage(condition))
    if (inherits(condition, "usage_error")) message(help)
    if (!inherits(condition, "nothing_to_draw")) status_refused else status_nothing_to_draw
  }
  status <- tryCatch(
    {
      force(code)
      status_drawn
    },
    error = failed
  )
  if (status == status_nothing_to_draw && if_any) status_drawn else status
}

# Runs the figure called `name`: prints the paths written and returns the exit status.
make_figure <- function(name, given = commandArgs(TRUE)) {
  tables <- names(of_figure("tables", name)())
  if (any(c("--help", "-h") %in% given)) {
    writeLines(usage(name, tables))
    return(status_drawn)
  }
  exit_status(name, usage(name, tables), "--if-any" %in% given, {
    arguments <- parse_arguments(given, tables)
    writeLines(draw_files(name, arguments))
  })
}
