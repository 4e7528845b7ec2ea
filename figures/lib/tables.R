# The tables a figure may draw from: where they are, and how a field is read.
# Missing is an empty field and becomes NA, never 0; whatever the reader does not
# know, it refuses.

# The name of each table in a folder of tables.
table_files <- c(
  "runs" = "runs.csv.gz", "clients" = "clients.csv.gz", "traces" = "traces.csv.gz",
  "memory-latency" = "memory-latency.csv", "fabric-reads" = "fabric-reads.csv",
  "fabric-messages" = "fabric-messages.csv", "fabric-pagerank" = "fabric-pagerank.csv",
  "pcie-transfers" = "pcie-transfers.csv", "pcie-operations" = "pcie-operations.csv",
  "pcie-transactions" = "pcie-transactions.csv", "pcie-verbs" = "pcie-verbs.csv",
  "pcie-hosts" = "pcie-hosts.csv",
  "shapes" = "shapes.csv.gz", "predictions" = "predictions.csv.gz"
)

# Tables that are not of runs, so that no experiment can be chosen of them.
tables_without_runs <- c(
  "memory-latency", "fabric-reads", "fabric-messages", "fabric-pagerank", "pcie-transfers",
  "pcie-operations", "pcie-transactions", "pcie-verbs", "pcie-hosts", "shapes", "predictions"
)

# The file of each of `tables` by the command line's `values`: given by itself, or
# found in the folder.
table_paths <- function(values, tables) {
  paths <- lapply(tables, function(table) {
    given <- values[[table]]
    if (!is.null(given)) {
      return(given)
    }
    if (is.null(values$tables)) {
      refuse_usage("argument '--", table, "' is missing (or '--tables', the folder it is in)")
    }
    in_folder(values$tables, table_files[[table]])
  })
  setNames(paths, tables)
}

# The path of a table in a folder, compressed or not. Every folder of tables has
# runs; of the others it holds what its source knows.
in_folder <- function(folder, file) {
  plain <- sub("[.]gz$", "", file)
  candidates <- file.path(folder, c(file, plain, paste0(plain, ".gz")))
  there <- candidates[file.exists(candidates)]
  if (length(there) > 0) {
    return(there[1])
  }
  if (!dir.exists(folder)) refuse(folder, ": no such folder")
  if (file == table_files[["runs"]]) refuse(candidates[1], ": no such file")
  refuse_absent(folder, ": has no table '", file, "': nothing to draw")
}

# The value of `code`, or a refusal of `path` when it stops or warns. A warning
# is let through to its end first: fread cut short spoils the fread after it.
read_soundly <- function(code, path) {
  doubts <- character()
  value <- withCallingHandlers(
    tryCatch(code, error = function(condition) {
      doubts <<- c(conditionMessage(condition), doubts)
    }),
    warning = function(condition) {
      doubts <<- c(doubts, conditionMessage(condition))
      invokeRestart("muffleWarning")
    }
  )
  if (length(doubts) > 0) refuse(path, ": not a readable CSV table: ", doubts[1])
  value
}

read_lines <- function(path) {
  file <- gzfile(path, "rt", encoding = "UTF-8")
  on.exit(close(file))
  readLines(file)
}

# The fields of a CSV file, compressed or not, as text; an empty field is NA.
# `select`: the columns to keep; all by default.
read_text_table <- function(path, select = NULL) {
  if (!file.exists(path) || dir.exists(path)) refuse(path, ": no such file")
  check_sum(path)
  lines <- read_soundly(read_lines(path), path)
  if (length(lines) == 0) refuse(path, ": is empty, without even a header")
  header <- strsplit(lines[1], ",", fixed = TRUE)[[1]]
  twice <- unique(header[duplicated(header)])
  if (length(twice) > 0) refuse(path, ": has more than one column ", listed(twice))
  # A header alone is a table without rows, which fread would take for data.
  rows <- if (length(lines) == 1) c(lines, "") else lines
  if (is.null(select)) select <- header
  table <- read_soundly(
    fread(
      text = rows, header = TRUE, colClasses = "character", sep = ",", na.strings = "",
      strip.white = FALSE, select = intersect(select, header)
    ),
    path
  )
  if (length(lines) == 1) table[0] else table
}

check_columns <- function(table, columns, path) {
  absent <- setdiff(columns, names(table))
  if (length(absent) > 0) {
    refuse(path, ": lacks the column", if (length(absent) > 1) "s", " ", listed(absent))
  }
}

check_schema_version <- function(table, path, known) {
  if (!"schema_version" %in% names(table)) {
    return(invisible())
  }
  unknown <- setdiff(table$schema_version, known)
  if (length(unknown) > 0) {
    unknown[is.na(unknown)] <- "(empty)"
    refuse(
      path, ": column 'schema_version' is ", listed(unknown), ", and this reader knows ",
      listed(known), " only"
    )
  }
}

# A column of numbers, or a refusal that names the first field that is none.
as_numbers <- function(text, column, path) {
  numbers <- suppressWarnings(as.numeric(text))
  wrong <- which(!is.na(text) & !is.finite(numbers))
  if (length(wrong) > 0) {
    refuse(path, ": column '", column, "' has '", text[wrong[1]], "', which is not a number")
  }
  numbers
}

# A column of one of the closed sets of levels, as a factor in their order.
as_levels <- function(text, column, path, levels) {
  unknown <- setdiff(text[!is.na(text)], levels)
  if (length(unknown) > 0) {
    refuse(
      path, ": column '", column, "' has ", listed(unknown), " (known: ", listed(levels), ")"
    )
  }
  factor(text, levels)
}

as_truth <- function(text, column, path) as_levels(text, column, path, c("true", "false")) == "true"

# A row counted twice would make every interval too narrow.
check_key <- function(table, key, path) {
  key <- intersect(key, names(table))
  twice <- which(duplicated(table, by = key))
  if (length(twice) > 0) {
    named <- intersect(c("run_id", "cpu_node"), key)[1]
    refuse(path, ": ", named, " '", table[[named]][twice[1]], "' stands there more than once")
  }
}

# One table of one of `kinds`, checked: `columns` are needed and `also` are kept when there
# are any, what the schema calls numbers is made numbers, `levels` (a list by column)
# factors, and `key` must name a row. Stops with `figure_error` naming file and column.
read_table <- function(kinds, path, columns, levels, key, also = NULL) {
  select <- if (is.null(also)) NULL else unique(c("schema_version", columns, key, also))
  table <- read_text_table(path, select)
  check_columns(table, columns, path)
  check_schema_version(table, path, versions_of(kinds))
  if (nrow(table) == 0) refuse(path, ": has no rows")
  for (column in intersect(numbers_of(kinds), names(table))) {
    set(table, j = column, value = as_numbers(table[[column]], column, path))
  }
  check_rules(table, kinds, path)
  for (column in intersect(names(levels), names(table))) {
    read <- as_levels(table[[column]], column, path, levels[[column]])
    set(table, j = column, value = read)
  }
  check_key(table, key, path)
  table
}
