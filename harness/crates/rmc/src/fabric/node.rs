//! A node of a context: the file that is this process's as long as it holds its lock.

use std::{
    ffi::CString,
    fs::{self, File},
    hash::{BuildHasher, RandomState},
    io, mem,
    os::{
        fd::AsRawFd,
        unix::{
            ffi::OsStrExt,
            fs::{FileExt, MetadataExt},
        },
    },
    path::PathBuf,
    process,
    sync::{Mutex, PoisonError, atomic::Ordering},
};

use onesided_placement::{NodeId, bind_file, check_supply};

use super::{
    context::{Context, NODES, is_at, process_of},
    error::OpenError,
};
use crate::shared::{
    layout::{self, Head, NodeMemory},
    lock,
    mapping::NodeMapping,
};

/// The files of the nodes that this process has: where they are, and which (device and inode).
static OWN: Mutex<Vec<(PathBuf, (u64, u64))>> = Mutex::new(Vec::new());

/// Takes the names of this process's nodes out of their fabrics, for who ends it without dropping them, as at a
/// signal: peers see them die, and nothing of them stays. To be followed by the end of the process.
pub fn remove_own_nodes() {
    let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    for (path, file) in own.drain(..) {
        // As where they are dropped.
        if fs::symlink_metadata(&path).is_ok_and(|found| (found.dev(), found.ino()) == file) {
            let _ = fs::remove_file(&path);
        }
    }
    // It stays locked: no thread can name another node before the process ends.
    mem::forget(own);
}

/// This process's node.
pub struct OwnNode {
    /// Its number.
    pub number: u16,
    /// Its memory.
    pub memory: NodeMapping,
    /// The NUMA node that memory of it comes from, if that was asked for.
    pub memory_node: Option<NodeId>,
    path: PathBuf,
}

impl OwnNode {
    /// Takes a node of a context: the one that is named, or the first that is free.
    ///
    /// The file is locked and filled in before it gets its name, and a name can be given only
    /// once: of two processes that want one node exactly one gets it.
    pub fn take(
        context: &Context,
        wanted: Option<u16>,
        hop_ns: u64,
        memory_node: Option<NodeId>,
    ) -> Result<Self, OpenError> {
        let last = NODES - 1;
        if let Some(node) = wanted.filter(|&node| node > last) {
            return Err(OpenError::NoSuchNode { node, last });
        }
        let memory = make(context, hop_ns, memory_node)?;
        let metadata = memory.file().metadata();
        let metadata = metadata
            .map_err(|error| OpenError::of("look at a file in", context.folder(), error))?;
        // Who removes them all finds one that has its name.
        let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
        let candidates = wanted.map_or(0..=last, |node| node..=node);
        for number in candidates {
            let path = context.file_of(number);
            match link(memory.file(), &path) {
                Ok(()) => {
                    own.push((path.clone(), (metadata.dev(), metadata.ino())));
                    return Ok(Self { number, memory, memory_node, path });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(OpenError::of("name the file", &path, error)),
            }
        }
        let folder = context.folder().to_owned();
        Err(match wanted {
            Some(node) => {
                let process = context.open(node).ok().and_then(|file| process_of(&file));
                OpenError::NodeInUse { node, process: process.unwrap_or(0), context: folder }
            }
            None => OpenError::Full { count: NODES, context: folder },
        })
    }

    /// Tells this opening of the node from all others.
    pub fn instance(&self) -> u64 {
        self.memory.head.instance.load(Ordering::Relaxed)
    }
}

impl Drop for OwnNode {
    fn drop(&mut self) {
        let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
        // The name may be gone with the whole folder; it is never another's while we hold the lock.
        if is_at(self.memory.file(), &self.path) {
            let _ = fs::remove_file(&self.path);
        }
        own.retain(|(path, _)| *path != self.path);
    }
}

/// A node's file without a name, held and filled in.
fn make(
    context: &Context,
    hop_ns: u64,
    memory_node: Option<NodeId>,
) -> Result<NodeMapping, OpenError> {
    let folder = context.folder();
    let failed = |what| move |error| OpenError::of(what, folder, error);
    let file = context.unnamed_file()?;
    if !lock::try_hold(&file).map_err(failed("lock a file in"))? {
        let error = io::Error::other("a file that nobody knows is locked");
        return Err(OpenError::of("lock a file in", folder, error));
    }
    file.set_len(size_of::<NodeMemory>() as u64).map_err(failed("make a file in"))?;
    let memory = NodeMapping::new(file).map_err(failed("map a file of"))?;
    if let Some(node) = memory_node {
        check_supply(layout::RESERVED as u64, node)?;
        // The rings, too, which peers reserve.
        bind_file(memory.file(), 0, size_of::<NodeMemory>(), node)?;
    }
    memory.reserve(0, layout::RESERVED).map_err(|source| match source.kind() {
        io::ErrorKind::StorageFull => {
            let (path, bytes) = (folder.to_owned(), layout::RESERVED as u64);
            OpenError::NoRoom { path, bytes, source }
        }
        _ => OpenError::of("reserve memory in", folder, source),
    })?;
    let Head { magic, version, process, instance, hop_ns: hop, memory_node: place } = &memory.head;
    instance.store(RandomState::new().hash_one(process::id()) | 1, Ordering::Relaxed);
    process.store(process::id(), Ordering::Relaxed);
    hop.store(hop_ns, Ordering::Relaxed);
    place.store(memory_node.map_or(0, |node| node.0 + 1), Ordering::Relaxed);
    version.store(layout::VERSION, Ordering::Relaxed);
    magic.store(layout::MAGIC, Ordering::Release);
    Ok(memory)
}

/// Gives an unnamed file its name (`open(2)`, O_TMPFILE).
fn link(file: &File, path: &std::path::Path) -> io::Result<()> {
    let from = CString::new(format!("/proc/self/fd/{}", file.as_raw_fd()))?;
    let to = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: both strings end in a zero byte and live.
    let code = unsafe {
        libc::linkat(
            libc::AT_FDCWD,
            from.as_ptr(),
            libc::AT_FDCWD,
            to.as_ptr(),
            libc::AT_SYMLINK_FOLLOW,
        )
    };
    if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Another's node, as a peer sees it.
pub struct PeerNode {
    /// Its memory.
    pub memory: NodeMapping,
}

impl PeerNode {
    /// Opens the node of a peer.
    ///
    /// # Errors
    /// What the kernel says; `InvalidData` where the file is no node of this version, or another
    /// opening of it than the one that `instance` was told of.
    pub fn open(context: &Context, number: u16, instance: u32) -> io::Result<Self> {
        let invalid = |what: String| io::Error::new(io::ErrorKind::InvalidData, what);
        let memory = NodeMapping::new(context.open(number)?)?;
        let head = &memory.head;
        if head.magic.load(Ordering::Acquire) != layout::MAGIC {
            return Err(invalid("the file is no node".to_owned()));
        }
        let version = head.version.load(Ordering::Relaxed);
        if version != layout::VERSION {
            let own = layout::VERSION;
            return Err(invalid(format!(
                "the peer speaks version {version} of the protocol, this program {own}: run the \
                 same version on both sides"
            )));
        }
        if head.instance.load(Ordering::Relaxed) as u32 & INSTANCE_MASK != instance {
            return Err(invalid(format!(
                "node {number} here is not the peer: do both sides name the same fabric and \
                 context?"
            )));
        }
        Ok(Self { memory })
    }

    /// Whether its process still holds it.
    pub fn is_alive(&self) -> bool {
        lock::is_held(self.memory.file()).unwrap_or(true)
    }
}

/// The bits of an instance that an address carries.
pub const INSTANCE_MASK: u32 = 0x00ff_ffff;

/// Whether this opening of a node is still held by its process.
pub fn is_living(context: &Context, number: u16, instance: u64) -> bool {
    let file = match context.open(number) {
        Ok(file) => file,
        // What cannot be told, for instance for want of file descriptors, is not taken for dead.
        Err(error) => return error.kind() != io::ErrorKind::NotFound,
    };
    let mut bytes = [0; 8];
    let at = std::mem::offset_of!(Head, instance) as u64;
    let same = file.read_exact_at(&mut bytes, at).is_err() || u64::from_ne_bytes(bytes) == instance;
    same && lock::is_held(&file).unwrap_or(true)
}
