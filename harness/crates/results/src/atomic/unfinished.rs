//! What is temporary on the disk, so that a process which is asked to end leaves none of it behind.
//!
//! One list for the whole process, because a signal is for the whole process.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

static PATHS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A path is in the list before or after a panic, never half.
fn paths() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    PATHS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file or folder that is in the list as long as this lives.
#[derive(Debug)]
pub struct Unfinished {
    path: PathBuf,
}

impl Unfinished {
    /// Makes something temporary by `make`, of which `path` says where it is.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn make<T>(
        make: impl FnOnce() -> io::Result<T>,
        path: impl FnOnce(&T) -> &Path,
    ) -> io::Result<(T, Self)> {
        let mut paths = paths();
        let made = make()?;
        let path = path(&made).to_owned();
        paths.insert(path.clone());
        Ok((made, Self { path }))
    }

    /// Does something that needs it to be there. Where [`remove_unfinished`] was first, this does not
    /// return.
    pub fn with<T>(&self, act: impl FnOnce() -> T) -> T {
        let _held = paths();
        act()
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        paths().remove(&self.path);
    }
}

/// As long as this lives, whoever makes or needs something temporary waits.
pub struct Removed {
    _held: MutexGuard<'static, BTreeSet<PathBuf>>,
}

/// Removes everything temporary of this process, which is about to end: the caller keeps what is returned
/// until then.
#[must_use]
pub fn remove_unfinished() -> Removed {
    let held = paths();
    for path in &*held {
        // What is not there any more is removed already, and nobody is left to do something about the rest.
        let _ = match fs::symlink_metadata(path) {
            Ok(found) if found.is_dir() => fs::remove_dir_all(path),
            _ => fs::remove_file(path),
        };
    }
    Removed { _held: held }
}
