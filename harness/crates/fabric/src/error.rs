//! What can go wrong.

use std::{error::Error, time::Duration};

use onesided_messaging::{ChannelError, SendError, SetUpError};
use onesided_placement::{AffinityError, MemoryError, ResidencyError};
use onesided_transport::{CompletionStatus, ConnectError, PollError, PostError, ResourceError};

/// Why memory of another node cannot be loaded from.
pub type LoadError = Box<dyn Error + Send + Sync>;

/// Why a measurement ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FabricError {
    /// The device gave no memory or no queue pair.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// There is no memory where it should be.
    #[error("the memory of a node")]
    Memory {
        /// Why not.
        #[from]
        source: MemoryError,
    },
    /// Where memory is cannot be found out.
    #[error("where the memory of a node is")]
    Residency {
        /// Why not.
        #[from]
        source: ResidencyError,
    },
    /// Two nodes cannot reach each other.
    #[error("the nodes cannot be connected")]
    Connect {
        /// Why not.
        #[from]
        source: ConnectError,
    },
    /// A channel of messages could not be had.
    #[error("the channel of the nodes")]
    Channel {
        /// Why not.
        #[from]
        source: SetUpError,
    },
    /// Memory of a node cannot be loaded from directly.
    #[error("direct reads of another node's memory")]
    Load {
        /// Why not.
        source: LoadError,
    },
    /// A connection over TCP fails.
    #[error("TCP on loopback")]
    Tcp {
        /// Why.
        #[from]
        source: std::io::Error,
    },
    /// A thread may not run where it should.
    #[error("a thread of a node cannot be pinned")]
    Pin {
        /// Why not.
        #[from]
        source: AffinityError,
    },
    /// An operation was refused.
    #[error("an operation cannot be posted")]
    Post {
        /// Why not.
        #[from]
        source: PostError,
    },
    /// The completion queue broke.
    #[error("completions cannot be polled")]
    Poll {
        /// Why not.
        #[from]
        source: PollError,
    },
    /// An operation failed.
    #[error("operation {number} of a measurement ended with {status:?}")]
    Operation {
        /// Which one, from 0.
        number: u64,
        /// How it ended.
        status: CompletionStatus,
    },
    /// What had to come did not.
    #[error("nothing came of round {round} of a measurement for {after:?}")]
    NothingCame {
        /// Which round, from 1.
        round: u64,
        /// How long it was waited for.
        after: Duration,
    },
    /// A completion of something else came.
    #[error("operation {expected} of a measurement was to complete, and {found} did")]
    OutOfTurn {
        /// Whose turn it was.
        expected: u64,
        /// Who came.
        found: u64,
    },
    /// A message could not be sent.
    #[error("a message cannot be sent")]
    Send {
        /// Why not.
        #[from]
        source: SendError,
    },
    /// No more messages come.
    #[error("a message cannot be received")]
    Receive {
        /// Why not.
        #[from]
        source: ChannelError,
    },
}
