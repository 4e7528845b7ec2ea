# Intervals over replicates. The run is the unit: the samples inside one run
# share its placement, its queue pairs and its luck, so they say nothing about
# how the next run would come out.

# Below three runs Student's t has one degree of freedom or none, and its 95 %
# interval is 12.7 standard errors to either side: no picture of anything.
fewest_runs_for_interval <- 3L

# The mean of `values` and its two-sided t interval: mean -+ t(n - 1) s / sqrt(n)
# (Student 1908). A list of `n`, `mean`, `low` and `high`, in the unit of
# `values`; `low` and `high` are NA below `fewest_runs_for_interval`.
t_interval <- function(values, level = 0.95) {
  stopifnot(!anyNA(values), length(values) > 0, level > 0, level < 1)
  n <- length(values)
  mean <- mean(values)
  half <- if (n >= fewest_runs_for_interval) {
    qt(1 - (1 - level) / 2, n - 1) * sd(values) / sqrt(n)
  } else {
    NA_real_
  }
  list(n = n, mean = mean, low = mean - half, high = mean + half)
}

# One row per combination of the columns `by`: n, mean, low and high of `value`.
over_replicates <- function(runs, value, by) {
  runs[, t_interval(.SD[[1]]), keyby = by, .SDcols = value]
}

# What a run's own interval is, by quantity: for the caption.
within_run_methods <- c(
  "throughput" = "95 % bootstrap interval of its counting windows",
  "latency" = "95 % normal interval of its mean, operations taken as independent"
)

# The interval of a run's mean latency from the deviation of its operations:
# list of `low` and `high` in the unit of `mean`, NA where a part is missing.
latency_within_run <- function(mean, sd, operations) {
  half <- qnorm(0.975) * sd / sqrt(operations)
  list(low = mean - half, high = mean + half)
}

# n and method, in words for the caption. `cells`: n and low of every point;
# `singles`: whether a run's own interval is drawn; `quantity` names its method;
# intervals are cut at `floor`.
interval_note <- function(cells, singles = FALSE, quantity = "throughput", floor = 0) {
  n <- range(cells$n)
  n_text <- if (n[1] == n[2]) n[1] else paste(n, collapse = " to ")
  symbols <- if (n[2] == 1) {
    "One run a point (n = 1)."
  } else {
    sprintf(
      "Small points: single runs. Symbols and lines: mean over runs (n = %s).",
      n_text
    )
  }
  bars <- if (n[2] < fewest_runs_for_interval) {
    sprintf("No intervals over runs: fewer than %d a point.", fewest_runs_for_interval)
  } else if (n[1] < fewest_runs_for_interval) {
    sprintf("Bars: 95 %% t interval over runs, if n \u2265 %d.", fewest_runs_for_interval)
  } else {
    "Bars: 95 % t interval over runs."
  }
  own <- if (singles) {
    thin_bars("the run's own", quantity)
  }
  cut <- if (any(cells$low < floor, na.rm = TRUE)) {
    sprintf("Intervals are cut at %s.", format_number(signif(floor, 2)))
  }
  paste(c(symbols, bars, own, cut), collapse = " ")
}

# What thin bars are, which have their ends from `whose` intervals.
thin_bars <- function(whose, quantity) {
  sprintf(
    "Thin bars, n < %d: %s %s, which says nothing about the next run.",
    fewest_runs_for_interval, whose, within_run_methods[[quantity]]
  )
}

# The notes of a page that has the whole of that later.
in_short <- function(notes) {
  gsub("Thin bars, n < [0-9]+: [^.]*\\.", "Thin bars: of single runs.", notes)
}
