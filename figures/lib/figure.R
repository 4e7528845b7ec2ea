# From a command line to files: what every figure script does around its topic.

suppressPackageStartupMessages({
  library(data.table)
  library(ggplot2)
})

# One thread: the tables are small, and a sum split over threads may round
# differently on another machine.
setDTthreads(1)

# The runs a figure is asked for. `columns`: those it needs beyond the identity.
asked_runs <- function(arguments, columns) {
  experiment <- arguments$experiment
  if (!is.null(experiment)) columns <- c(columns, "experiment")
  runs <- read_runs(arguments$runs, columns)
  if (!is.null(experiment)) {
    present <- unique(runs$experiment)
    # Outside the brackets of data.table, where `experiment` would be the column.
    in_experiment <- which(runs$experiment == experiment)
    runs <- runs[in_experiment]
    if (nrow(runs) == 0) {
      refuse(
        arguments$runs, ": no run of experiment '", experiment, "' (there: ", listed(present), ")"
      )
    }
  }
  runs
}

# Runs the figure called `name`: `draw(runs)` gives its plot and size, `columns`
# are the table's columns it needs. Prints the paths written, tells people on
# stderr what went wrong, and returns the exit status: 0 drawn, 2 not drawn.
make_figure <- function(name, draw, columns, given = commandArgs(TRUE)) {
  if (any(c("--help", "-h") %in% given)) {
    writeLines(usage(name))
    return(0L)
  }
  failed <- function(condition) {
    message(name, ": ", conditionMessage(condition))
    if (inherits(condition, "usage_error")) message(usage(name))
    2L
  }
  tryCatch(
    {
      arguments <- parse_arguments(given)
      figure <- draw(asked_runs(arguments, columns))
      writeLines(write_figure(figure, name, arguments$out, arguments$formats))
      0L
    },
    error = failed
  )
}
