# Runs of software and of cards are never laid over each other: the speed of software on some
# host says nothing of a card's.

# Sources whose speed is that of software, each with its reason in the table. The explorer
# reads the same.
software_sources <- read.csv(
  file.path(dirname(sourced_file()), "software-sources.csv")
)$source

# Which of the sources of `runs` are software, where sources of cards are beside them; none
# where all are of one kind.
software_beside_cards <- function(runs) {
  there <- unique(as.character(runs$source[!is.na(runs$source)]))
  software <- intersect(software_sources, there)
  if (length(software) < length(there)) software else character()
}

has_software_beside_cards <- function(runs) length(software_beside_cards(runs)) > 0

# Why sources have panels of their own, for the caption.
software_note <- function(runs) {
  software <- software_beside_cards(runs)
  if (length(software) == 0) {
    return(NULL)
  }
  paste(
    "Not laid over each other:", paste(software, collapse = " and "), "runs show how fast",
    "software is on some host, and nothing of a card."
  )
}
