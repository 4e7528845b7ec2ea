# What the schemas say of the columns of every table: which hold numbers, which words
# and in what order, which are factors, and how axes and captions name them. The harness
# writes it as data/schema/columns.csv; no list of factors stands in a script.

# The script that source() is reading.
sourced_file <- function() {
  files <- Filter(Negate(is.null), lapply(sys.frames(), function(frame) frame$ofile))
  files[[length(files)]]
}

schema_columns <- read.csv(
  file.path(dirname(sourced_file()), "..", "..", "data", "schema", "columns.csv"),
  colClasses = "character", na.strings = character()
)

# Its rows of tables of these `kinds`, of which `kept` is true.
columns_of <- function(kinds, kept = TRUE) {
  schema_columns[schema_columns$table %in% kinds & kept, ]
}

# The words of `column`, in the order of their declaration.
words_of <- function(kinds, column) {
  words <- columns_of(kinds, schema_columns$column == column)$words
  strsplit(words[1], " ", fixed = TRUE)[[1]]
}

# The versions of such tables that are read.
versions_of <- function(kinds) words_of(kinds, "schema_version")

# Names of the columns that hold numbers.
numbers_of <- function(kinds) unique(columns_of(kinds, schema_columns$kind == "number")$column)

# The words of each of `columns`, by its name.
levels_of <- function(kinds, columns) {
  lapply(setNames(nm = columns), function(column) words_of(kinds, column))
}

# What was set in a run, or came of what was set.
factors_of_runs <- columns_of("runs", schema_columns$role == "factor")$column

# What came of what was set, and by that name what was asked for.
asked_factors <- local({
  seen <- columns_of("runs", nzchar(schema_columns$asked))
  setNames(seen$asked, seen$column)
})

# The name of an axis of a factor.
axis_label <- function(column) columns_of("runs", schema_columns$column == column)$label

# A level in the words of its factor, as "4 workers"; NULL where it has none. Of one
# there is no "s".
words_of_level <- function(column, text) {
  template <- columns_of("runs", schema_columns$column == column)$level
  if (length(template) == 0 || !nzchar(template)) {
    return(NULL)
  }
  parts <- strsplit(template, "{}", fixed = TRUE)[[1]]
  filled <- paste0(parts[1], text, if (length(parts) > 1) parts[2])
  ifelse(
    text == "1", sub("(s)", "", filled, fixed = TRUE), sub("(s)", "s", filled, fixed = TRUE)
  )
}
