//! A context: a folder of a fabric, with a file for each node that is in it.
//!
//! Scale-Out NUMA names a context by a number, and the file system says who may open it (004
//! §5.1). Here the context is a folder; who may enter and write it may join and access what its
//! members register.

use std::{
    ffi::CString,
    fs::{self, DirBuilder, File, OpenOptions},
    io,
    os::unix::{
        ffi::OsStrExt,
        fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt},
    },
    path::{Path, PathBuf},
};

use super::error::OpenError;
use crate::shared::{layout::Head, lock};

/// Nodes of a context, as many as a directory is quickly searched for. Ours.
pub const NODES: u16 = 1024;

/// An entered context.
#[derive(Clone, Debug)]
pub struct Context {
    folder: PathBuf,
    mode: u32,
}

/// A node whose process is gone, and whose file was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaleNode {
    /// The node.
    pub node: u16,
    /// The process that it belonged to.
    pub process: u32,
}

/// Where the fabric of this user is, unless another is named.
pub fn default_fabric() -> PathBuf {
    PathBuf::from(format!("/dev/shm/onesided-rmc-{}", user()))
}

/// Bytes that are free in the file system of a fabric, or of where its folder will be made.
///
/// # Errors
/// When the file system does not say.
pub fn room_bytes(fabric: &Path) -> io::Result<u64> {
    let is_there = |folder: &&Path| folder.exists();
    let folder = fabric.ancestors().find(is_there).unwrap_or(Path::new("."));
    free_bytes(folder)
}

fn free_bytes(folder: &Path) -> io::Result<u64> {
    let path = CString::new(folder.as_os_str().as_bytes())?;
    // SAFETY: a structure of numbers, for which zeroes will do.
    let mut found: libc::statvfs = unsafe { std::mem::zeroed() };
    // SAFETY: the string ends in a zero byte; both live.
    match unsafe { libc::statvfs(path.as_ptr(), &raw mut found) } {
        0 => Ok(found.f_bavail * found.f_frsize),
        _ => Err(io::Error::last_os_error()),
    }
}

fn user() -> u32 {
    // SAFETY: it has no conditions.
    unsafe { libc::geteuid() }
}

/// Makes a folder for this user alone, unless there is one.
fn ensure(folder: &Path) -> Result<fs::Metadata, OpenError> {
    match DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
            Err(OpenError::of("make the folder", folder, error))
        }
        _ => fs::metadata(folder).map_err(|error| OpenError::of("look at", folder, error)),
    }
}

/// Refuses a folder, or a link of its name, that another user made: a link may well lead to a folder of
/// this one.
fn check_owner(folder: &Path, user: u32) -> Result<(), OpenError> {
    let found = fs::symlink_metadata(folder);
    let owner = found.map_err(|error| OpenError::of("look at", folder, error))?.uid();
    if owner == user {
        return Ok(());
    }
    Err(OpenError::ForeignFabric { path: folder.to_owned(), owner })
}

impl Context {
    /// Enters a context of a fabric; makes both where they are not there, for this user alone.
    ///
    /// # Errors
    /// A folder cannot be made or entered, or the default fabric's is another user's.
    pub fn enter(fabric: &Path, number: u32) -> Result<Self, OpenError> {
        ensure(fabric)?;
        // Its name can be guessed and /dev/shm is everybody's: another could have made it.
        if fabric == default_fabric() {
            check_owner(fabric, user())?;
        }
        let folder = fabric.join(format!("context-{number}"));
        let mode = ensure(&folder)?.permissions().mode() & 0o666;
        Ok(Self { folder, mode })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where a node's file is.
    pub fn file_of(&self, node: u16) -> PathBuf {
        self.folder.join(format!("node-{node}"))
    }

    /// Opens a node's file, and nothing that a link of that name leads to.
    pub fn open(&self, node: u16) -> io::Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).custom_flags(libc::O_NOFOLLOW);
        options.open(self.file_of(node))
    }

    /// A new file in the folder that has no name yet; members of the context may open it.
    pub(super) fn unnamed_file(&self) -> Result<File, OpenError> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_TMPFILE)
            .open(&self.folder)
            .map_err(|source| match source.raw_os_error() {
                Some(libc::EOPNOTSUPP | libc::EISDIR) => {
                    OpenError::Unsuitable { path: self.folder.clone(), source }
                }
                _ => OpenError::of("make a file in", &self.folder, source),
            })?;
        file.set_permissions(fs::Permissions::from_mode(self.mode | 0o600)).map_err(|error| {
            OpenError::of("allow the context's members a file in", &self.folder, error)
        })?;
        Ok(file)
    }

    /// The nodes that have a file, in order.
    pub fn nodes(&self) -> Result<Vec<u16>, OpenError> {
        let failed = |error| OpenError::of("list", &self.folder, error);
        let mut nodes = Vec::new();
        for entry in fs::read_dir(&self.folder).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix("node-"));
            nodes.extend(number.and_then(|number| number.parse::<u16>().ok()));
        }
        nodes.sort_unstable();
        Ok(nodes)
    }

    /// How many nodes are held by living processes.
    pub fn living(&self) -> Result<usize, OpenError> {
        let held =
            |&node: &u16| self.open(node).is_ok_and(|file| lock::is_held(&file).unwrap_or(true));
        Ok(self.nodes()?.iter().filter(|node| held(node)).count())
    }

    /// Bytes that are free in the file system.
    pub fn room_bytes(&self) -> io::Result<u64> {
        free_bytes(&self.folder)
    }

    /// Removes what processes left that ended without removing it.
    pub fn sweep(&self) -> Result<Vec<StaleNode>, OpenError> {
        let mut stale = Vec::new();
        for node in self.nodes()? {
            // What cannot be opened is not ours to remove.
            let Ok(file) = self.open(node) else { continue };
            let path = self.file_of(node);
            if self.remove_if_stale(&file, &path)? {
                stale.push(StaleNode { node, process: process_of(&file).unwrap_or(0) });
            }
        }
        Ok(stale)
    }

    /// Only who holds the lock of the file that has the name may take the name away, so two that
    /// sweep at once do not remove what a third has made in between.
    fn remove_if_stale(&self, file: &File, path: &Path) -> Result<bool, OpenError> {
        let failed = |error| OpenError::of("remove", path, error);
        if !lock::try_hold(file).map_err(failed)? || !is_at(file, path) {
            return Ok(false);
        }
        fs::remove_file(path).map_err(failed)?;
        Ok(true)
    }
}

/// The process that a node's file says it belongs to.
pub(super) fn process_of(file: &File) -> Option<u32> {
    let mut bytes = [0; 4];
    file.read_exact_at(&mut bytes, std::mem::offset_of!(Head, process) as u64).ok()?;
    Some(u32::from_ne_bytes(bytes))
}

/// Whether the file is the one that has the name.
pub(super) fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(own), Ok(found)) = (file.metadata(), fs::metadata(path)) else { return false };
    (own.dev(), own.ino()) == (found.dev(), found.ino())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{lchown, symlink};

    use super::*;

    #[test]
    fn a_link_of_another_user_to_ones_own_folder_is_refused() {
        let place = tempfile::tempdir().unwrap();
        let link = place.path().join("link");
        let another = if user() == 0 { 61_234 } else { user() };
        // Folders of the system are root's, but in a sandbox, where root may be nobody.
        let owner = |folder: &&str| fs::metadata(folder).map(|found| found.uid());
        let others = |folder: &&str| owner(folder).is_ok_and(|owner| owner != another);
        let Some(folder) = ["/", "/proc", "/dev"].iter().copied().find(others) else {
            eprintln!(
                "SKIPPED a_link_of_another_user_to_ones_own_folder_is_refused: every folder here is user {another}'s"
            );
            return;
        };
        let owner = owner(&folder).unwrap();
        symlink(folder, &link).unwrap();
        lchown(&link, Some(another), None).unwrap();
        assert!(check_owner(Path::new(folder), owner).is_ok());
        match check_owner(&link, owner).unwrap_err() {
            OpenError::ForeignFabric { owner, .. } => assert_eq!(owner, another),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn a_fabric_that_is_not_made_yet_has_the_room_of_where_it_will_be() {
        let shared = Path::new("/dev/shm");
        let (there, missing) = (free_bytes(shared), room_bytes(&shared.join("no/such/fabric")));
        // Others may write there meanwhile.
        let (there, missing) = (there.unwrap(), missing.unwrap());
        assert!(there.abs_diff(missing) <= (there / 2).max(1 << 20), "{there} and {missing}");
        assert!(room_bytes(Path::new("no-such-fabric")).is_ok());
    }

    #[test]
    fn a_link_in_the_place_of_a_nodes_file_is_not_opened() {
        let place = tempfile::tempdir().unwrap();
        let context = Context::enter(place.path(), 0).unwrap();
        let elsewhere = place.path().join("elsewhere");
        fs::write(&elsewhere, "of somebody").unwrap();
        symlink(&elsewhere, context.file_of(3)).unwrap();
        assert_eq!(context.open(3).unwrap_err().raw_os_error(), Some(libc::ELOOP));
        assert_eq!(fs::read(&elsewhere).unwrap(), b"of somebody");
    }
}
