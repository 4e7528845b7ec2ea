//! The directory of one run, which appears whole under its name or not at all.

mod claim;

pub use claim::Claim;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    RunRecord,
    atomic::{Member, WriteError, sync_directory, write_as},
    series::{LatencyBucket, LoadCount, WindowCount},
    table::{Row, WriteTableError, write_table_as},
};

/// Name of the record's file in a run's directory.
pub const RECORD_FILE: &str = "run.json";

/// Ending of a directory that is being written, or was when its writer died.
pub const PARTIAL: &str = ".partial";

/// Ending of a directory that is being replaced by another of the same run.
const REPLACED: &str = ".replaced";

/// Endings that the files of a run's writer have, and no run's name.
pub const ENDINGS: [&str; 3] = [PARTIAL, REPLACED, claim::LOCK];

/// Whether `name` can name a file or folder everywhere, and leads nowhere else: letters, digits, '-', '_' and
/// '.', which is not first.
pub fn is_plain_name(name: &str) -> bool {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && !name.starts_with('.') && name.chars().all(plain)
}

/// Where a run's files go below the raw results: `PROFILE/EXPERIMENT/RUN_ID`.
pub fn path_of(raw: &Path, configuration: &crate::RunConfiguration) -> PathBuf {
    raw.join(&configuration.profile).join(&configuration.experiment).join(&configuration.run_id)
}

/// What to do when the run's directory is there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Leave it and give up.
    Keep,
    /// Put the new one in its place.
    Replace,
}

/// A run's directory while it is written, under the name `RUN_ID.partial`.
///
/// Every file is on the disk before the directory gets its name, so whatever stops the machine, a
/// directory under a run's name is whole. One call to the disk a file, one for the names in the
/// directory and one for the directory's own; not one `syncfs`, which waits for whatever else is
/// being written there, names no file when it fails, and does nothing on some network file systems.
///
/// Dropped without [`Self::commit`], it stays under that name for whoever wants to look; the next
/// attempt at the same run removes it. As long as it lives nobody else writes that run.
#[derive(Debug)]
pub struct RunDirectory {
    path: PathBuf,
    /// Given back when the directory has its name, or is given up.
    _claim: Claim,
    partial: PathBuf,
    existing: Existing,
}

impl RunDirectory {
    /// Starts the directory that will appear at `path`; makes the directories above it.
    ///
    /// # Errors
    /// When it exists and is to be kept, is somebody else's, or cannot be made.
    pub fn create(path: &Path, existing: Existing) -> Result<Self, WriteError> {
        Claim::take(path)?.directory(existing)
    }

    fn of(claim: Claim, existing: Existing) -> Result<Self, WriteError> {
        let path = claim.path().to_owned();
        let path = path.as_path();
        if existing == Existing::Keep && is_occupied(path)? {
            return Err(WriteError::Exists { path: path.to_owned() });
        }
        let partial = beside(path, PARTIAL);
        remove(&partial)?;
        if is_occupied(path)? {
            // Its writer died before it could remove it.
            remove(&beside(path, REPLACED))?;
        }
        fs::create_dir_all(&partial)
            .map_err(|source| WriteError::of("create", &partial, source))?;
        Ok(Self { path: path.to_owned(), _claim: claim, partial, existing })
    }

    /// Writes `run.json`.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write_record(&self, record: &RunRecord) -> Result<(), WriteError> {
        write_as::<Member>(&self.partial.join(RECORD_FILE), record.to_json().as_bytes())
    }

    /// Writes `windows.csv`.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write_windows(&self, counts: &[WindowCount]) -> Result<(), WriteTableError> {
        write_table_as::<_, Member>(&self.partial.join(WindowCount::FILE), counts)
    }

    /// Writes `latency.csv`.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write_latency(&self, buckets: &[LatencyBucket]) -> Result<(), WriteTableError> {
        write_table_as::<_, Member>(&self.partial.join(LatencyBucket::FILE), buckets)
    }

    /// Writes `load.csv`.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write_load(&self, counts: &[LoadCount]) -> Result<(), WriteTableError> {
        write_table_as::<_, Member>(&self.partial.join(LoadCount::FILE), counts)
    }

    /// Lets the directory appear under its name; returns its path.
    ///
    /// # Errors
    /// When it exists and is to be kept, or the disk refuses; then what was there is still there.
    pub fn commit(self) -> Result<PathBuf, WriteError> {
        sync_directory(&self.partial)?;
        let failed = |source| WriteError::of("create", &self.path, source);
        if !is_occupied(&self.path)? {
            fs::rename(&self.partial, &self.path).map_err(failed)?;
        } else if self.existing == Existing::Keep {
            return Err(WriteError::Exists { path: self.path });
        } else {
            let replaced = beside(&self.path, REPLACED);
            remove(&replaced)?;
            fs::rename(&self.path, &replaced).map_err(failed)?;
            if let Err(source) = fs::rename(&self.partial, &self.path) {
                // Best effort: the error that matters is the first one.
                let _ = fs::rename(&replaced, &self.path);
                return Err(failed(source));
            }
            remove(&replaced)?;
        }
        sync_directory(self.path.parent().unwrap_or(Path::new("/")))?;
        Ok(self.path)
    }
}

/// Whether something is at `path`; an empty directory is nothing, workflow engines make those.
fn is_occupied(path: &Path) -> Result<bool, WriteError> {
    match fs::read_dir(path) {
        Ok(mut entries) => Ok(entries.next().is_some()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(WriteError::of("look into", path, error)),
    }
}

fn remove(path: &Path) -> Result<(), WriteError> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(WriteError::of("remove", path, error))
        }
        _ => Ok(()),
    }
}

/// `path` with `ending` behind its last name.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Extra, TableReader};

    const COUNTS: [WindowCount; 2] = [
        WindowCount { window: 0, start_ns: 0, queue_pair: 0, operations: 7 },
        WindowCount { window: 1, start_ns: 10_000_000, queue_pair: 0, operations: 0 },
    ];

    #[test]
    fn a_run_appears_whole_under_its_name() {
        let raw = tempfile::tempdir().unwrap();
        let path = path_of(raw.path(), &crate::RunConfiguration::default());
        assert!(path.ends_with("unnamed/ad-hoc/ad-hoc"));
        let directory = RunDirectory::create(&path, Existing::Keep).unwrap();
        directory.write_windows(&COUNTS).unwrap();
        assert!(!path.exists() && directory.partial.ends_with("ad-hoc.partial"));
        assert_eq!(directory.commit().unwrap(), path);
        let table = TableReader::<WindowCount>::open(&path.join("windows.csv"), Extra::Refused);
        let counts: Vec<_> = table.unwrap().map(Result::unwrap).collect();
        assert_eq!(counts, COUNTS);
        assert_eq!(
            fs::read_to_string(path.join("windows.csv")).unwrap(),
            "window,start_ns,queue_pair,operations\n0,0,0,7\n1,10000000,0,0\n"
        );
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_run_that_is_there_is_kept_unless_it_is_to_be_replaced() {
        let raw = tempfile::tempdir().unwrap();
        let path = raw.path().join("run");
        let write = |existing, content: &str| -> Result<PathBuf, WriteError> {
            let directory = RunDirectory::create(&path, existing)?;
            fs::write(directory.partial.join("note"), content).unwrap();
            directory.commit()
        };
        write(Existing::Keep, "first").unwrap();
        let error = write(Existing::Keep, "second").unwrap_err();
        assert!(matches!(error, WriteError::Exists { .. }), "{error:?}");
        assert_eq!(fs::read_to_string(path.join("note")).unwrap(), "first");
        write(Existing::Replace, "third").unwrap();
        assert_eq!(fs::read_to_string(path.join("note")).unwrap(), "third");
        assert_eq!(fs::read_dir(raw.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_an_interrupted_attempt_left_is_not_mixed_into_the_next() {
        let raw = tempfile::tempdir().unwrap();
        let path = raw.path().join("run");
        let interrupted = RunDirectory::create(&path, Existing::Keep).unwrap();
        interrupted.write_windows(&COUNTS).unwrap();
        fs::write(interrupted.partial.join("stale"), "").unwrap();
        drop(interrupted);
        assert!(!path.exists(), "what was not committed is no run");
        let path = RunDirectory::create(&path, Existing::Keep).unwrap().commit().unwrap();
        assert_eq!(fs::read_dir(path).unwrap().count(), 0);
    }

    #[test]
    fn a_file_in_the_way_is_told_with_its_path() {
        let raw = tempfile::tempdir().unwrap();
        fs::write(raw.path().join("profile"), "").unwrap();
        let path = raw.path().join("profile/run");
        let error = RunDirectory::create(&path, Existing::Replace).unwrap_err();
        assert!(error.to_string().contains("the path to it is no directory"), "{error}");
        assert!(error.to_string().contains("profile/run"), "{error}");
    }

    #[test]
    fn what_was_being_replaced_when_its_writer_died_goes_with_the_next() {
        let raw = tempfile::tempdir().unwrap();
        let (path, replaced) = (raw.path().join("run"), raw.path().join("run.replaced"));
        let run = RunDirectory::create(&path, Existing::Keep).unwrap();
        run.write_windows(&COUNTS).unwrap();
        run.commit().unwrap();
        fs::create_dir(&replaced).unwrap();
        drop(RunDirectory::create(&path, Existing::Replace).unwrap());
        assert!(path.exists() && !replaced.exists());
    }
}
