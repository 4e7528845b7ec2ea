//! What a device can do at the most.

use onesided_transport::{ConnectionAttributes, DeviceLimits, PathMtu};

/// Limits of a device. Ours: far above what an experiment asks for; memory is taken as asked.
pub(super) const LIMITS: DeviceLimits = DeviceLimits {
    queue_pairs: 1 << 14,
    queue_depth: 1 << 15,
    shared_receive_queue_depth: 1 << 15,
    completion_queue_entries: 1 << 22,
    max_rd_atomic_as_responder: 128,
    max_rd_atomic_as_requester: 128,
};

/// The active MTU of every port. Ours: the largest, so that a connection has the one that it asks for.
pub(super) const ACTIVE_MTU: PathMtu = PathMtu::Bytes4096;

/// Longest inline payload, in bytes. Ours: what adapters offer.
pub(super) const INLINE_BYTES: u32 = 1024;

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
