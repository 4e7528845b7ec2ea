//! What a node can do at the most.

use onesided_transport::DeviceLimits;

use crate::queue_pairs::QUEUE_PAIRS;

/// Limits of a node. Ours: far above what an experiment asks for; memory is taken as asked.
pub const LIMITS: DeviceLimits = DeviceLimits {
    queue_pairs: QUEUE_PAIRS as u32,
    queue_depth: 1 << 15,
    shared_receive_queue_depth: 1 << 15,
    completion_queue_entries: 1 << 22,
    max_rd_atomic_as_responder: 128,
    max_rd_atomic_as_requester: 128,
};

/// Longest inline payload, in bytes. Ours: what adapters offer.
pub const INLINE_BYTES: u32 = 1024;
