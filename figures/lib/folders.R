# Several folders of tables as one: their rows are joined, each under its own origin,
# and a folder that has nothing of a figure is named and left out of it.

# The folders that `text` of the command line names. A folder whose name has a comma
# can be given alone.
asked_folders <- function(text) {
  folders <- if (dir.exists(text)) text else strsplit(paste0(text, ","), ",", fixed = TRUE)[[1]]
  if (!all(nzchar(folders))) {
    refuse_usage("argument '--tables' has '", text, "', in which a folder has no name")
  }
  twice <- duplicated(normalizePath(folders, mustWork = FALSE))
  if (any(twice)) {
    refuse_usage(
      "argument '--tables' has the folder '", folders[twice][1],
      "' twice: its runs would count double"
    )
  }
  folders
}

# By folder the paths of `tables`, or the condition that says which of them it lacks.
# A folder that is not there is refused, whatever the others hold.
paths_in_folders <- function(folders, tables) {
  gone <- folders[!dir.exists(folders)]
  if (length(gone) > 0) refuse(gone[1], ": no such folder")
  lapply(setNames(nm = folders), function(folder) {
    tryCatch(
      lapply(setNames(nm = tables), function(table) in_folder(folder, table_files[[table]])),
      figure_error = identity
    )
  })
}

# What of a folder's tables says that the figure has no rows there; anything else that
# is wrong with a table is for all to see.
leaves_out <- function(code) tryCatch(code, nothing_to_draw = identity, not_in_table = identity)

is_condition <- function(values) vapply(values, inherits, TRUE, "condition")

# The tables of all `folders` (as `paths_in_folders` gives them) that have something of
# the figure called `name`, joined: a list as of `asked_tables`. `draw` makes the figure
# of such a list.
tables_of_folders <- function(name, folders, asked, draw) {
  read <- lapply(folders, function(paths) {
    if (inherits(paths, "condition")) paths else leaves_out(asked(paths))
  })
  # By itself, as joined a folder without a sweep of its own would hide behind another's.
  empty <- lapply(read, function(tables) {
    if (inherits(tables, "condition")) tables else figure_absence(tables, draw)
  })
  absent <- is_condition(empty)
  reasons <- mapply(reason_without, names(folders)[absent], empty[absent])
  if (all(absent)) refuse_folders(empty, reasons)
  for (folder in names(reasons)) {
    message(name, ": ", folder, " is left out: ", reasons[[folder]])
  }
  joined_tables(read[!absent])
}

# Why a folder is left out, without its name, which a message about its files begins with.
reason_without <- function(folder, condition) {
  text <- conditionMessage(condition)
  start <- paste0(folder, ": ")
  if (startsWith(text, start)) substring(text, nchar(start) + 1) else text
}

# The condition that says why `tables` have nothing of a figure; NULL when they have,
# or have too much of it: joined they are refused for that, or not.
figure_absence <- function(tables, draw) {
  drawn <- tryCatch(leaves_out(draw(lapply(tables, copy))), figure_error = function(other) NULL)
  if (inherits(drawn, "condition")) drawn
}

# None of the folders has anything: as for one of them, what no table knows is wrong,
# and what a sound table does not hold is absent.
refuse_folders <- function(conditions, reasons) {
  refused <- !vapply(conditions, inherits, TRUE, "nothing_to_draw")
  text <- paste0(names(reasons), " is left out: ", reasons, collapse = "; ")
  if (all(refused)) refuse("no folder is left: ", text)
  refuse_absent("no folder has anything to draw: ", text)
}

# The tables of folders, joined; `read` is a list of such lists, by folder.
joined_tables <- function(read) {
  tables <- names(read[[1]])
  lapply(setNames(nm = tables), function(table) {
    parts <- lapply(read, `[[`, table)
    key <- if (startsWith(table, "fabric-")) {
      fabric_key
    } else if (table == "memory-latency") {
      memory_latency_key
    } else if (table == "shapes") {
      shape_key
    } else if (table == "predictions") {
      predictions_key
    } else {
      run_key
    }
    if (table %in% c("runs", tables_without_runs)) check_folders_apart(parts, key)
    rbindlist(parts, use.names = TRUE, fill = TRUE)
  })
}

# Two sources or profiles may share a run id. One run in two folders would be counted
# twice.
check_folders_apart <- function(parts, key) {
  shared <- Reduce(intersect, lapply(parts, names), key)
  rows <- rbindlist(lapply(parts, function(part) part[, shared, with = FALSE]), idcol = "folder")
  again <- which(duplicated(rows, by = shared))
  if (length(again) == 0) {
    return(invisible())
  }
  twice <- rows[rows[again[1]], on = shared]
  what <- paste0(shared, " '", vapply(shared, function(column) {
    as.character(twice[[column]][1])
  }, ""), "'", collapse = ", ")
  refuse(
    listed(unique(twice$folder)), " have the same row (", what, "): give one of them, as it would ",
    "count double"
  )
}
