//! Tables of a folder that are read together.
//!
//! Conditions say nothing that the runs beside them do not: they are made from these again, and
//! compared. A number that was changed in one of the two tables, by hand or by a tool, is so found
//! whatever the checksums say.

use std::path::{Path, PathBuf};

use onesided_results::{
    RunRow,
    row::{ConditionRow, PublishedRunRow},
    table::{Extra, Row, TableError, TableReader, cells},
    vocabulary::Source,
};

use crate::conditions::{Stratum, conditions};

/// How far a number may be from the one that is made again. Published tables are written with six
/// digits, and an interval of two runs has 13 times the error of their spread.
const ROUNDING: f64 = 1e-4;

/// Below this no difference counts: the spread of two runs that agree in six digits.
const NOTHING: f64 = 1e-5;

/// Conditions that cannot be used.
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
    /// A cell is another one than the runs give.
    #[error(
        "{}:{line}: column \"{column}\" is \"{found}\", and the runs in {} give \"{due}\": one of \
         the two tables was changed; collect or import them again", path.display(), runs.display()
    )]
    OtherCell {
        /// The table of conditions.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The table of runs.
        runs: PathBuf,
        /// The column.
        column: &'static str,
        /// What stands there.
        found: String,
        /// What the runs give.
        due: String,
    },
}

/// The conditions in `path`, which are those of the runs beside it, where there are some.
///
/// # Errors
/// [`StoredError`]
pub fn read_conditions(path: &Path) -> Result<Vec<ConditionRow>, StoredError> {
    let found = rows::<ConditionRow>(path)?;
    let runs = path.with_file_name(RunRow::FILE);
    let is_of_folder = path.file_name().is_some_and(|name| name == ConditionRow::FILE);
    if is_of_folder && runs.exists() {
        compare(path, &found, &runs, &conditions_of_runs(&runs)?)?;
    }
    Ok(found)
}

/// What the runs of a table give.
fn conditions_of_runs(path: &Path) -> Result<Vec<ConditionRow>, TableError> {
    let runs = rows::<RunRow>(path)?;
    if runs.iter().any(|run| run.source == Source::Published) {
        let runs = rows::<PublishedRunRow>(path)?;
        return Ok(conditions(runs.iter().map(|run| (&run.common, Stratum::of_published(run)))));
    }
    Ok(conditions(runs.iter().map(|run| (run, Stratum::of_design(run)))))
}

fn compare(
    path: &Path,
    found: &[ConditionRow],
    runs: &Path,
    due: &[ConditionRow],
) -> Result<(), StoredError> {
    let (path, runs) = (path.to_owned(), runs.to_owned());
    if found.len() != due.len() {
        return Err(StoredError::OtherNumber { path, runs, found: found.len(), due: due.len() });
    }
    for (index, (found, due)) in found.iter().zip(due).enumerate() {
        let pairs = cells(found).into_iter().zip(cells(due));
        // The version is of the program that wrote the table.
        let other = pairs.filter(|((column, _), _)| *column != "schema_version");
        let other = other.map(|((column, found), (_, due))| (column, found, due));
        if let Some((column, found, due)) = { other }.find(|(_, found, due)| !is_alike(found, due))
        {
            return Err(StoredError::OtherCell { path, line: index + 2, runs, column, found, due });
        }
    }
    Ok(())
}

/// The same text, or numbers that differ by rounding alone.
fn is_alike(found: &str, due: &str) -> bool {
    let difference = || {
        let (found, due): (f64, f64) = (found.parse().ok()?, due.parse().ok()?);
        Some((found - due).abs() <= NOTHING.max(ROUNDING * due.abs()))
    };
    found == due || difference() == Some(true)
}

fn rows<R: Row>(path: &Path) -> Result<Vec<R>, TableError> {
    TableReader::open(path, Extra::Skipped)?.collect()
}

#[cfg(test)]
mod tests;
