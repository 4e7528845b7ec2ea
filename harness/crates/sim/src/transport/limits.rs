//! What a device can do at the most.

use onesided_transport::{
    CompletionQueues, ConnectionAttributes, CreateEndpointError, DeviceLimits, EndpointAttributes,
};

/// Limits of a device. Ours: far above what an experiment asks for; memory is taken as asked.
pub(super) const LIMITS: DeviceLimits = DeviceLimits {
    queue_pairs: 1 << 14,
    queue_depth: 1 << 15,
    completion_queue_entries: 1 << 22,
    max_rd_atomic_as_responder: 128,
    max_rd_atomic_as_requester: 128,
};

/// Longest inline payload, in bytes. Ours: what adapters offer.
const INLINE_BYTES: u32 = 1024;

/// Checks that an endpoint is within the limits of a device that has so many queue pairs.
pub(super) fn check(
    attributes: &EndpointAttributes,
    has: usize,
) -> Result<(), CreateEndpointError> {
    let count = attributes.queue_pairs as u64;
    let (send, receive) = (attributes.send_queue_depth, attributes.receive_queue_depth);
    let each = u64::from(send) + u64::from(receive);
    let entries = match attributes.completion_queues {
        CompletionQueues::PerThread => each.saturating_mul(count),
        CompletionQueues::PerQueuePair => each,
    };
    let depth = u64::from(LIMITS.queue_depth);
    let asked = [
        ("queue pairs", count.saturating_add(has as u64), u64::from(LIMITS.queue_pairs)),
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

/// Which rule the attributes of a connection break.
pub(super) fn broken_rule(attributes: &ConnectionAttributes) -> Option<String> {
    let most = LIMITS.max_rd_atomic_as_requester;
    let rules = [
        ("max_rd_atomic", attributes.max_rd_atomic, 1, most),
        ("timeout_exponent", attributes.timeout_exponent, 1, 31),
        ("retry_count", attributes.retry_count, 0, 6),
        ("rnr_retry", attributes.rnr_retry, 0, 7),
    ];
    let broken = rules.into_iter().find(|(_, value, least, most)| value < least || value > most)?;
    let (name, value, least, most) = broken;
    Some(format!("{name} {value} is not within {least} and {most}"))
}
