//! What can be wrong with a table, always with the file and where known the line and column.

use std::path::PathBuf;

use crate::{version::Versions, word::suggestion};

/// A table that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The file cannot be opened.
    #[error("cannot open {}", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file is not the one whose checksum lies beside it.
    #[error(
        "{} is not the file that {} was written for: its SHA-256 is {found}, there it is {listed}. \
         Restore it; where the change is meant, write the sums anew (`sha256sum`)", path.display(),
        sums.display()
    )]
    OtherChecksum {
        /// The file.
        path: PathBuf,
        /// The list of checksums.
        sums: PathBuf,
        /// The file's own.
        found: String,
        /// What is listed.
        listed: String,
    },
    /// The list of checksums beside it does not name the file.
    #[error(
        "{} is not known: {} does not list it, as it does what was written together. Restore the \
         list; where the file belongs there, add its sum (`sha256sum`)", path.display(), sums.display()
    )]
    Unlisted {
        /// The file.
        path: PathBuf,
        /// The list of checksums.
        sums: PathBuf,
    },
    /// The list of checksums beside it cannot be read.
    #[error("cannot read {}, the checksums of the tables beside it", path.display())]
    Sums {
        /// The list.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The file has no line with column names.
    #[error("{} is empty; its first line should name the columns", path.display())]
    NoHeader {
        /// The file.
        path: PathBuf,
    },
    /// A column that every table of this kind has is not there.
    #[error(
        "{}: column \"{column}\" is missing{}", path.display(),
        nearest.as_ref().map(|name| format!(" (there is \"{name}\")")).unwrap_or_default()
    )]
    MissingColumn {
        /// The file.
        path: PathBuf,
        /// The column.
        column: &'static str,
        /// A column of the file that was probably meant to be this one.
        nearest: Option<String>,
    },
    /// A column that no table of this kind has.
    #[error(
        "{}:1: unknown column \"{column}\"{}", path.display(),
        if nearest.is_some() { suggestion(*nearest) } else { ": leave it out".to_owned() }
    )]
    UnknownColumn {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
        /// The known column that was probably meant.
        nearest: Option<&'static str>,
    },
    /// A column stands there twice.
    #[error("{}:1: column \"{column}\" stands there twice", path.display())]
    RepeatedColumn {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// A row of another version of the format.
    #[error(
        "{}:{line}: schema version \"{found}\", this program reads {reads}: make the table again \
         with this program, or read it with the one that made it", path.display()
    )]
    UnknownVersion {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What stands in the version's cell.
        found: String,
        /// What is read.
        reads: Versions,
    },
    /// A cell that cannot be what its column says.
    #[error("{}:{line}: column \"{column}\": \"{value}\": {reason}", path.display())]
    Cell {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column.
        column: String,
        /// What stands there.
        value: String,
        /// Why that cannot be.
        reason: String,
    },
    /// The text is not a table: rows of different length, damaged compression, no UTF-8.
    #[error("{} is not a well-formed table", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What and where.
        source: csv::Error,
    },
}
