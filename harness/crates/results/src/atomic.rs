//! Files that appear whole or not at all: alone, or with the directory that they are in.

mod error;
mod unfinished;

use std::{
    fs::{self, File, Permissions},
    io::{self, Write},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use tempfile::{Builder, NamedTempFile};

use crate::directory::Existing;

pub use error::WriteError;
pub use unfinished::{Removed, Unfinished, remove_unfinished};

/// A new file whose content is on the disk once it is committed.
pub trait NewFile: Write + Sized {
    /// Starts the file at `path`, in a directory that exists.
    ///
    /// # Errors
    /// When nothing can be written in that directory.
    fn create(path: &Path) -> Result<Self, WriteError>;

    /// Brings the content onto the disk.
    ///
    /// # Errors
    /// When the disk refuses.
    fn commit(self) -> Result<(), WriteError>;
}

/// A file that is written under another name and appears by [`Self::commit`].
///
/// Dropped without it, it leaves nothing behind, and what was at its path stays. Where a symbolic
/// link is at its path, what that points to is replaced, not the link. A device or a pipe there
/// (`/dev/null`, `/dev/stdout`) is written to at once: it is nothing that a file may replace.
pub struct AtomicFile {
    path: PathBuf,
    content: Content,
}

/// What the content goes to.
enum Content {
    /// It is removed before it leaves the list.
    Unnamed(NamedTempFile, Unfinished),
    Stream(File),
}

impl NewFile for AtomicFile {
    fn create(path: &Path) -> Result<Self, WriteError> {
        let there = fs::metadata(path).ok().map(|metadata| metadata.file_type());
        if there.is_some_and(|kind| !kind.is_file() && !kind.is_dir()) {
            let stream = File::options()
                .write(true)
                .open(path)
                .map_err(|source| WriteError::of("open", path, source))?;
            return Ok(Self { path: path.to_owned(), content: Content::Stream(stream) });
        }
        let path = match fs::read_link(path) {
            Ok(_) => fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()),
            Err(_) => path.to_owned(),
        };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let make = || {
            Builder::new()
                .prefix(&format!(".{name}."))
                .suffix(".partial")
                // The usual mode of new files; the umask still applies.
                .permissions(Permissions::from_mode(0o666))
                .tempfile_in(directory_of(&path))
        };
        let (file, unfinished) = Unfinished::make(make, NamedTempFile::path)
            .map_err(|source| WriteError::of("create", &path, source))?;
        Ok(Self { path, content: Content::Unnamed(file, unfinished) })
    }

    /// Also gives it its name, replacing what had it. When that fails, nothing has changed at the
    /// path.
    fn commit(self) -> Result<(), WriteError> {
        self.appear(Existing::Replace)
    }
}

impl AtomicFile {
    /// Brings the content onto the disk and gives it its name, unless something has it that is to be kept.
    ///
    /// # Errors
    /// When something is there and is to be kept, or the disk refuses; then nothing has changed at the path.
    pub fn appear(self, existing: Existing) -> Result<(), WriteError> {
        let Self { path, content } = self;
        let Content::Unnamed(file, unfinished) = content else { return Ok(()) };
        sync(file.as_file(), &path)?;
        let named = unfinished.with(|| match existing {
            Existing::Keep => file.persist_noclobber(&path),
            Existing::Replace => file.persist(&path),
        });
        match named.map_err(|error| error.error) {
            Ok(_) => sync_directory(directory_of(&path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(WriteError::Exists { path })
            }
            Err(error) => Err(WriteError::of("create", &path, error)),
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.content {
            Content::Unnamed(file, _) => file.write(bytes),
            Content::Stream(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.content {
            Content::Unnamed(file, _) => file.flush(),
            Content::Stream(stream) => stream.flush(),
        }
    }
}

/// A file in a directory that is itself written under another name.
///
/// It has its own name at once, which saves a name and two rounds to the disk a file: nobody takes
/// it for whole before its directory is.
pub(crate) struct Member {
    path: PathBuf,
    file: File,
}

impl NewFile for Member {
    fn create(path: &Path) -> Result<Self, WriteError> {
        let file = File::create(path).map_err(|source| WriteError::of("create", path, source))?;
        Ok(Self { path: path.to_owned(), file })
    }

    fn commit(self) -> Result<(), WriteError> {
        sync(&self.file, &self.path)
    }
}

impl Write for Member {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Writes `content` to `path`: whole, or not at all.
///
/// # Errors
/// When the disk refuses; then nothing has changed at the path.
pub fn write(path: &Path, content: &[u8]) -> Result<(), WriteError> {
    write_as::<AtomicFile>(path, content)
}

/// Writes `content` to a file of kind `F`.
pub(crate) fn write_as<F: NewFile>(path: &Path, content: &[u8]) -> Result<(), WriteError> {
    let mut file = F::create(path)?;
    fill(&mut file, path, content)?;
    file.commit()
}

fn fill(file: &mut impl Write, path: &Path, content: &[u8]) -> Result<(), WriteError> {
    file.write_all(content).map_err(|source| WriteError::of("write", path, source))
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => path,
    }
}

fn sync(file: &File, path: &Path) -> Result<(), WriteError> {
    file.sync_all().map_err(|source| WriteError::of("bring onto the disk", path, source))
}

/// Brings a directory's names onto the disk; without, a renamed file can lose its name in a crash.
pub(crate) fn sync_directory(path: &Path) -> Result<(), WriteError> {
    let directory = File::open(path).map_err(|source| WriteError::of("open", path, source))?;
    sync(&directory, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_in(directory: &Path) -> Vec<String> {
        let entries = fs::read_dir(directory).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_file_appears_whole_and_replaces_the_one_before() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.json");
        write(&path, b"old").unwrap();
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        file.commit().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"new");
        assert_eq!(names_in(directory.path()), ["run.json"]);
    }

    #[test]
    fn a_file_that_is_to_be_kept_is_not_replaced_even_if_it_came_meanwhile() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("mine.tar.gz");
        let mut file = AtomicFile::create(&path).unwrap();
        file.write_all(b"new").unwrap();
        fs::write(&path, b"old").unwrap();
        let error = file.appear(Existing::Keep).unwrap_err();
        assert!(matches!(error, WriteError::Exists { .. }), "{error:?}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(names_in(directory.path()), ["mine.tar.gz"]);
    }

    #[test]
    fn a_file_that_is_given_up_leaves_nothing_behind() {
        let directory = tempfile::tempdir().unwrap();
        let mut file = AtomicFile::create(&directory.path().join("run.json")).unwrap();
        file.write_all(b"half").unwrap();
        drop(file);
        assert!(names_in(directory.path()).is_empty());
    }

    #[test]
    fn a_full_disk_is_told_from_other_troubles() {
        let mut full = File::options().write(true).open("/dev/full").unwrap();
        let error = fill(&mut full, Path::new("results/run.json"), b"x").unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot write results/run.json: no space left (disk or quota is full): free some, or \
             write elsewhere"
        );
    }

    #[test]
    fn a_path_through_a_file_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        fs::write(&file, "").unwrap();
        let error = write(&file.join("run.json"), b"x").unwrap_err();
        assert!(error.to_string().contains("the path to it is no directory"), "{error}");
    }

    #[test]
    fn a_place_where_no_file_can_be_made_is_refused_with_its_path() {
        // Nobody can make files in /proc, root included.
        let error = write(Path::new("/proc/run.json"), b"x").unwrap_err();
        assert!(error.to_string().starts_with("cannot create /proc/run.json: "), "{error}");
    }

    #[test]
    fn a_pipe_is_written_to_and_stays_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success(), "{made}");
        let reader = std::thread::spawn({
            let path = path.clone();
            move || fs::read(path).unwrap()
        });
        write(&path, b"some rows").unwrap();
        assert_eq!(reader.join().unwrap(), b"some rows");
        assert!(!fs::metadata(&path).unwrap().is_file());
        assert_eq!(names_in(directory.path()), ["pipe"]);
    }

    #[test]
    fn a_socket_in_the_way_is_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("socket");
        let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert!(matches!(write(&path, b"x").unwrap_err(), WriteError::Failed { .. }));
        assert!(!fs::metadata(&path).unwrap().is_file());
    }

    #[test]
    fn what_a_link_points_to_is_replaced_and_not_the_link() {
        let directory = tempfile::tempdir().unwrap();
        let (file, link) = (directory.path().join("file"), directory.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write(&link, b"new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }

    #[test]
    fn a_directory_in_the_way_is_not_replaced() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.json");
        fs::create_dir(&path).unwrap();
        assert!(matches!(write(&path, b"x").unwrap_err(), WriteError::Failed { .. }));
        assert_eq!(names_in(directory.path()), ["run.json"]);
    }
}
