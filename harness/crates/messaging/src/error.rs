//! What can go wrong.

use std::time::Duration;

use onesided_transport::{CompletionStatus, ConnectError, PollError, PostError, ResourceError};

use crate::settings::SettingsError;

/// Why a channel or a barrier could not be had.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetUpError {
    /// The settings of this end cannot be.
    #[error("the settings of this end")]
    Settings {
        /// Why not.
        #[from]
        source: SettingsError,
    },
    /// The peer's invitation cannot be.
    #[error("the invitation of the peer is none: {why}")]
    Invitation {
        /// What is wrong.
        why: String,
    },
    /// The device gave no memory or no queue pair.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// The peer cannot be reached.
    #[error("the peer cannot be reached")]
    Connect {
        /// Why not.
        #[from]
        source: ConnectError,
    },
    /// A barrier has at least one node, and each has a number below their count.
    #[error("there is no node {node} in a barrier of {nodes}")]
    NoSuchNode {
        /// What was given.
        node: usize,
        /// How many there are.
        nodes: usize,
    },
    /// A node of the barrier was not connected.
    #[error("node {node} of the barrier was not connected")]
    NotConnected {
        /// Which one.
        node: usize,
    },
}

/// Why a channel or a peer of a barrier is of no use any more.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChannelError {
    /// The peer does not answer any more.
    #[error("the peer is gone: its process has ended, or answers nothing ({status})")]
    PeerGone {
        /// How that was seen.
        status: CompletionStatus,
    },
    /// The peer lives and does not receive.
    #[error("the peer has received nothing for {waited:?}: does it still make calls?")]
    NotReceived {
        /// How long it was waited for.
        waited: Duration,
    },
    /// An operation failed otherwise.
    #[error("an operation failed: {status}")]
    Failed {
        /// How.
        status: CompletionStatus,
    },
    /// The peer wrote what is no message.
    #[error("the peer wrote what is no message: do both sides run the same version?")]
    Malformed,
    /// An operation could not be posted.
    #[error("an operation could not be posted")]
    Post {
        /// Why not.
        #[from]
        source: PostError,
    },
    /// Completions cannot be had any more.
    #[error("completions cannot be had any more")]
    Poll {
        /// Why not.
        #[from]
        source: PollError,
    },
}

impl ChannelError {
    /// For how an operation failed.
    pub(crate) fn of(status: CompletionStatus) -> Self {
        match status {
            CompletionStatus::RetryExceeded => Self::PeerGone { status },
            status => Self::Failed { status },
        }
    }
}

/// Why a message was not sent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SendError {
    /// There is no room now. [`crate::Channel::send`] waits instead.
    #[error("there is no room for the message until the peer has received others")]
    Full,
    /// It is to be pushed and longer than the peer's ring.
    #[error(
        "a message of {length} bytes is longer than the peer's ring, which takes {most}: have it \
         pulled (a threshold of {length} bytes or less), or give the peer a ring of {lines} lines"
    )]
    TooLongToPush {
        /// Its length.
        length: usize,
        /// The longest.
        most: usize,
        /// Lines that it takes.
        lines: u64,
    },
    /// It is to be pulled and longer than the outbox.
    #[error(
        "a message of {length} bytes is longer than the outbox, which has {most}: make that as \
         long, or send it in parts"
    )]
    TooLongToPull {
        /// Its length.
        length: usize,
        /// The longest.
        most: usize,
    },
    /// The channel is of no use any more.
    #[error("the channel has ended")]
    Channel {
        /// Why.
        #[from]
        source: ChannelError,
    },
}

/// Why no message was received.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReceiveError {
    /// The message does not fit. It is still the next one.
    #[error(
        "the next message has {length} bytes and the buffer {room}: receive it in a longer one"
    )]
    TooSmall {
        /// Its length.
        length: usize,
        /// What was given.
        room: usize,
    },
    /// The channel is of no use any more, and all messages that had come were received.
    #[error("the channel has ended")]
    Channel {
        /// Why.
        #[from]
        source: ChannelError,
    },
}

/// Why not all nodes are known to have come to a barrier.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BarrierError {
    /// A node did not come, and will not. Leave it out and wait again, to go on without it.
    #[error("node {node} of the barrier will not come")]
    Lost {
        /// Which one.
        node: usize,
        /// Why.
        source: ChannelError,
    },
}
