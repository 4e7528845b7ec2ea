//! What can be wrong with claims and with asking them.

use std::path::PathBuf;

use onesided_estimate::stored::StoredError;
use onesided_results::{table::TableError, toml_file::TomlFileError, vocabulary::Source};

use crate::columns::Table;

/// A file of claims that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClaimsError {
    /// The file cannot be read, or is no list of claims.
    #[error(transparent)]
    File(#[from] TomlFileError),
    /// A claim that is asked for and not there.
    #[error(
        "there is no claim \"{id}\"{}",
        nearest.as_ref().map(|id| format!(", did you mean \"{id}\"?")).unwrap_or_default()
    )]
    NoSuchClaim {
        /// The name.
        id: String,
        /// What was probably meant.
        nearest: Option<String>,
    },
    /// A claim or selection that cannot be used.
    #[error("{}:{line}: {entry}: {source}", path.display())]
    Entry {
        /// The file.
        path: PathBuf,
        /// The line on which the entry begins, from 1.
        line: usize,
        /// Which one: "claim ID" or "selection NAME".
        entry: String,
        /// What is wrong.
        source: Box<EntryError>,
    },
}

/// What is wrong with an entry.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EntryError {
    /// A key or value that is not of the language.
    #[error("{key}: {message}")]
    Shape {
        /// Where in the entry.
        key: String,
        /// What is wrong.
        message: String,
    },
    /// A name that is none of the known ones.
    #[error(
        "{key}: there is no {what} \"{name}\"{}; there are: {}",
        nearest.as_ref().map(|name| format!(", did you mean \"{name}\"?")).unwrap_or_default(),
        known.join(", ")
    )]
    Unknown {
        /// Where in the entry.
        key: String,
        /// What is named.
        what: &'static str,
        /// The name.
        name: String,
        /// What was probably meant.
        nearest: Option<String>,
        /// Every known name.
        known: Vec<String>,
    },
    /// Another entry has the id.
    #[error("id: line {first} has the same id: give each claim one of its own")]
    RepeatedId {
        /// The line of the other one.
        first: usize,
    },
    /// A quotation that is longer than one needs to find the sentence.
    #[error("quote: {words} words: quote at most {most}")]
    LongQuote {
        /// Its words.
        words: usize,
        /// What is allowed.
        most: usize,
    },
    /// Keys that exclude or need each other.
    #[error("{key}: {reason}")]
    Contradiction {
        /// Where in the entry.
        key: String,
        /// Why.
        reason: String,
    },
}

/// Claims that cannot be asked of these tables.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluateError {
    /// A table cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Conditions are not those of the runs.
    #[error(transparent)]
    Stored(#[from] StoredError),
    /// Published runs without the conditions that the import pooled them into.
    #[error("{} is missing: import the published runs again, which writes it", path.display())]
    NoConditions {
        /// The table that should be there.
        path: PathBuf,
    },
    /// Two directories have runs, or memory latencies, of the same machine.
    #[error(
        "{} and {} both have {source_word} {table} of profile \"{profile}\": collect them into one \
         table, or give one", first.display(), second.display()
    )]
    SameMachine {
        /// What both have.
        table: Table,
        /// The source.
        source_word: Source,
        /// The profile.
        profile: String,
        /// The directory that was read first.
        first: PathBuf,
        /// The other one.
        second: PathBuf,
    },
    /// A contrast whose base could be one of several rows.
    #[error(
        "claim {id}: part {part}: contrast of {factor}: {source_word} has several rows to compare \
         with, which differ in {}: filter these columns by `where-in.{source_word}`, or let them \
         change by `along`", names.join(", ")
    )]
    Ambiguous {
        /// The claim.
        id: String,
        /// Which of its parts, from 1.
        part: usize,
        /// The contrast's factor.
        factor: String,
        /// The source of the rows.
        source_word: Source,
        /// What tells the rows apart.
        names: Vec<String>,
    },
}
