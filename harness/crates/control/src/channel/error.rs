//! Why a channel could not send or receive.

use std::{io, sync::Arc, time::Duration};

use crate::{
    frame::{EncodeError, FrameError},
    socket,
};

/// Why a channel could not send or receive.
///
/// It can be cloned, because the end of a connection is reported to everyone who asks.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChannelError {
    /// The connection was closed in order, between two frames. A process that is killed looks the
    /// same, because its kernel closes for it: whether it had finished, its last message tells.
    #[error("the connection is closed")]
    Closed,
    /// The peer's end is gone: it closed without reading everything, or its machine restarted.
    #[error("the peer reset the connection")]
    Reset,
    /// A message did not come, or the peer did not take ours, in time.
    #[error("no {waiting_for} within {after:?}")]
    TimedOut {
        /// The time given.
        after: Duration,
        /// What was outstanding: the Rust type of the message, or a phrase.
        waiting_for: &'static str,
    },
    /// The peer left a question unanswered: it is stopped, hangs, or cannot be reached.
    #[error(
        "no sign of life from the peer for {silence:?} ({patience:?} are allowed): \
        is it stopped, or the network down?"
    )]
    Silent {
        /// Time since the question, when it was given up.
        silence: Duration,
        /// The time allowed.
        patience: Duration,
    },
    /// The peer sent something that is not understood.
    #[error("{source}")]
    Malformed {
        /// What is wrong with it.
        #[from]
        source: FrameError,
    },
    /// The peer announced a frame beyond the limit; nothing was allocated for it.
    #[error("{}", FrameError::TooLong { length: *length, limit: *limit })]
    TooLong {
        /// The announced length in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The peer sends faster than messages are taken.
    #[error("{waiting_bytes} bytes of messages wait to be received, {limit} are allowed")]
    Overrun {
        /// Bytes that would wait.
        waiting_bytes: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The value cannot be sent; nothing was.
    #[error("{source}")]
    Unsendable {
        /// What is wrong with it.
        #[from]
        source: EncodeError,
    },
    /// The operating system failed us.
    #[error("the connection failed: {source}")]
    Io {
        /// What it said.
        source: Arc<io::Error>,
    },
}

impl ChannelError {
    pub(super) fn from_stream(error: FrameError) -> Self {
        match error {
            FrameError::TooLong { length, limit } => Self::TooLong { length, limit },
            source => Self::Malformed { source },
        }
    }
}

impl From<io::Error> for ChannelError {
    fn from(error: io::Error) -> Self {
        if socket::is_reset(&error) { Self::Reset } else { Self::Io { source: Arc::new(error) } }
    }
}
