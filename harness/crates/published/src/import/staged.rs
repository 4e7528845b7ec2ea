//! Tables that appear only when the last of them is on the disk.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use tempfile::{Builder, TempDir};

use onesided_results::table::{SUMS, forget_sums, write_sums};

use super::ImportError;

/// A directory within the one where tables are to appear; dropped, it takes them with it.
///
/// Each table alone appears whole or not at all; together they would do one by one, and a disk that
/// is full at the third would leave two new ones beside three old ones.
pub(super) struct Staged {
    directory: TempDir,
    out: PathBuf,
}

impl Staged {
    pub(super) fn create(out: &Path) -> Result<Self, ImportError> {
        let directory = Builder::new()
            .prefix(".tables.")
            .suffix(".partial")
            .tempdir_in(out)
            .map_err(|source| place_error(out, source))?;
        Ok(Self { directory, out: out.to_owned() })
    }

    /// Where the table `name` is to be written.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Gives the tables `names`, all written, their places, one after another, and the list of their
    /// checksums.
    ///
    /// What can be known to be in the way is looked for before the first of them.
    pub(super) fn appear(self, names: &[&str]) -> Result<(), ImportError> {
        for path in names.iter().map(|name| self.out.join(name)) {
            if path.is_dir() {
                return Err(place_error(&path, io::ErrorKind::IsADirectory.into()));
            }
        }
        let mut listed = names.to_vec();
        listed.sort_unstable();
        write_sums(self.directory.path(), &listed)?;
        forget_sums(&self.out)?;
        for name in names.iter().copied().chain([SUMS]) {
            let path = self.out.join(name);
            fs::rename(self.path(name), &path).map_err(|source| place_error(&path, source))?;
        }
        // Without, a crash can take the new names back.
        let synced = File::open(&self.out).and_then(|out| out.sync_all());
        synced.map_err(|source| place_error(&self.out, source))
    }
}

fn place_error(path: &Path, source: io::Error) -> ImportError {
    ImportError::Place { path: path.to_owned(), source }
}
