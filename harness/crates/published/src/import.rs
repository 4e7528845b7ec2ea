//! All raw files as tables, in parallel; the same bytes whatever the number of threads.

mod manifest;
mod pool;
pub(crate) mod relations;
mod staged;

pub(crate) use manifest::verdict;
use staged::Staged;

use std::{
    fs, io,
    num::NonZeroUsize,
    path::{Path, PathBuf},
};

use onesided_estimate::conditions::{Stratum, conditions};
use onesided_results::{
    row::{ConditionRow, ManifestRow, PublishedClientRow, PublishedRunRow, TraceRow},
    table::{Row as _, TableWriter, WriteTableError},
};

use crate::{
    RawError,
    grammar::{self, GrammarError},
    oddities::{self, Oddity},
    run::{RawFile, ReadFile},
};

/// A release that cannot be made tables of.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// A folder cannot be looked into.
    #[error("cannot look into {}", path.display())]
    Look {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// There is no file.
    #[error("{} holds no file; it should be the folder `results` of the release", path.display())]
    Nothing {
        /// The folder.
        path: PathBuf,
    },
    /// A name that is no text.
    #[error("{}: its name is no UTF-8, and none of the release's", path.display())]
    Name {
        /// The file or folder.
        path: PathBuf,
    },
    /// A path that is none of the release's.
    #[error(transparent)]
    Grammar(#[from] GrammarError),
    /// A file that is not what the study's programs write.
    #[error(transparent)]
    Raw(#[from] RawError),
    /// A table cannot be written.
    #[error(transparent)]
    Write(#[from] WriteTableError),
    /// A table cannot have its place.
    #[error("cannot write {}", path.display())]
    Place {
        /// The table, or the directory that it should be in.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// What was imported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Raw files.
    pub files: usize,
    /// Runs in them.
    pub runs: usize,
    /// Runs that may not be used.
    pub invalid: usize,
    /// Conditions that the others make.
    pub conditions: usize,
    /// Files that are odd, empty or missing.
    pub odd: usize,
}

/// Makes the tables in `out`, which exists, of `files` below the release's folder `results`.
///
/// The files are those that [`files`] finds there. Those of the release that are not among them are
/// rows of the manifest, too; whether that will do is for the caller to say ([`crate::release::missing`]).
/// `step` is told the path of each file that was read.
///
/// # Errors
/// When a path or a file is not as the release's are, or a table cannot be written; then no table
/// has changed. Only when the system fails while the finished tables are given their names can some
/// of them be new and some old.
pub fn import(
    results: &Path,
    files: &[RawFile],
    out: &Path,
    threads: NonZeroUsize,
    mut step: impl FnMut(&str),
) -> Result<Summary, ImportError> {
    let mut tables = Tables::create(out)?;
    let mut runs = Vec::with_capacity(files.len());
    pool::read_all(results, files, threads, |file, read| {
        step(&file.raw_path);
        tables.write(file, &read)?;
        runs.extend(read.runs.into_iter().map(|(row, doubts)| (row, doubts, file)));
        Ok(())
    })?;
    let rows = relations::settled(results, runs)?;
    tables.finish(files, &rows)
}

/// The files to read, in the order of their paths.
///
/// # Errors
/// When a folder cannot be looked into, or a path is none of the release's.
pub fn files(results: &Path) -> Result<Vec<RawFile>, ImportError> {
    let mut paths = Vec::new();
    descend(results, "", &mut paths)?;
    if paths.is_empty() {
        return Err(ImportError::Nothing { path: results.to_owned() });
    }
    paths.sort_unstable();
    paths.into_iter().map(described).collect()
}

/// What the file at `raw_path` is, before it is read.
pub(crate) fn described(raw_path: String) -> Result<RawFile, ImportError> {
    let oddity = oddities::known(&raw_path);
    let no_run = matches!(oddity, Some(Oddity::Stray | Oddity::Log));
    let factors = if no_run { None } else { Some(grammar::factors(&raw_path)?) };
    let oddity = oddity.or_else(|| oddities::of_labels(factors.as_ref()?));
    Ok(RawFile { raw_path, oddity, factors })
}

fn descend(folder: &Path, below: &str, paths: &mut Vec<String>) -> Result<(), ImportError> {
    let look = |source| ImportError::Look { path: folder.to_owned(), source };
    for entry in fs::read_dir(folder).map_err(look)? {
        let entry = entry.map_err(look)?;
        let name = entry.file_name();
        let name = name.to_str().ok_or_else(|| ImportError::Name { path: entry.path() })?;
        let path = if below.is_empty() { name.to_owned() } else { format!("{below}/{name}") };
        if entry.file_type().map_err(look)?.is_dir() {
            descend(&entry.path(), &path, paths)?;
        } else {
            paths.push(path);
        }
    }
    Ok(())
}

/// The tables while they are written.
struct Tables {
    staged: Staged,
    runs: TableWriter<PublishedRunRow>,
    clients: TableWriter<PublishedClientRow>,
    traces: TableWriter<TraceRow>,
    conditions: TableWriter<ConditionRow>,
    manifest: TableWriter<ManifestRow>,
    summary: Summary,
}

impl Tables {
    fn create(out: &Path) -> Result<Self, ImportError> {
        let staged = Staged::create(out)?;
        Ok(Self {
            runs: TableWriter::create(&staged.path(PublishedRunRow::FILE))?,
            clients: TableWriter::create(&staged.path(PublishedClientRow::FILE))?,
            traces: TableWriter::create(&staged.path(TraceRow::FILE))?,
            conditions: TableWriter::create(&staged.path(ConditionRow::FILE))?,
            manifest: TableWriter::create(&staged.path(ManifestRow::FILE))?,
            staged,
            summary: Summary::default(),
        })
    }

    /// Writes what needs only this one file.
    fn write(&mut self, file: &RawFile, read: &ReadFile) -> Result<(), ImportError> {
        read.clients.iter().try_for_each(|row| self.clients.write(row))?;
        read.trace.iter().try_for_each(|row| self.traces.write(row))?;
        self.summary.files += 1;
        self.summary.odd += usize::from(file.oddity.is_some());
        self.manifest.write(&manifest::of_file(file, read))?;
        Ok(())
    }

    /// Writes what needs all files, and lets the tables appear.
    fn finish(
        mut self,
        files: &[RawFile],
        rows: &[PublishedRunRow],
    ) -> Result<Summary, ImportError> {
        for row in manifest::of_missing(files) {
            self.manifest.write(&row)?;
            self.summary.odd += 1;
        }
        rows.iter().try_for_each(|row| self.runs.write(row))?;
        let pooled = conditions(rows.iter().map(|row| (&row.common, Stratum::of_published(row))));
        for row in &pooled {
            self.conditions.write(&relations::rounded(row))?;
        }
        self.summary.runs = rows.len();
        self.summary.invalid = rows.iter().filter(|row| !row.common.valid).count();
        self.summary.conditions = pooled.len();
        self.clients.finish()?;
        self.traces.finish()?;
        self.conditions.finish()?;
        self.manifest.finish()?;
        self.runs.finish()?;
        // The runs last, because they are what others wait for.
        self.staged.appear(&[
            PublishedClientRow::FILE,
            TraceRow::FILE,
            ConditionRow::FILE,
            ManifestRow::FILE,
            PublishedRunRow::FILE,
        ])?;
        Ok(self.summary)
    }
}
