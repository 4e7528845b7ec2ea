# The command line every figure script shares. All arguments are named.

figure_formats <- c("pdf", "svg", "png", "txt")

# Exit statuses. A table that is sound but holds nothing of a figure's topic is
# told apart from a wrong one, so that a workflow can go on without that figure.
status_drawn <- 0L
status_refused <- 2L
status_nothing_to_draw <- 3L

# Arguments with a value, and what --help says of them.
argument_help <- c(
  "tables DIR[,DIR]..." = "folder of the tables, or several, drawn together; or each by itself:",
  "runs FILE" = "table of runs (runs.csv.gz, or the same uncompressed)",
  "clients FILE" = "table of clients (clients.csv.gz)",
  "traces FILE" = "table of window traces (traces.csv.gz)",
  "memory-latency FILE" = "memory latencies (memory-latency.csv), or several, joined by commas",
  "fabric-reads FILE" = "remote reads (fabric-reads.csv), or several, joined by commas",
  "fabric-messages FILE" = "messages (fabric-messages.csv), or several, joined by commas",
  "fabric-pagerank FILE" = "PageRank (fabric-pagerank.csv), or several, joined by commas",
  "pcie-transfers FILE" = "transfers (pcie-transfers.csv), or several, joined by commas",
  "pcie-operations FILE" = "operations (pcie-operations.csv), or several, joined by commas",
  "pcie-transactions FILE" = "transactions (pcie-transactions.csv), or several, joined by commas",
  "pcie-verbs FILE" = "verbs by transport (pcie-verbs.csv), or several, joined by commas",
  "pcie-hosts FILE" = "hosts (pcie-hosts.csv), or several, joined by commas",
  "shapes FILE" = "simulated sweeps (shapes.csv.gz), or several, joined by commas",
  "predictions FILE" = "predictions (predictions.csv.gz), or several, joined by commas",
  "out DIR" = "folder for NAME.<format>; made when absent",
  "formats LIST" = "which of pdf, svg, png, txt (what is seen, every note); all by default",
  "experiment NAME" = "draw this experiment's runs only; by default the figure's own, else all",
  "at LEVELS" = "factor levels other than the figure's own, as queue_pairs=4,mtu_bytes=any"
)

flag_help <- c(
  "if-any" = "a table without anything to draw ends with exit 0 and no file, not 3",
  "compact" = "a small picture without title, origin and notes, for a page that has them",
  "or-say" = "a table without anything to draw gives a page that says why, and exit 0"
)

known_arguments <- sub(" .*", "", names(argument_help))

# The usage text of the script called `name`, which draws from `tables`.
usage <- function(name, tables) {
  others <- setdiff(names(table_files), tables)
  shown <- argument_help[!known_arguments %in% others]
  entries <- c(shown, flag_help)
  words <- formatC(paste0("--", names(entries)), width = -25)
  paste0(
    "usage: Rscript --vanilla figures/", name, ".R ",
    "(--tables DIR[,DIR]... | ", paste0("--", tables, " FILE", collapse = " "),
    ") --out DIR [OPTION]...\n",
    paste0("  ", words, gsub("NAME.<", paste0(name, ".<"), entries, fixed = TRUE), collapse = "\n"),
    "\nexit: 0 drawn, 2 not drawn, 3 the table holds nothing of this figure"
  )
}

# The argument that `given` starts with: its `name`, its `value`, and how many
# `words` it takes: one for a flag or `--name=value`, two for `--name value`.
first_argument <- function(given) {
  if (!grepl("^--[a-z]", given[1])) refuse_usage("unexpected argument '", given[1], "'")
  name <- sub("=.*", "", sub("^--", "", given[1]))
  if (grepl("=", given[1], fixed = TRUE)) {
    return(list(name = name, value = sub("^[^=]*=", "", given[1]), words = 1))
  }
  if (name %in% names(flag_help)) {
    return(list(name = name, value = "yes", words = 1))
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
    if (name %in% names(flag_help) && argument$value != "yes") {
      refuse_usage("argument '--", name, "' takes no value")
    }
    values[[name]] <- argument$value
    given <- tail(given, -argument$words)
  }
  values
}

# `formats` of a command line, all by default.
asked_formats <- function(text) {
  formats <- if (is.null(text)) figure_formats else strsplit(text, ",", fixed = TRUE)[[1]]
  unknown <- setdiff(formats, figure_formats)
  if (length(unknown) > 0 || length(formats) == 0) {
    refuse_usage("unknown format ", listed(unknown), " (known: ", listed(figure_formats), ")")
  }
  unique(formats)
}

# Levels of factors, as "queue_pairs=4+8,mtu_bytes=any": a list of character
# vectors by column.
asked_levels <- function(text) {
  if (is.null(text)) {
    return(list())
  }
  pairs <- strsplit(strsplit(text, ",", fixed = TRUE)[[1]], "=", fixed = TRUE)
  right <- vapply(pairs, function(pair) length(pair) == 2 && all(nzchar(pair)), TRUE)
  if (length(pairs) == 0 || !all(right)) {
    refuse_usage("argument '--at' has '", text, "', which is not COLUMN=LEVEL[,COLUMN=LEVEL]...")
  }
  columns <- vapply(pairs, `[`, "", 1)
  if (anyDuplicated(columns)) {
    refuse_usage("argument '--at' has '", columns[anyDuplicated(columns)], "' twice")
  }
  setNames(strsplit(vapply(pairs, `[`, "", 2), "+", fixed = TRUE), columns)
}

# What a figure that draws from `tables` is asked to do: `paths` (a file for each
# of them) or, where several folders are given, `folders` (the same for each folder, or
# the condition that says what it lacks), `out` (folder), `formats`, `experiment` (NULL:
# all of them), `at` (levels by column), `if_any`, `compact` and `or_say`.
parse_arguments <- function(given, tables = "runs") {
  values <- named_values(given, c(known_arguments, names(flag_help)))
  if (is.null(values$out)) refuse_usage("argument '--out' is missing")
  folders <- if (!is.null(values$tables)) asked_folders(values$tables)
  several <- length(folders) > 1
  alone <- intersect(names(values), tables)
  if (several && length(alone) > 0) {
    refuse_usage("argument '--", alone[1], "' cannot stand beside several folders in '--tables'")
  }
  list(
    paths = if (!several) table_paths(values, tables),
    folders = if (several) paths_in_folders(folders, tables),
    out = values$out,
    formats = asked_formats(values$formats),
    experiment = values$experiment,
    at = asked_levels(values$at),
    if_any = !is.null(values[["if-any"]]),
    or_say = !is.null(values[["or-say"]]),
    compact = !is.null(values[["compact"]])
  )
}
