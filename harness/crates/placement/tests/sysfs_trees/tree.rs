//! A made-up `/sys` in a temporary folder.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// A tree that is removed with the value.
pub struct SysfsTree(tempfile::TempDir);

impl SysfsTree {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }

    fn at(&self, path: &str) -> PathBuf {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().expect("not the root")).expect("a folder");
        path
    }

    pub fn file(&self, path: &str, text: &str) -> &Self {
        fs::write(self.at(path), text).expect("a file");
        self
    }

    pub fn folder(&self, path: &str) -> &Self {
        fs::create_dir_all(self.root().join(path)).expect("a folder");
        self
    }

    /// A link as the kernel makes them: relative. Both paths count from the root.
    pub fn link(&self, path: &str, target: &str) -> &Self {
        let up = "../".repeat(path.matches('/').count());
        symlink(format!("{up}{target}"), self.at(path)).expect("a link");
        self
    }
}
