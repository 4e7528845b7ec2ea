//! Where one folder of an archive after the other is unpacked to be looked at.

use std::{
    collections::BTreeMap,
    env, fmt,
    fs::{self, File},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use anyhow::Context as _;
use onesided_results::{atomic::Unfinished, bundle::BundleManifest};
use tempfile::TempDir;

use super::folder_of;

/// Context of an error that is no fault of the archive: nothing is known of it then.
#[derive(Debug)]
pub struct NoPlace {
    /// The folder of temporary files.
    within: PathBuf,
    /// Bytes that are there at the same time, at the most.
    bytes: u64,
}

impl fmt::Display for NoPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { within, bytes } = self;
        write!(
            formatter,
            "cannot unpack into {}, and nothing is known of the archive: free {bytes} bytes there, or set \
             TMPDIR to a folder that can be written and has them",
            within.display()
        )
    }
}

/// A temporary folder, which is removed in the end.
pub struct Place {
    /// Removed before it leaves the list.
    folder: TempDir,
    unfinished: Unfinished,
    bytes: u64,
}

impl Place {
    /// A place for the largest folder of a bundle.
    pub fn for_largest_of(manifest: &BundleManifest) -> anyhow::Result<Self> {
        let mut folders: BTreeMap<&str, u64> = BTreeMap::new();
        for file in &manifest.files {
            *folders.entry(folder_of(&file.path)).or_default() += file.bytes;
        }
        let bytes = folders.into_values().max().unwrap_or(0);
        let make = || tempfile::Builder::new().prefix("onesided-check-").tempdir();
        let (folder, unfinished) = Unfinished::make(make, TempDir::path)
            .with_context(|| NoPlace { within: env::temp_dir(), bytes })?;
        Ok(Self { folder, unfinished, bytes })
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Does not return if it was removed because the process is to end.
    pub fn is_there(&self) {
        self.unfinished.with(|| ());
    }

    /// Writes a file of the bundle. The outer error is of what is read, the inner one of this place.
    pub fn unpack(&self, name: &str, content: &mut dyn Read) -> io::Result<anyhow::Result<()>> {
        let to = self.path().join(name);
        let make = || {
            fs::create_dir_all(to.parent().unwrap_or(self.path()))?;
            File::create_new(&to)
        };
        let file = match self.unfinished.with(make) {
            Ok(file) => file,
            Err(error) => return Ok(self.failed(Err(error))),
        };
        let mut kept = Kept { file, failed: None };
        let copied = io::copy(content, &mut kept);
        match kept.failed {
            Some(error) => Ok(self.failed(Err(error))),
            None => copied.map(|_| Ok(())),
        }
    }

    /// Removes a file of the bundle.
    pub fn remove(&self, name: &str) -> anyhow::Result<()> {
        self.failed(fs::remove_file(self.path().join(name)))
    }

    fn failed(&self, done: io::Result<()>) -> anyhow::Result<()> {
        let within = || self.path().parent().unwrap_or(Path::new("/")).to_owned();
        done.with_context(|| NoPlace { within: within(), bytes: self.bytes })
    }
}

/// A file that keeps why it could not be written.
struct Kept {
    file: File,
    failed: Option<io::Error>,
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).map_err(|error| {
            let kind = error.kind();
            if kind != io::ErrorKind::Interrupted {
                self.failed = Some(error);
            }
            kind.into()
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
