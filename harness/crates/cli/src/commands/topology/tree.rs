//! What the kernel tells in `/sys` and `/proc`, and distributions in `/etc`.

use std::path::{Path, PathBuf};

/// Where a machine's files are mounted: the root directory, or in tests another.
#[derive(Clone, Debug)]
pub struct Tree(pub PathBuf);

impl Tree {
    /// This machine's.
    pub fn of_this_machine() -> Self {
        Self(PathBuf::from("/"))
    }

    /// What is mounted at `/sys`.
    pub fn sys(&self) -> PathBuf {
        self.0.join("sys")
    }

    /// The trimmed text of a file below the root; `None` where it is missing, empty or unreadable.
    pub fn text(&self, path: impl AsRef<Path>) -> Option<String> {
        let text = std::fs::read_to_string(self.0.join(path)).ok()?;
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// The names in a folder below the root: numbers in their order, then the rest in theirs.
    pub fn names(&self, path: impl AsRef<Path>) -> Vec<String> {
        let entries = std::fs::read_dir(self.0.join(path)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort_by_key(|name| (name.parse::<u32>().unwrap_or(u32::MAX), name.clone()));
        names
    }
}
