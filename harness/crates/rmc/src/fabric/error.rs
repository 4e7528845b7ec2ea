//! Why a node could not be opened.

use std::{io, path::PathBuf, time::Duration};

use onesided_measure::ClockError;
use onesided_placement::{AffinityError, CpuSet, MemoryError};

/// Why a node could not be opened, and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The file system does not let this user in.
    #[error(
        "no permission for {}: who may use a context is what its folder's permissions say; have \
         its owner allow this user (`chmod`, `chgrp`, `setfacl`), or use another fabric or context",
        path.display()
    )]
    PermissionDenied {
        /// The folder or file.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// Another user made the folder that this user's fabric would be in.
    #[error(
        "{} belongs to user {owner}, not to this one: name another fabric", path.display()
    )]
    ForeignFabric {
        /// The folder.
        path: PathBuf,
        /// Its owner's user id.
        owner: u32,
    },
    /// The folder cannot hold a node's memory.
    #[error(
        "{} cannot hold shared memory: choose a folder of a tmpfs, such as one below /dev/shm",
        path.display()
    )]
    Unsuitable {
        /// The folder.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// There is no room.
    #[error(
        "the file system of {} has no room for {bytes} bytes of a node: free some, or give it more \
         (in a container, `--shm-size`)", path.display()
    )]
    NoRoom {
        /// The folder.
        path: PathBuf,
        /// What is needed.
        bytes: u64,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The node that was asked for is another's.
    #[error(
        "node {node} of {} is in use by process {process}: name another node, or none to get a \
         free one", context.display()
    )]
    NodeInUse {
        /// What was asked for.
        node: u16,
        /// Whose it is; 0 where that is not known yet.
        process: u32,
        /// The context's folder.
        context: PathBuf,
    },
    /// There is no such node in any fabric.
    #[error("there is no node {node}: a fabric has nodes 0 to {last}")]
    NoSuchNode {
        /// What was asked for.
        node: u16,
        /// The highest.
        last: u16,
    },
    /// All nodes are in use.
    #[error("all {count} nodes of {} are in use", context.display())]
    Full {
        /// How many there are.
        count: u16,
        /// The context's folder.
        context: PathBuf,
    },
    /// The delay is longer than can be emulated.
    #[error("a delay of {asked:?} a hop is above the longest, {longest:?}")]
    DelayTooLong {
        /// What was asked for.
        asked: Duration,
        /// What there is.
        longest: Duration,
    },
    /// A delay needs a clock.
    #[error("a fabric's delay cannot be emulated")]
    Clock {
        /// Why there is none.
        #[from]
        source: ClockError,
    },
    /// The responder cannot run where it shall.
    #[error("the node's responder cannot be pinned to CPU {cpus}")]
    Pin {
        /// Where it shall run.
        cpus: CpuSet,
        /// Why not.
        source: AffinityError,
    },
    /// The node's memory cannot be where it shall.
    #[error("the node's memory cannot be bound to a NUMA node")]
    Memory {
        /// Why not.
        #[from]
        source: MemoryError,
    },
    /// Anything else that the kernel refuses.
    #[error("cannot {what} {}", path.display())]
    Refused {
        /// What was tried.
        what: &'static str,
        /// On which folder or file.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
}

impl OpenError {
    /// The rule that an error of the file system stands for.
    pub(crate) fn of(what: &'static str, path: &std::path::Path, source: io::Error) -> Self {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::PermissionDenied => Self::PermissionDenied { path, source },
            _ => Self::Refused { what, path, source },
        }
    }
}
