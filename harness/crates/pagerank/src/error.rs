//! What can go wrong.

use crate::direct::LoadError;
use onesided_messaging::{BarrierError, SetUpError};
use onesided_placement::AffinityError;
use onesided_transport::{CompletionStatus, ConnectError, PollError, PostError, ResourceError};

/// Why a run ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PagerankError {
    /// There is nobody to compute.
    #[error("PageRank needs a node or a thread, and a graph with a vertex")]
    Nothing,
    /// A thread may not run where it should.
    #[error("a thread cannot be pinned")]
    Pin {
        /// Why not.
        #[from]
        source: AffinityError,
    },
    /// The device gave no memory or no queue pair.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// Two nodes cannot reach each other.
    #[error("the nodes cannot be connected")]
    Connect {
        /// Why not.
        #[from]
        source: ConnectError,
    },
    /// Two devices do not fit together.
    #[error("nodes {one} and {other} cannot be connected: {why}")]
    Apart {
        /// Which node.
        one: usize,
        /// And which other one.
        other: usize,
        /// What the caller says of it.
        why: String,
    },
    /// The barrier between supersteps could not be had.
    #[error("the barrier of the nodes")]
    BarrierSetUp {
        /// Why not.
        #[from]
        source: SetUpError,
    },
    /// A node did not come.
    #[error("the barrier after a superstep")]
    Barrier {
        /// Which, and why not.
        #[from]
        source: BarrierError,
    },
    /// A read was refused.
    #[error("a read cannot be posted")]
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
    /// What would be loaded cannot be.
    #[error("the memory of node {node} cannot be loaded from")]
    Load {
        /// Whose memory it is.
        node: usize,
        /// What the back end says.
        source: LoadError,
    },
    /// A read failed.
    #[error("a read of node {node} ended with {status:?}")]
    Read {
        /// Whose memory it was.
        node: usize,
        /// How it ended.
        status: CompletionStatus,
    },
}
