# Which experiment a figure is of. A table of one's own may hold all experiments, of
# which every other varies what this one holds fixed: drawn together they would take a
# row of panels for each.

# The experiment of a figure, where it does not have the figure's own name.
experiment_of_figure <- c(
  "improvement-by-workers" = "throughput-by-workers",
  "latency-by-queue-pair-index" = "latency-by-queue-pairs",
  "latency-ratio-by-queue-pairs" = "latency-by-queue-pairs",
  "speedup-by-queue-pairs" = "latency-by-queue-pairs",
  "throughput-by-mtu" = "throughput-by-access-size",
  "throughput-by-service" = "datagrams",
  "workers-poster" = "throughput-by-workers"
)

# The `runs` of the figure called `name`: of every origin those of the figure's own
# experiment, all of them where it has none, and all of the study, whose runs the
# figures choose themselves. Levels of the experiment that are asked for go first.
of_own_experiment <- function(runs, name, at) {
  if (!"experiment" %in% names(runs) || "experiment" %in% names(at)) {
    return(runs)
  }
  own <- if (name %in% names(experiment_of_figure)) experiment_of_figure[[name]] else name
  together <- measured_together(runs)
  rows <- runs$experiment %in% own & !runs$source %in% "published"
  runs[rows | !together %in% together[rows]]
}
