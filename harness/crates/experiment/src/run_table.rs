//! `runs.csv`: one row a run, with everything that the run needs to know.

use std::{
    collections::{HashMap, HashSet},
    path::{Path, PathBuf},
    time::Duration,
};

use onesided_results::{
    RunConfiguration,
    configuration::ConfigurationError,
    table::{Extra, TableError, TableReader, WriteTableError, write_table},
};

/// Runs in the order in which they are to be made, no two of the same name.
#[derive(Clone, Debug, PartialEq)]
pub struct RunTable {
    runs: Vec<RunConfiguration>,
}

/// What a run table costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Runs.
    pub runs: usize,
    /// Blocks of the run order.
    pub blocks: usize,
    /// Time in warm-up and measurement; setting up and verifying comes on top.
    pub running: Duration,
}

impl Cost {
    /// What `runs` cost.
    pub(crate) fn of<'a>(runs: impl IntoIterator<Item = &'a RunConfiguration>) -> Self {
        let (mut count, mut running_ms) = (0, 0_u64);
        let mut blocks = HashSet::new();
        for run in runs {
            count += 1;
            blocks.insert(run.block);
            running_ms = running_ms.saturating_add(run.warm_up_ms).saturating_add(run.duration_ms);
        }
        Self { runs: count, blocks: blocks.len(), running: Duration::from_millis(running_ms) }
    }

    /// The time in seconds, a begun one counted.
    pub fn seconds(&self) -> u64 {
        self.running.as_secs() + u64::from(self.running.subsec_nanos() > 0)
    }
}

/// A run table that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunTableError {
    /// The file is no run table.
    #[error(transparent)]
    Table(TableError),
    /// The table lacks a column that runs need: mostly one of an earlier version.
    #[error(
        "{source}; is the run table of another version of this program? make it again (`onesided \
         expand`; in the workflow: remove it): runs that are complete are kept"
    )]
    AnotherVersion {
        /// Which file and column.
        source: TableError,
    },
    /// A row that cannot be run.
    #[error("{}:{line}: run {run_id}: {source}", path.display())]
    Impossible {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The run's name.
        run_id: String,
        /// Why.
        source: ConfigurationError,
    },
    /// Two rows of the same name, of which one would overwrite the other's results.
    #[error("{}:{line}: run {run_id} is already on line {first_line}", path.display())]
    SameRunTwice {
        /// The file.
        path: PathBuf,
        /// The line of the second, from 1.
        line: u64,
        /// The run's name.
        run_id: String,
        /// The line of the first.
        first_line: u64,
    },
}

impl From<TableError> for RunTableError {
    fn from(source: TableError) -> Self {
        match source {
            TableError::MissingColumn { .. } => Self::AnotherVersion { source },
            other => Self::Table(other),
        }
    }
}

/// Two runs of one name, of which one would overwrite the other's results.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("two of the designs have a run {run_id}: was one given twice?")]
pub struct SameNameTwice {
    /// The name.
    pub run_id: String,
}

fn last(runs: &[RunConfiguration], of: impl Fn(&RunConfiguration) -> u32) -> u32 {
    runs.iter().map(of).max().unwrap_or(0)
}

impl RunTable {
    /// A table of `runs`; or, as an error, a name that two of them have.
    pub(crate) fn new(runs: Vec<RunConfiguration>) -> Result<Self, String> {
        let mut names = HashSet::new();
        match runs.iter().find(|run| !names.insert(&run.run_id)) {
            Some(run) => Err(run.run_id.clone()),
            None => Ok(Self { runs }),
        }
    }

    /// The runs of several tables, one table after the other.
    ///
    /// # Errors
    /// When a name stands in two of them.
    pub fn joined(tables: Vec<Self>) -> Result<Self, SameNameTwice> {
        let mut runs: Vec<RunConfiguration> = Vec::new();
        for table in tables {
            let (blocks, orders) = (last(&runs, |run| run.block), last(&runs, |run| run.order));
            runs.extend(table.runs.into_iter().map(|run| RunConfiguration {
                block: run.block + blocks,
                order: run.order + orders,
                ..run
            }));
        }
        Self::new(runs).map_err(|run_id| SameNameTwice { run_id })
    }

    /// The runs in their order.
    pub fn runs(&self) -> &[RunConfiguration] {
        &self.runs
    }

    /// Those of its runs that are `wanted`, asked in their order.
    #[must_use]
    pub fn filtered(mut self, wanted: impl FnMut(&RunConfiguration) -> bool) -> Self {
        self.runs.retain(wanted);
        self
    }

    /// What it costs to run them all.
    pub fn cost(&self) -> Cost {
        Cost::of(&self.runs)
    }

    /// Writes the table.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write(&self, path: &Path) -> Result<(), WriteTableError> {
        write_table(path, &self.runs)
    }

    /// Reads a table, its runs in the order of their column `order`.
    ///
    /// # Errors
    /// When it is none, or has a row that cannot be run or stands there twice; always with the
    /// line, and for unknown columns and words with the nearest known one.
    pub fn read(path: &Path) -> Result<Self, RunTableError> {
        let mut reader = TableReader::<RunConfiguration>::open(path, Extra::Refused)?;
        let mut runs: Vec<RunConfiguration> = Vec::new();
        let mut lines = HashMap::new();
        while let Some(run) = reader.next().transpose()? {
            let (path, line, run_id) = (|| path.to_owned(), reader.line(), run.run_id.clone());
            if let Err(source) = run.check() {
                return Err(RunTableError::Impossible { path: path(), line, run_id, source });
            }
            let name = (run.profile.clone(), run.experiment.clone(), run_id.clone());
            if let Some(first_line) = lines.insert(name, line) {
                return Err(RunTableError::SameRunTwice { path: path(), line, run_id, first_line });
            }
            runs.push(run);
        }
        runs.sort_by_key(|run| run.order);
        Ok(Self { runs })
    }
}

#[cfg(test)]
mod tests;
