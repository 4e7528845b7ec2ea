//! Tables of comma-separated values: strict reading, deterministic writing.
//!
//! A table's columns are the fields of its row type. Missing is an empty cell, never 0.

mod cell;
mod error;
mod extended;
mod read;
mod sums;
mod write;

pub use error::TableError;
pub use extended::Extended;
pub use read::{Extra, TableReader, read_rows};
pub use sums::{SUMS, forget_sums, write_sums};
pub(crate) use write::write_table_as;
pub use write::{TableWriter, WriteTableError, write_table};

use serde::{Serialize, de::DeserializeOwned};

use crate::{row::Rule, version::Versions};

/// Whether rows say which version of the format they are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Versioned {
    /// No: the version is in the `run.json` beside the table.
    Beside,
    /// Each row does, in the column `schema_version`: one of these.
    EveryRow(Versions),
}

/// A row of one kind of table.
pub trait Row: Serialize + DeserializeOwned {
    /// Usual name of the table's file.
    const FILE: &'static str;
    /// Where the format's version stands.
    const VERSIONED: Versioned = Versioned::Beside;
    /// Columns that the oldest version lacks, each with the version that has it first. Where it is
    /// not there, it is unknown.
    const SINCE: &'static [(&'static str, u32)] = &[];

    /// The first rule of its columns that the row breaks: the column, and what would be right.
    fn broken_rule(&self) -> Option<(&'static str, String)> {
        None
    }

    /// What its columns must be beside what their types say, of those that have such rules.
    fn rules() -> Vec<(&'static str, &'static [Rule])> {
        Vec::new()
    }

    /// Names of its fields, in their order.
    fn fields() -> Vec<&'static str> {
        crate::columns::<Self>().to_vec()
    }

    /// The same names in the order of the table's columns.
    fn columns() -> Vec<&'static str> {
        Self::fields()
    }
}

/// The run table `runs.csv`: one run to be made a row.
impl Row for crate::RunConfiguration {
    const FILE: &'static str = "runs.csv";

    fn rules() -> Vec<(&'static str, &'static [Rule])> {
        crate::row::rules::rules_of::<Self>()
    }
}

/// The cells of a row, by the names of its fields.
///
/// # Panics
/// Never: a row is plain values.
pub fn cells<T: Row>(row: &T) -> Vec<(&'static str, String)> {
    let cells = write::cells(row).expect("a row is plain values");
    T::fields().into_iter().zip(cells.iter().map(str::to_owned)).collect()
}

/// `row` with the text `cell` in the column `column`, read as from a table.
///
/// # Errors
/// With the reason why the text cannot stand there.
///
/// # Panics
/// When there is no such column.
pub fn with_cell<T: Row>(row: &T, column: &str, cell: &str) -> Result<T, String> {
    let cells = write::cells(row).expect("a row is plain values");
    let at = T::fields().iter().position(|field| *field == column).expect("a column of the row");
    let cells = cells.iter().enumerate().map(|(index, own)| if index == at { cell } else { own });
    read::row(&cells.collect())
}

#[cfg(test)]
mod tests;
