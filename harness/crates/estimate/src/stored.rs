//! Tables of a folder that are read together.
//!
//! Conditions say nothing that the runs beside them do not: they are made from these again, and
//! compared. What runs have of their queue pairs, windows and latencies is looked up in the tables of
//! these ([`check_counts`]). A number that was changed in one of the tables, by hand or by a tool, is
//! so found whatever the checksums say.

mod counts;
mod error;
mod runs;

pub use counts::check_counts;
pub use error::{Place, StoredError};
pub use runs::StoredRuns;

use std::path::Path;

use onesided_results::{
    RunRow,
    row::ConditionRow,
    table::{Row as _, cells, read_rows},
};

/// The conditions in `path`, which are those of the runs beside it, where there are some.
///
/// # Errors
/// [`StoredError`]
pub fn read_conditions(path: &Path) -> Result<Vec<ConditionRow>, StoredError> {
    let runs = path.with_file_name(RunRow::FILE);
    let is_of_folder = path.file_name().is_some_and(|name| name == ConditionRow::FILE);
    if is_of_folder && runs.exists() {
        return read_conditions_of(path, &StoredRuns::read(&runs)?);
    }
    Ok(read_rows::<ConditionRow>(path)?)
}

/// The conditions in `path`, which are those of `runs`, the table beside it.
///
/// # Errors
/// [`StoredError`]
pub fn read_conditions_of(
    path: &Path,
    runs: &StoredRuns,
) -> Result<Vec<ConditionRow>, StoredError> {
    let found = read_rows::<ConditionRow>(path)?;
    compare(path, &found, &path.with_file_name(RunRow::FILE), &runs.conditions())?;
    Ok(found)
}

fn compare(
    path: &Path,
    found: &[ConditionRow],
    runs: &Path,
    due: &[ConditionRow],
) -> Result<(), StoredError> {
    if found.len() != due.len() {
        let (path, runs) = (path.to_owned(), runs.to_owned());
        return Err(StoredError::OtherNumber { path, runs, found: found.len(), due: due.len() });
    }
    for (index, (found, due)) in found.iter().zip(due).enumerate() {
        let place = Place { path, line: index + 2, beside: runs };
        for ((column, found), (_, due)) in cells(found).into_iter().zip(cells(due)) {
            // The version is of the program that wrote the table.
            if column != "schema_version" {
                place.expect(column, found, due)?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
