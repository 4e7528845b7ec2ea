# What the numbers of a table must be beside numbers: as the schemas say it, which the
# harness asks of the same tables. And whether a table is the file that was written.

# Tables that are written together: where there is a list of sums, it has them all.
tables_written_together <- c(
  "clients.csv.gz", "conditions.csv.gz", "latency.csv.gz", "manifest.csv", "runs.csv.gz",
  "traces.csv.gz", "windows.csv.gz"
)

# Its sum is the one that SHA256SUMS beside it has, where there is such a list.
check_sum <- function(path) {
  sums <- file.path(dirname(path), "SHA256SUMS")
  if (!file.exists(sums)) {
    return(invisible())
  }
  told <- strsplit(readLines(sums), " [ *]")
  named <- Filter(function(parts) length(parts) == 2 && parts[2] == basename(path), told)
  if (length(named) == 0) {
    if (!basename(path) %in% tables_written_together) {
      return(invisible())
    }
    refuse(
      path, ": is not known: ", sums,
      " does not list it, as it does what was written together"
    )
  }
  found <- system2("sha256sum", shQuote(path), stdout = TRUE)
  if (sub(" .*", "", sub("^\\\\", "", found)) != named[[1]][1]) {
    refuse(path, ": is not the file that ", sums, " has the sum of: it was changed")
  }
}

# Refuses the first number of `table` that breaks a rule of its column.
check_rules <- function(table, kinds, path) {
  ruled <- unique(columns_of(kinds, nzchar(schema_columns$rules))[c("column", "rules")])
  for (at in which(ruled$column %in% names(table))) {
    for (rule in strsplit(ruled$rules[at], "; ", fixed = TRUE)[[1]]) {
      check_rule(table, ruled$column[at], strsplit(rule, " ", fixed = TRUE)[[1]], path)
    }
  }
}

# `words`: the rule's own, and the columns or bounds that it names. What was not read breaks none.
check_rule <- function(table, column, words, path) {
  others <- words[-1]
  if (words[1] != "within" && !all(others %in% names(table))) {
    return(invisible())
  }
  value <- table[[column]]
  other <- function(at) table[[others[at]]]
  counts <- if ("valid" %in% names(table)) table$valid == "true" else TRUE
  broken <- switch(words[1],
    "within" = value < as.numeric(others[1]) | value > as.numeric(others[2]),
    "positive" = value <= 0,
    "positive-if-valid" = ifelse(counts, value <= 0, value < 0),
    "positive-with" = counts & !is.na(other(1)) & value <= 0,
    "not-negative" = value < 0,
    "low-of" = is_no_end(value, other(1), other(2)) | value < 0 | value > other(1),
    "high-of" = is_no_end(value, other(1), other(2)) | value < other(1),
    "at-least" = value < other(1),
    "needs" = !is.na(value) & other(1) == 0,
    stop("columns.csv has the rule '", words[1], "', which is not known here")
  )
  wrong <- which(broken)
  if (length(wrong) > 0) {
    refuse(
      path, ": line ", wrong[1] + 1, ", column '", column, "' is '",
      format(value[wrong[1]], digits = 15), "', which breaks the rule: ",
      paste(words, collapse = " ")
    )
  }
}

# Both ends of an interval are there or none, and none without its value.
is_no_end <- function(value, middle, end) {
  is.na(value) != is.na(end) | (!is.na(value) & is.na(middle))
}
