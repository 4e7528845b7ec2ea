//! What can go wrong, in the words of the access library.

use onesided_transport::{CompletionStatus, ConnectError, PollError, PostError, ResourceError};

use super::peer::Peer;

/// Why an operation was not done.
///
/// Of an operation with a slot, the slot is free again. After [`AccessError::Refused`],
/// [`AccessError::PeerGone`] and [`AccessError::Failed`] nothing more can be asked of that node:
/// what was under way to it ends with an error, too. Other nodes are not concerned.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AccessError {
    /// The queue pair is not connected to the node.
    #[error("node {node} is not one of those that the queue pair is connected to")]
    NotConnected {
        /// What was asked for.
        node: u16,
    },
    /// The bytes are not all in the node's segment. Nothing was sent.
    #[error(
        "{length} bytes at offset {offset} are outside the segment of node {node}, which has \
         {segment_bytes} bytes"
    )]
    OutOfSegment {
        /// Whose segment.
        node: u16,
        /// The first byte.
        offset: u64,
        /// How many.
        length: usize,
        /// How many there are.
        segment_bytes: u64,
    },
    /// The local buffer is too short. Nothing was sent.
    #[error("the buffer has {room} bytes from there on, and {length} are to be moved")]
    OutOfBuffer {
        /// How many are to be moved.
        length: usize,
        /// How many there are.
        room: usize,
    },
    /// An atomic's word must be aligned.
    #[error("offset {offset} in the segment of node {node} is not that of an aligned 8-byte word")]
    Misaligned {
        /// Whose segment.
        node: u16,
        /// The first byte.
        offset: u64,
    },
    /// The slot was not given out by `wait_for_slot`, or was used already.
    #[error("slot {slot} is not held: each operation needs its own `wait_for_slot`")]
    SlotNotHeld {
        /// What was given.
        slot: usize,
    },
    /// Every slot was given out, and nothing is under way that would free one.
    #[error("all {slots} slots are held and nothing is under way: post with them, or drain")]
    AllSlotsHeld {
        /// How many there are.
        slots: usize,
    },
    /// The node does not allow it.
    #[error(
        "node {node} refused: its segment does not allow that operation, or is gone ({status})"
    )]
    Refused {
        /// Who refused.
        node: u16,
        /// Of which operation; absent for one that was waited for.
        slot: Option<usize>,
        /// What it said.
        status: CompletionStatus,
    },
    /// The node's process has ended, or answers nothing.
    #[error("node {node} is gone: its process has ended, or answers nothing ({status})")]
    PeerGone {
        /// Who is gone.
        node: u16,
        /// Of which operation; absent for one that was waited for.
        slot: Option<usize>,
        /// How that was seen.
        status: CompletionStatus,
    },
    /// Anything else that an operation can end with, such as an earlier one's failure.
    #[error("an operation on node {node} failed: {status}")]
    Failed {
        /// Whose memory.
        node: u16,
        /// Of which operation; absent for one that was waited for.
        slot: Option<usize>,
        /// How it ended.
        status: CompletionStatus,
    },
    /// The controller did not take it.
    #[error("an operation on node {node} could not be posted")]
    Post {
        /// Whose memory.
        node: u16,
        /// Why not.
        source: PostError,
    },
    /// The completion queue broke.
    #[error("completions of operations on node {node} cannot be had any more")]
    Poll {
        /// Whose memory.
        node: u16,
        /// Why not.
        source: PollError,
    },
}

impl AccessError {
    /// For how an operation ended, which is not success.
    #[cold]
    pub(super) fn of(peer: &mut Peer, slot: Option<usize>, status: CompletionStatus) -> Self {
        use CompletionStatus as S;
        let node = peer.node;
        peer.is_gone |= status == S::RetryExceeded;
        match status {
            S::RemoteAccessError | S::RemoteInvalidRequest => Self::Refused { node, slot, status },
            S::RetryExceeded => Self::PeerGone { node, slot, status },
            S::Flushed if peer.is_gone => Self::PeerGone { node, slot, status },
            _ => Self::Failed { node, slot, status },
        }
    }
}

/// Why a queue pair, a segment or a buffer could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetUpError {
    /// The device gave no memory or no queue pair.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// A peer's introduction is missing, or it does not know this node.
    #[error("node {node} was not introduced, or does not name node {own} among its peers")]
    NotIntroduced {
        /// The peer.
        node: u16,
        /// This node.
        own: u16,
    },
    /// The way to a peer cannot be made.
    #[error("node {node} cannot be reached")]
    Connect {
        /// The peer.
        node: u16,
        /// Why not.
        source: ConnectError,
    },
}
