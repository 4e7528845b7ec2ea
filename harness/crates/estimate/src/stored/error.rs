//! Why tables of a folder are not what they were written as.

use std::path::{Path, PathBuf};

use onesided_results::table::TableError;

/// Tables that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoredError {
    /// A table cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// There are more or fewer than the runs give.
    #[error(
        "{} has {found} conditions, and the runs in {} give {due}: collect or import them again",
        path.display(), runs.display()
    )]
    OtherNumber {
        /// The table of conditions.
        path: PathBuf,
        /// The table of runs.
        runs: PathBuf,
        /// Conditions there.
        found: usize,
        /// Conditions that the runs give.
        due: usize,
    },
    /// A cell is another one than follows from a table beside it, or from the rest of its row.
    #[error(transparent)]
    OtherCell(#[from] Box<OtherCell>),
}

/// A cell that is another one than is due.
#[derive(Debug, thiserror::Error)]
#[error(
    "{}:{line}: column \"{column}\" is \"{found}\", and {} gives \"{due}\": one of the two was changed; \
     collect or import them again", path.display(), beside.display()
)]
pub struct OtherCell {
    path: PathBuf,
    line: usize,
    beside: PathBuf,
    column: String,
    found: String,
    due: String,
}

/// Where a cell is.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The table.
    pub path: &'a Path,
    /// The line, from 1.
    pub line: usize,
    /// What the cell follows from: a table, or what its own row says.
    pub beside: &'a Path,
}

impl Place<'_> {
    /// Refuses what is found there in `column`: something else is due.
    ///
    /// # Errors
    /// Always.
    pub fn refuse<T>(
        self,
        column: &str,
        found: impl ToString,
        due: impl ToString,
    ) -> Result<T, StoredError> {
        let Self { path, line, beside } = self;
        let (path, beside) = (path.to_owned(), beside.to_owned());
        let (column, found, due) = (column.to_owned(), found.to_string(), due.to_string());
        Err(Box::new(OtherCell { path, line, beside, column, found, due }).into())
    }

    /// Refuses what is found there if it is another text, or a number that differs by more than the
    /// rounding of both.
    ///
    /// # Errors
    /// [`StoredError::OtherCell`]
    pub fn expect(
        self,
        column: &str,
        found: impl ToString,
        due: impl ToString,
    ) -> Result<(), StoredError> {
        let (found, due) = (found.to_string(), due.to_string());
        if is_alike(&found, &due) { Ok(()) } else { self.refuse(column, found, due) }
    }
}

/// How far a number may be from the one that is made again. Published tables are written with six
/// digits, and an interval of two runs has 13 times the error of their spread.
const ROUNDING: f64 = 1e-4;

/// Below this no difference counts: the spread of two runs that agree in six digits.
const NOTHING: f64 = 1e-5;

/// The same text, or numbers that differ by rounding alone.
fn is_alike(found: &str, due: &str) -> bool {
    let difference = || {
        let (found, due): (f64, f64) = (found.parse().ok()?, due.parse().ok()?);
        Some((found - due).abs() <= NOTHING.max(ROUNDING * due.abs()))
    };
    found == due || difference() == Some(true)
}
