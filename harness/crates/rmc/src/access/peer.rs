//! A node, as a queue pair of the access library has it.

use onesided_transport::RemoteMemory;

use crate::endpoint::RmcEndpoint;

/// A node that is reached.
pub(super) struct Peer {
    pub(super) endpoint: RmcEndpoint,
    pub(super) node: u16,
    /// Known when it is connected.
    pub(super) segment: Option<RemoteMemory>,
    pub(super) under_way: usize,
    /// Whether it was seen to be gone: what is flushed then is so for that.
    pub(super) is_gone: bool,
}
