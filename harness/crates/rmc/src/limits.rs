//! What a node can do at the most.

use onesided_transport::{CompletionQueues, CreateEndpointError, DeviceLimits, EndpointAttributes};

use crate::queue_pairs::QUEUE_PAIRS;

/// Limits of a node. Ours: far above what an experiment asks for; memory is taken as asked.
pub const LIMITS: DeviceLimits = DeviceLimits {
    queue_pairs: QUEUE_PAIRS as u32,
    queue_depth: 1 << 15,
    completion_queue_entries: 1 << 22,
    max_rd_atomic_as_responder: 128,
    max_rd_atomic_as_requester: 128,
};

/// Longest inline payload, in bytes. Ours: what adapters offer.
pub const INLINE_BYTES: u32 = 1024;

/// Checks that an endpoint is within the limits.
pub fn check(attributes: &EndpointAttributes) -> Result<(), CreateEndpointError> {
    let count = attributes.queue_pairs as u64;
    let (send, receive) = (attributes.send_queue_depth, attributes.receive_queue_depth);
    let each = u64::from(send) + u64::from(receive);
    let entries = match attributes.completion_queues {
        CompletionQueues::PerThread => each.saturating_mul(count),
        CompletionQueues::PerQueuePair => each,
    };
    let depth = u64::from(LIMITS.queue_depth);
    let asked = [
        ("queue pairs", count, u64::from(LIMITS.queue_pairs)),
        ("send queue depth", u64::from(send), depth),
        ("receive queue depth", u64::from(receive), depth),
        ("completion queue entries", entries, u64::from(LIMITS.completion_queue_entries)),
        ("inline bytes", u64::from(attributes.inline_bytes), u64::from(INLINE_BYTES)),
    ];
    match asked.into_iter().find(|(_, asked, limit)| asked > limit) {
        Some((what, asked, limit)) => Err(CreateEndpointError::AboveLimit { what, asked, limit }),
        None => Ok(()),
    }
}
