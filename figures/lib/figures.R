# Several figures in one process, or in some that share what one has read.

figures_help <- c(
  "figures LIST" = "which figures; all by default",
  "jobs N" = "figures drawn at once; 2 by default"
)

figures_usage <- function(known) {
  entries <- c(argument_help, figures_help, flag_help)
  paste0(
    "usage: figures/draw (--tables DIR[,DIR]... | --runs FILE ...) --out DIR [OPTION]...\n",
    paste0("  ", formatC(paste0("--", names(entries)), width = -25), entries, collapse = "\n"),
    "\nexit: 0 all drawn, 2 one could not be, 3 a table holds nothing of one\nfigures: ",
    paste(known, collapse = ", ")
  )
}

# The figures asked for, of those `known`.
asked_figures <- function(text, known) {
  names <- if (is.null(text)) known else unique(strsplit(text, ",", fixed = TRUE)[[1]])
  unknown <- setdiff(names, known)
  if (length(unknown) > 0 || length(names) == 0) {
    refuse_usage("unknown figure ", listed(unknown), " (known: ", listed(known), ")")
  }
  names
}

asked_jobs <- function(text) {
  if (is.null(text)) {
    return(2L)
  }
  if (!grepl("^[1-9][0-9]{0,2}$", text)) {
    refuse_usage("argument '--jobs' has '", text, "', which is not a number from 1 to 999")
  }
  as.integer(text)
}

# A reader as `read_as` that reads no table twice. A figure gets a copy, as it may
# change its tables in place.
remembering_reader <- function() {
  known <- new.env()
  function(table, path, columns) {
    # Of runs every column is read, of the others those needed.
    key <- paste(c(table, path, if (table != "runs") columns), collapse = " ")
    if (is.null(known[[key]])) {
      known[[key]] <- read_as(table, path, if (table == "runs") character() else columns)
    }
    rows <- copy(known[[key]])
    check_columns(rows, columns, path)
    rows
  }
}

# Reads what the figure called `name` needs, of every folder that has it.
read_ahead <- function(parsed, name, read) {
  try(silent = TRUE, {
    arguments <- parsed(name)
    sets <- if (is.null(arguments$folders)) list(arguments$paths) else arguments$folders
    for (paths in sets[!is_condition(sets)]) {
      try(asked_tables(list(paths = paths), of_figure("tables", name)(), read), silent = TRUE)
    }
  })
}

# Draws the figures called `names`, `jobs` at once; returns the status of each. What
# they share is read before they part; what cannot be is told by each of them.
draw_each <- function(names, given, jobs, if_any) {
  read <- remembering_reader()
  parsed <- function(name) parse_arguments(given, names(of_figure("tables", name)()))
  for (name in names) read_ahead(parsed, name, read)
  draw <- function(name) {
    exit_status(name, "", if_any, writeLines(draw_files(name, parsed(name), read)))
  }
  statuses <- parallel::mclapply(names, draw, mc.cores = jobs, mc.preschedule = TRUE)
  # A process that died has no status.
  vapply(statuses, function(status) if (is.integer(status)) status else status_refused, 1L)
}

# Runs `figures/draw`, which knows the figures called `known`; returns the exit status.
make_figures <- function(known, given = commandArgs(TRUE)) {
  if (any(c("--help", "-h") %in% given)) {
    writeLines(figures_usage(known))
    return(status_drawn)
  }
  statuses <- status_drawn
  status <- exit_status("draw", figures_usage(known), FALSE, {
    values <- named_values(given, c(known_arguments, names(flag_help), "figures", "jobs"))
    own <- grepl("^(figures|jobs)$", names(values))
    rest <- paste0("--", names(values)[!own], "=", unlist(values[!own]))
    names <- asked_figures(values$figures, known)
    # One wrong command line is told once.
    parse_arguments(rest, "runs")
    statuses <- draw_each(names, rest, asked_jobs(values$jobs), !is.null(values[["if-any"]]))
  })
  if (status != status_drawn) {
    return(status)
  }
  # Refused is worse than absent, whatever their numbers.
  if (any(statuses == status_refused)) status_refused else max(statuses)
}
