//! Memory that a device may touch.

use serde::{Deserialize, Serialize};

/// What the device may do to a region on behalf of a peer. Local writes are always allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Access {
    /// Peers may read.
    pub remote_read: bool,
    /// Peers may write.
    pub remote_write: bool,
    /// Peers may compare-and-swap and fetch-and-add.
    pub remote_atomic: bool,
}

impl Access {
    /// Only this side may use the region.
    pub const LOCAL: Self = Self { remote_read: false, remote_write: false, remote_atomic: false };
    /// Peers may do all three.
    pub const REMOTE: Self = Self { remote_read: true, remote_write: true, remote_atomic: true };
}

/// A piece of registered local memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalSegment {
    /// Virtual address in this process.
    pub address: u64,
    /// Length in bytes; 0 is allowed.
    pub length: u32,
    /// The region's local key.
    pub key: u32,
}

/// Bytes at the front of a receive request's buffer that a datagram may fill with the route that it came by,
/// or leave as they were (IB spec vol. 1, 11.4.1.2); its own bytes are behind them. On RoCE they are filled
/// for a datagram without bytes, too.
pub const DATAGRAM_HEADER: u32 = 40;

/// A place in the peer's memory; the length is that of the local segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemoteSegment {
    /// Virtual address in the peer's process.
    pub address: u64,
    /// The region's remote key.
    pub key: u32,
}

impl RemoteSegment {
    /// No place: of an operation whose peer says where its bytes go.
    pub const NONE: Self = Self { address: 0, key: 0 };
}

/// What a peer must know to access a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteMemory {
    /// Virtual address of the first byte in the owner's process.
    pub address: u64,
    /// Length in bytes.
    pub length_bytes: u64,
    /// The remote key.
    pub key: u32,
}

/// A registered region: the device may access it until this is dropped.
pub trait Region: Send + Sync {
    /// The key for local segments.
    fn local_key(&self) -> u32;

    /// What to tell a peer.
    fn remote(&self) -> RemoteMemory;
}

/// Why memory could not be registered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// The limit on locked memory is too small (`RLIMIT_MEMLOCK`, see `ibv_reg_mr(3)`).
    #[error(
        "cannot register {length_bytes} bytes: the limit on locked memory is {limit_bytes} bytes; \
         raise it with `ulimit -l unlimited` (or memlock in /etc/security/limits.conf), in a \
         container with `--ulimit memlock=-1:-1` or `--cap-add IPC_LOCK`"
    )]
    LockedMemoryLimit {
        /// What was to be registered.
        length_bytes: u64,
        /// `RLIMIT_MEMLOCK`, soft limit.
        limit_bytes: u64,
    },
    /// Anything else the provider says.
    #[error("cannot register {length_bytes} bytes")]
    Refused {
        /// What was to be registered.
        length_bytes: u64,
        /// The provider's error.
        source: std::io::Error,
    },
}
