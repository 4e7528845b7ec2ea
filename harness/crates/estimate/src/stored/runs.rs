//! The runs of a table, of whichever kind.

use std::path::Path;

use onesided_results::{
    RunRow,
    row::{ConditionRow, PublishedRunRow},
    table::{Extra, TableError, TableReader, read_rows},
    vocabulary::Source,
};

use crate::conditions::{Stratum, conditions, members};

/// The runs of one table.
pub enum StoredRuns {
    /// Runs of our own.
    Own(Vec<RunRow>),
    /// Runs of the study, which have columns of their own.
    Published(Vec<PublishedRunRow>),
}

impl StoredRuns {
    /// Reads the table once: its columns tell which kind of runs it may have, and its rows which it has.
    ///
    /// # Errors
    /// When it cannot be read, or runs of the study lack a column that such have.
    pub fn read(path: &Path) -> Result<Self, TableError> {
        let is_of_study = |run: &RunRow| run.source == Source::Published;
        match TableReader::<PublishedRunRow>::open(path, Extra::Skipped) {
            Ok(reader) => {
                let runs = reader.collect::<Result<Vec<_>, _>>()?;
                if runs.iter().any(|run| is_of_study(&run.common)) {
                    return Ok(Self::Published(runs));
                }
                Ok(Self::Own(runs.into_iter().map(|run| run.common).collect()))
            }
            Err(lacking @ TableError::MissingColumn { .. }) => {
                let runs = read_rows::<RunRow>(path)?;
                if runs.iter().any(is_of_study) { Err(lacking) } else { Ok(Self::Own(runs)) }
            }
            Err(other) => Err(other),
        }
    }

    /// The conditions that they give.
    pub fn conditions(&self) -> Vec<ConditionRow> {
        match self {
            Self::Own(runs) => conditions(runs.iter().map(of_design)),
            Self::Published(runs) => conditions(runs.iter().map(of_study)),
        }
    }

    /// Which runs each of these conditions pools, by their places in the table.
    pub fn members(&self) -> Vec<Vec<usize>> {
        match self {
            Self::Own(runs) => members(runs.iter().map(of_design)),
            Self::Published(runs) => members(runs.iter().map(of_study)),
        }
    }
}

fn of_design(run: &RunRow) -> (&RunRow, Stratum) {
    (run, Stratum::of_design(run))
}

fn of_study(run: &PublishedRunRow) -> (&RunRow, Stratum) {
    (&run.common, Stratum::of_published(run))
}
