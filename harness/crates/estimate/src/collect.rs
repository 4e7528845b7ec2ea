//! Directories of runs as tidy tables, one run at a time: memory does not grow with their number.

mod rows;
mod run;

pub use run::CollectedRun;

use std::{
    collections::HashMap,
    fs, io,
    path::{Path, PathBuf},
};

use onesided_results::{
    configuration::ConfigurationError,
    directory::{ENDINGS, RECORD_FILE},
    record::ReadRecordError,
    row::{ClientRow, LatencyRow, RunRow, WindowRow},
    table::{Row as _, TableError, TableWriter, WriteTableError, forget_sums, write_sums},
};

use crate::{latency::LatencyError, windows::WindowsError};

/// Runs that cannot be made tables of.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CollectError {
    /// A directory cannot be looked into.
    #[error("cannot look into {}", path.display())]
    Look {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A record cannot be read.
    #[error(transparent)]
    Record(#[from] ReadRecordError),
    /// A record of a run that cannot have been.
    #[error("{}: the record is damaged, remove the run and do it again", path.display())]
    Configuration {
        /// The record.
        path: PathBuf,
        /// What is wrong with the configuration.
        source: ConfigurationError,
    },
    /// A name that cannot be one.
    #[error(
        "{}: {place} is {value:?}; allowed: no control character, and none of '=', '+', '-' and '@' at \
         the start, where a spreadsheet looks for a formula: the record is damaged, remove the run and do \
         it again", path.display()
    )]
    Text {
        /// The record.
        path: PathBuf,
        /// The column.
        place: &'static str,
        /// What it has.
        value: String,
    },
    /// A text that is longer than any of its kind.
    #[error(
        "{}: {place} has {bytes} bytes, {longest} at the most are allowed: the record is damaged, remove the \
         run and do it again", path.display()
    )]
    LongText {
        /// The record.
        path: PathBuf,
        /// The column.
        place: &'static str,
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        longest: usize,
    },
    /// A run's table cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// `windows.csv` is not a full table of windows.
    #[error("{}: the table of windows is damaged", path.display())]
    Windows {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: WindowsError,
    },
    /// `latency.csv` is not a table of histograms that fit together.
    #[error("{}: the table of latencies is damaged", path.display())]
    Latency {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: LatencyError,
    },
    /// Latencies of a queue pair that the run does not have.
    #[error(
        "{}: latencies of queue pair {queue_pair}, but the run has only {queue_pairs}, from 0",
        path.display()
    )]
    UnknownQueuePair {
        /// The file.
        path: PathBuf,
        /// The queue pair.
        queue_pair: u32,
        /// How many there are.
        queue_pairs: u32,
    },
    /// A table and the record beside it count differently: one of them is damaged.
    #[error(
        "{}: {in_table} {what}, but run.json beside it says {in_record}: the run is damaged, \
         remove it and run it again", path.display()
    )]
    CountsDisagree {
        /// The table.
        path: PathBuf,
        /// What is counted.
        what: &'static str,
        /// Counted in the table.
        in_table: u64,
        /// Said by the record.
        in_record: u64,
    },
    /// The same run in two directories.
    #[error("{} is the same run as {}: remove one", path.display(), first.display())]
    SameRunTwice {
        /// The second directory.
        path: PathBuf,
        /// The first.
        first: PathBuf,
    },
    /// A tidy table cannot be written.
    #[error(transparent)]
    Write(#[from] WriteTableError),
}

/// Writes the tidy tables of runs that are added one by one.
///
/// The tables appear with [`Self::finish`], or not at all, and with them the list of their checksums.
pub struct Collector {
    directory: PathBuf,
    runs: TableWriter<RunRow>,
    clients: TableWriter<ClientRow>,
    windows: TableWriter<WindowRow>,
    latency: TableWriter<LatencyRow>,
    /// Directories by source, profile, experiment and name of their run.
    seen: HashMap<[String; 4], PathBuf>,
}

impl Collector {
    /// Starts the tables that will appear in `directory`, which exists.
    ///
    /// # Errors
    /// When nothing can be written there.
    pub fn create(directory: &Path) -> Result<Self, CollectError> {
        Ok(Self {
            directory: directory.to_owned(),
            runs: TableWriter::create(&directory.join(RunRow::FILE))?,
            clients: TableWriter::create(&directory.join(ClientRow::FILE))?,
            windows: TableWriter::create(&directory.join(WindowRow::FILE))?,
            latency: TableWriter::create(&directory.join(LatencyRow::FILE))?,
            seen: HashMap::new(),
        })
    }

    /// Adds the run in `directory`; returns its row.
    ///
    /// # Errors
    /// When its files are damaged, or it was added before.
    pub fn add(&mut self, directory: &Path) -> Result<RunRow, CollectError> {
        let run = CollectedRun::read(directory)?;
        let row = &run.row;
        let key = [
            row.source.to_string(),
            row.profile.clone(),
            row.experiment.clone(),
            row.run_id.clone(),
        ];
        if let Some(first) = self.seen.insert(key, directory.to_owned()) {
            return Err(CollectError::SameRunTwice { path: directory.to_owned(), first });
        }
        self.runs.write(row)?;
        run.clients.iter().try_for_each(|client| self.clients.write(client))?;
        run.windows().try_for_each(|window| self.windows.write(&window))?;
        run.latency().try_for_each(|bucket| self.latency.write(&bucket))?;
        Ok(run.row)
    }

    /// Lets the tables appear; returns how many runs are in them.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn finish(self) -> Result<usize, CollectError> {
        forget_sums(&self.directory)?;
        self.clients.finish()?;
        self.windows.finish()?;
        self.latency.finish()?;
        // Last, because it is the one that others wait for.
        self.runs.finish()?;
        write_sums(
            &self.directory,
            &[ClientRow::FILE, LatencyRow::FILE, RunRow::FILE, WindowRow::FILE],
        )?;
        Ok(self.seen.len())
    }
}

/// The directories of whole runs below `directory`, itself included, in the order of their names.
///
/// # Errors
/// When a directory cannot be looked into.
pub fn run_directories(directory: &Path) -> Result<Vec<PathBuf>, CollectError> {
    let mut found = Vec::new();
    descend(directory, &mut found)?;
    Ok(found)
}

fn descend(directory: &Path, found: &mut Vec<PathBuf>) -> Result<(), CollectError> {
    if directory.join(RECORD_FILE).exists() {
        found.push(directory.to_owned());
        return Ok(());
    }
    let look = |source| CollectError::Look { path: directory.to_owned(), source };
    let mut below = Vec::new();
    for entry in fs::read_dir(directory).map_err(look)? {
        let entry = entry.map_err(look)?;
        let name = entry.file_name();
        let is_unfinished = ENDINGS.iter().any(|ending| name.to_string_lossy().ends_with(ending));
        if entry.file_type().map_err(look)?.is_dir() && !is_unfinished {
            below.push(entry.path());
        }
    }
    below.sort();
    below.iter().try_for_each(|directory| descend(directory, found))
}

#[cfg(test)]
mod tests;
