//! What can go wrong in the data path.

use onesided_transport::{CompletionStatus, PollError, PostError};

use crate::totals::Totals;

/// Why a thread's data path ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataPathFault {
    /// A request completed with an error.
    #[error("queue pair {queue_pair}, work request {sequence}: {status}{}", advice(*status))]
    Completion {
        /// Index of the queue pair within the thread.
        queue_pair: usize,
        /// Sequence number of the work request on it.
        sequence: u64,
        /// Which rule was broken.
        status: CompletionStatus,
    },
    /// A completion that belongs to nothing in flight: the provider invented or repeated it.
    #[error(
        "a completion with id {id:#x} belongs to no work request in flight: the provider reported it twice or made it up"
    )]
    Stale {
        /// What it carried.
        id: u64,
    },
    /// Completions and signaled work requests differ in number.
    #[error("{} signaled work requests were posted and {} completions reported", .0.signaled, .0.reported)]
    Count(Totals),
    /// Nothing completed for too long.
    #[error("{outstanding} work requests did not complete within {:.1} s", *waited_ns as f64 / 1e9)]
    Stalled {
        /// In flight.
        outstanding: u64,
        /// Patience, in ns.
        waited_ns: u64,
    },
    /// The other side's turn did not come, over a service that may lose it.
    #[error(
        "nothing arrived within {:.1} s: an unreliable service may have lost the message, and a ping-pong goes \
         on only with it; do it again, or over --service rc", *waited_ns as f64 / 1e9
    )]
    MessageLost {
        /// Patience, in ns.
        waited_ns: u64,
    },
    /// Another thread or the peer ended the run.
    #[error("the run was stopped from outside this thread")]
    Stopped,
    /// The other side's process or machine is gone.
    #[error("the other side is gone")]
    PeerLost,
    /// A post was refused.
    #[error(transparent)]
    Post(#[from] PostError),
    /// A completion queue broke.
    #[error(transparent)]
    Poll(#[from] PollError),
    /// The partner of a ping-pong saw a value that was not due.
    #[error("ping-pong round {round}: found {found} where {due} was due")]
    OutOfTurn {
        /// Round, from 1.
        round: u64,
        /// What arrived.
        found: u8,
        /// What should have.
        due: u8,
    },
}

/// What to do about a request that ended so, where something can be done.
fn advice(status: CompletionStatus) -> &'static str {
    match status {
        CompletionStatus::ReceiverNotReadyRetryExceeded => {
            ": give the server's thread a CPU of its own (--server-threads), or lower --window"
        }
        _ => "",
    }
}
