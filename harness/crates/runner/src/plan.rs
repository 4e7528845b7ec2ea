//! From the configuration's numbers to the types that the layers below understand.

use onesided_load::PostedOperation;
use onesided_results::{
    RunConfiguration,
    vocabulary::{CompletionQueues, LoopShape, Phase, SlotReuse},
};
use onesided_transport::{
    Access, ConnectError, ConnectionAttributes, DATAGRAM_HEADER, Destination, DeviceLimits,
    Endpoint, EndpointAddress, EndpointAttributes, GidEntry, Negotiated, PathMtu, Payload, Service,
};

use crate::error::RunError;

mod receives;

pub(crate) use receives::check_receive_queues;
use receives::{client_receives, receive_queues, receives};

/// Bytes that two slots of a client's buffer are apart at the least: a cache line, so that
/// operations in flight do not share one on the client's side.
const SLOT_ALIGNMENT: usize = 64;

/// The client's buffer: slots of each queue pair, which its requests use in turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BufferPlan {
    /// Requests of one queue pair that may be in flight, at least; a power of two.
    pub requests: usize,
    /// Slots of one queue pair: one for each of them, or one for all.
    pub slots: usize,
    /// Bytes from one slot to the next.
    pub stride: usize,
}

impl BufferPlan {
    pub(crate) fn of(configuration: &RunConfiguration) -> Self {
        // A ping-pong has one slot to send from and one to watch.
        let in_flight = match configuration.loop_shape {
            LoopShape::PingPong => 2,
            _ => configuration.window as usize,
        };
        let access = match configuration.loop_shape {
            LoopShape::PingPong => arriving_bytes(configuration) as usize,
            _ => configuration.access_bytes as usize,
        };
        let requests = in_flight.next_power_of_two();
        let slots = match configuration.slot_reuse {
            SlotReuse::Completed => requests,
            SlotReuse::Outstanding => 1,
        };
        Self { requests, slots, stride: access.max(1).next_multiple_of(SLOT_ALIGNMENT) }
    }

    /// Bytes from the slot of one request to that of the next: none where they share one.
    pub(crate) fn step(&self) -> usize {
        if self.slots == 1 { 0 } else { self.stride }
    }

    /// Slots that so many requests have used.
    pub(crate) fn used(&self, requests: u64) -> usize {
        usize::try_from(requests).unwrap_or(usize::MAX).min(self.slots)
    }

    /// Bytes of one queue pair's slots.
    pub(crate) fn lane_bytes(&self) -> usize {
        self.slots * self.stride
    }
}

/// Bytes of the buffer that a message arrives in. Of a datagram: with its header, and with room for the longest
/// that any port lets through, whatever the run's path MTU. One that is longer than its receive stops the queue
/// pair of some devices, and whoever knows the key can send one.
pub(crate) fn arriving_bytes(configuration: &RunConfiguration) -> u32 {
    match configuration.service {
        Service::UnreliableDatagram => header_bytes(configuration) + PathMtu::LARGEST.bytes(),
        _ => configuration.access_bytes,
    }
}

/// Bytes before the message in the buffer that it arrives in.
pub(crate) fn header_bytes(configuration: &RunConfiguration) -> u32 {
    match configuration.service {
        Service::UnreliableDatagram => DATAGRAM_HEADER,
        _ => 0,
    }
}

/// Connects an endpoint to its peer; of datagrams, where the peer's queue pairs are reached.
pub(crate) fn connect<E: Endpoint>(
    endpoint: &mut E,
    service: Service,
    peer: &EndpointAddress,
    attributes: &ConnectionAttributes,
) -> Result<Vec<Destination>, ConnectError> {
    match service {
        Service::UnreliableDatagram => endpoint.destinations(peer, attributes),
        _ => endpoint.connect(peer, attributes).map(|()| Vec::new()),
    }
}

/// What closes a run whose last requests are unsignaled: it touches no memory, and is no operation. A send that
/// does has an immediate, unlike any other.
pub(crate) fn closing(service: Service) -> PostedOperation {
    match service {
        Service::ReliableConnection => PostedOperation::Read,
        Service::UnreliableConnection => PostedOperation::Write,
        Service::UnreliableDatagram => PostedOperation::Send,
    }
}

/// The path MTU that is asked for.
pub(crate) fn path_mtu(configuration: &RunConfiguration) -> Result<PathMtu, RunError> {
    PathMtu::try_from(configuration.mtu_bytes)
        .map_err(|source| RunError::new(Phase::Connect, "mtu_bytes", source))
}

/// Where the bytes of a write come from.
pub(crate) fn payload(configuration: &RunConfiguration) -> Payload {
    match configuration.inline_bytes {
        Some(limit) if configuration.access_bytes <= limit => Payload::Inline,
        _ => Payload::Gathered,
    }
}

/// Entries of a send queue beyond those that were asked for: closing a run whose last requests are
/// unsignaled takes one.
const CLOSING_ENTRIES: u32 = 1;

/// Refuses a send queue that is deeper than the device's, by the number that was asked for: the back
/// end only sees that and [`CLOSING_ENTRIES`].
pub(crate) fn check_queue_depth(
    configuration: &RunConfiguration,
    limits: &DeviceLimits,
) -> Result<(), RunError> {
    let (asked, device) = (configuration.send_queue_depth, limits.queue_depth);
    let most = device.saturating_sub(CLOSING_ENTRIES);
    if asked <= most {
        return Ok(());
    }
    let what = format!(
        "send_queue_depth (--send-queue-depth) is {asked}; allowed: at most {most}, as the \
         device's queues hold {device} and one entry is kept for closing the run"
    );
    Err(RunError::plain(Phase::SetUp, what))
}

/// A client thread's queue pairs.
pub(crate) fn client_endpoint(
    configuration: &RunConfiguration,
    queue_pairs: usize,
) -> EndpointAttributes {
    let receive_queue_depth = client_receives(configuration);
    EndpointAttributes {
        service: configuration.service,
        queue_pairs,
        send_queue_depth: configuration.send_queue_depth.saturating_add(CLOSING_ENTRIES),
        receive_queue_depth,
        receive_queues: receive_queues(configuration, receive_queue_depth),
        inline_bytes: configuration.inline_bytes.unwrap_or(0),
        completion_queues: configuration.completion_queues,
        access: Access::REMOTE,
    }
}

/// The server's end of a client thread's queue pairs.
pub(crate) fn server_endpoint(
    configuration: &RunConfiguration,
    queue_pairs: usize,
) -> EndpointAttributes {
    let receive_queue_depth = receives(configuration, queue_pairs);
    EndpointAttributes {
        send_queue_depth: 1,
        receive_queue_depth,
        receive_queues: receive_queues(configuration, receive_queue_depth),
        completion_queues: CompletionQueues::PerThread,
        ..client_endpoint(configuration, queue_pairs)
    }
}

/// Threads that the server has for its ends of the queue pairs: one for each of the client's, where it
/// answers or posts receive requests.
pub(crate) fn server_threads(configuration: &RunConfiguration) -> u32 {
    let is_busy = configuration.loop_shape == LoopShape::PingPong
        || configuration.operation.consumes_receives();
    if is_busy { configuration.threads } else { 0 }
}

/// The connection's attributes on one side.
pub(crate) fn connection(
    configuration: &RunConfiguration,
    negotiated: Negotiated,
    gid: Option<GidEntry>,
) -> ConnectionAttributes {
    ConnectionAttributes {
        gid,
        path_mtu: negotiated.path_mtu,
        max_rd_atomic: negotiated.max_rd_atomic,
        timeout_exponent: configuration.timeout_exponent,
        retry_count: configuration.retry_count,
        rnr_retry: configuration.rnr_retry,
        hop_limit: configuration.hop_limit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_have_a_slot_each_or_share_one() {
        let wide =
            RunConfiguration { access_bytes: 64 << 10, window: 100, ..RunConfiguration::default() };
        let each = BufferPlan::of(&wide);
        assert_eq!((each.requests, each.lane_bytes(), each.step()), (128, 8 << 20, 64 << 10));
        assert_eq!((each.used(3), each.used(u64::MAX)), (3, 128));
        let shared = RunConfiguration { slot_reuse: SlotReuse::Outstanding, ..wide };
        let one = BufferPlan::of(&shared);
        assert_eq!((one.requests, one.lane_bytes(), one.step()), (128, 64 << 10, 0));
        assert_eq!(one.used(3), 1);
    }
}
