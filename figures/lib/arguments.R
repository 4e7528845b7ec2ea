# The command line every figure script shares. All arguments are named.

figure_formats <- c("pdf", "svg", "png")

# The usage text of the script called `name`.
usage <- function(name) {
  paste0(
    "usage: Rscript --vanilla figures/", name, ".R --runs FILE --out DIR",
    " [--formats ", paste(figure_formats, collapse = ","), "] [--experiment NAME]\n",
    "  --runs FILE        table of runs (runs.csv.gz, or the same uncompressed)\n",
    "  --out DIR          folder for ", name, ".<format>; made when absent\n",
    "  --formats LIST     which of ", paste(figure_formats, collapse = ", "), "; all by default\n",
    "  --experiment NAME  draw this experiment's runs only; all by default\n",
    "exit: 0 drawn, 2 not drawn"
  )
}

# The argument that `given` starts with: its `name`, its `value`, and how many
# `words` it takes, one for `--name=value` and two for `--name value`.
first_argument <- function(given) {
  if (!grepl("^--[a-z]", given[1])) refuse_usage("unexpected argument '", given[1], "'")
  name <- sub("=.*", "", sub("^--", "", given[1]))
  if (grepl("=", given[1], fixed = TRUE)) {
    return(list(name = name, value = sub("^[^=]*=", "", given[1]), words = 1))
  }
  value <- given[2]
  if (is.na(value) || startsWith(value, "--")) value <- ""
  list(name = name, value = value, words = 2)
}

# Named values of a command line as a list. An unknown, repeated or valueless
# argument stops with `usage_error`.
named_values <- function(given, known) {
  values <- list()
  while (length(given) > 0) {
    argument <- first_argument(given)
    name <- argument$name
    if (!name %in% known) refuse_usage("unknown argument '--", name, "'")
    if (!is.null(values[[name]])) refuse_usage("argument '--", name, "' is given twice")
    if (!nzchar(argument$value)) refuse_usage("argument '--", name, "' needs a value")
    values[[name]] <- argument$value
    given <- tail(given, -argument$words)
  }
  values
}

# What a figure is asked to do: `runs` (file), `out` (folder), `formats`
# (character vector) and `experiment` (NULL: all of them).
parse_arguments <- function(given) {
  values <- named_values(given, c("runs", "out", "formats", "experiment"))
  for (name in c("runs", "out")) {
    if (is.null(values[[name]])) refuse_usage("argument '--", name, "' is missing")
  }
  formats <- figure_formats
  if (!is.null(values$formats)) formats <- strsplit(values$formats, ",", fixed = TRUE)[[1]]
  unknown <- setdiff(formats, figure_formats)
  if (length(unknown) > 0 || length(formats) == 0) {
    refuse_usage("unknown format ", listed(unknown), " (known: ", listed(figure_formats), ")")
  }
  list(
    runs = values$runs, out = values$out,
    formats = unique(formats), experiment = values$experiment
  )
}
