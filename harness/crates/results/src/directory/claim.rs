//! Who does a run: one at a time, whoever else has the same name for theirs.

use std::{
    fs::{self, File, TryLockError},
    io::{self, Read as _, Write as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::SystemTime,
};

use super::{Existing, RunDirectory, beside};
use crate::atomic::WriteError;

/// Ending of the file that is locked while a run is done.
pub(super) const LOCK: &str = ".lock";

/// Longest text of a lock that is shown.
const LONGEST_WORDS: u64 = 200;

/// The right to do the run of a directory and to write it, until this value is dropped.
///
/// A lock of the file `RUN_ID.lock` (flock(2)), which says who has it. The kernel gives
/// it back whatever ends its owner; the file itself goes with the claim.
#[derive(Debug)]
pub struct Claim {
    path: PathBuf,
    lock: PathBuf,
    /// Locked as long as it is open.
    _file: File,
}

impl Claim {
    /// Claims the directory `path`; makes the directories above it.
    ///
    /// # Errors
    /// [`WriteError::Owned`] when somebody else has it, or the disk refuses.
    pub fn take(path: &Path) -> Result<Self, WriteError> {
        let lock = beside(path, LOCK);
        if let Some(above) = path.parent() {
            fs::create_dir_all(above).map_err(|source| match source.kind() {
                // A file stands where a directory should.
                io::ErrorKind::AlreadyExists => {
                    WriteError::of("create", path, io::ErrorKind::NotADirectory.into())
                }
                _ => WriteError::of("create", above, source),
            })?;
        }
        let failed = |source| WriteError::of("lock", &lock, source);
        loop {
            let writable = || {
                File::options().write(true).create(true).truncate(false).open(&lock).map_err(failed)
            };
            drop(writable()?);
            // Held open for reading alone: a disk with a file open for writing cannot be made read-only.
            let file = match File::open(&lock) {
                // Its owner has just removed it.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                opened => opened.map_err(failed)?,
            };
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let (path, by) = (path.to_owned(), words_in(&file).map_err(failed)?);
                    return Err(WriteError::Owned { path, by });
                }
                Err(TryLockError::Error(source)) => return Err(failed(source)),
            }
            // The owner before may have removed the file between its opening and its locking here.
            if !is_at(&file, &lock).map_err(failed)? {
                continue;
            }
            let words = format!("process {}", std::process::id());
            let mut written = writable()?;
            written
                .set_len(0)
                .and_then(|()| written.write_all(words.as_bytes()))
                .map_err(failed)?;
            return Ok(Self { path: path.to_owned(), lock, _file: file });
        }
    }

    /// Starts the directory, which will appear under the claimed name.
    ///
    /// # Errors
    /// When it exists and is to be kept, or cannot be made.
    pub fn directory(self, existing: Existing) -> Result<RunDirectory, WriteError> {
        RunDirectory::of(self, existing)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        // While it is still locked, so that nobody locks a file that has no name any more and believes
        // to be alone. Where it cannot be removed it stays, unlocked.
        let _ = fs::remove_file(&self.lock);
    }
}

fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    let own = file.metadata()?;
    match fs::metadata(path) {
        Ok(there) => Ok((own.dev(), own.ino()) == (there.dev(), there.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// What the owner wrote, and for how long it has been one.
fn words_in(file: &File) -> io::Result<String> {
    let mut words = Vec::new();
    file.take(LONGEST_WORDS).read_to_end(&mut words)?;
    let words = String::from_utf8_lossy(&words);
    let words = if words.is_empty() { "another process" } else { &words };
    let since = SystemTime::now().duration_since(file.metadata()?.modified()?);
    Ok(format!("{words}, for {} s", since.unwrap_or_default().as_secs()))
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn a_run_is_one_owners_at_a_time_and_the_other_is_told_whose() {
        let raw = tempfile::tempdir().unwrap();
        let path = raw.path().join("profile/experiment/run");
        let claim = Claim::take(&path).unwrap();
        let error = Claim::take(&path).unwrap_err();
        assert!(matches!(error, WriteError::Owned { .. }), "{error:?}");
        let own = format!("process {}, for ", std::process::id());
        assert!(error.to_string().contains(&own), "{error}");
        drop(claim);
        drop(Claim::take(&path).unwrap());
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 0);
    }

    #[test]
    fn of_many_who_write_one_run_at_once_each_that_gets_it_leaves_it_whole() {
        let raw = tempfile::tempdir().unwrap();
        let path = &raw.path().join("run");
        let write = |who: usize, nth: usize| -> Result<(), WriteError> {
            let directory = Claim::take(path)?.directory(Existing::Replace)?;
            for name in ["one", "other"] {
                let text = format!("{who} {nth}");
                fs::write(directory.partial.join(name), text).unwrap();
                thread::yield_now();
            }
            directory.commit().map(drop)
        };
        let done: usize = thread::scope(|scope| {
            let writers: Vec<_> = (0..5)
                .map(|who| {
                    scope.spawn(move || {
                        let tries = (0..200).map(|nth| match write(who, nth) {
                            Ok(()) => 1,
                            Err(WriteError::Owned { .. }) => 0,
                            Err(error) => panic!("{error}"),
                        });
                        tries.sum::<usize>()
                    })
                })
                .collect();
            // Whatever is there meanwhile is of one writer.
            for _ in 0..200 {
                let read = |name| fs::read_to_string(path.join(name));
                if let (Ok(one), Ok(again)) = (read("one"), read("one"))
                    && one == again
                    && let Ok(other) = read("other")
                    && read("one").is_ok_and(|third| third == one)
                {
                    assert_eq!(one, other);
                }
            }
            writers.into_iter().map(|writer| writer.join().unwrap()).sum()
        });
        assert!(done > 0);
        let read = |name| fs::read_to_string(path.join(name)).unwrap();
        assert_eq!(read("one"), read("other"));
        assert_eq!(fs::read_dir(raw.path()).unwrap().count(), 1);
    }
}
