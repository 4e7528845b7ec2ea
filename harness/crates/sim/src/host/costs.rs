//! What an operation costs, station by station.

use crate::{
    parameters::Parameters,
    scenario::{HostLoad, Reach},
    stations::{Segments, Verb, memory_wait_ns, miss_fraction},
    time::Span,
};

/// What an operation of a kind and a length costs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Costs {
    /// The requester's card, gathering included.
    pub(crate) request: Span,
    /// The request on the link.
    pub(crate) request_segments: Segments,
    /// The responder's card.
    pub(crate) respond: Span,
    /// PCI Express at the responder, towards memory or back.
    pub(crate) pcie: Segments,
    /// Memory, with the interconnect and independent load.
    pub(crate) memory: Span,
    /// The answer on the link.
    pub(crate) reply_segments: Segments,
    /// PCI Express at the requester, of what is read.
    pub(crate) scatter: Segments,
}

/// What costs depend on beside the operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditions {
    /// Where the responder's memory is.
    pub(crate) region: Reach,
    /// Where the requester's memory is.
    pub(crate) client: Reach,
    /// Who else uses the responder's memory.
    pub(crate) host_load: HostLoad,
    /// Largest payload of a packet.
    pub(crate) mtu_bytes: u32,
    /// Queue pairs that the requester's card serves.
    pub(crate) requester_queue_pairs: f64,
    /// Queue pairs that the responder's card serves.
    pub(crate) responder_queue_pairs: f64,
    /// Requests of the requester's host that are posted and not completed.
    pub(crate) in_flight: f64,
}

impl Costs {
    /// Of `bytes` moved by an operation of a kind.
    pub(crate) fn new(
        parameters: &Parameters,
        conditions: &Conditions,
        verb: Verb,
        bytes: u32,
    ) -> Self {
        let (sent, answered) = match verb {
            Verb::Read => (0, bytes),
            Verb::Write => (bytes, 0),
            Verb::Atomic => (bytes, bytes),
        };
        let mtu = conditions.mtu_bytes;
        let Parameters { pcie_ns_per_byte, .. } = *parameters;
        let on_pcie = |bytes| Segments::of(bytes, mtu, pcie_ns_per_byte, 0.0);
        let far = |reach, ns| if reach == Reach::Remote { ns } else { 0.0 };
        let memory = parameters.memory_ns.of(verb)
            + far(conditions.region, parameters.interconnect_ns.of(verb))
            + memory_wait_ns(parameters, conditions.region, conditions.host_load);
        let request = parameters.request_ns.of(verb)
            + f64::from(sent) * parameters.gather_ns_per_byte
            + far(conditions.client, parameters.client_remote_ns.of(verb))
            + misses_ns(parameters, conditions);
        let respond = parameters.respond_ns.of(verb)
            + context_ns(parameters, conditions.responder_queue_pairs);
        Self {
            request: Span::of_ns(request),
            request_segments: on_link(parameters, sent, mtu),
            respond: Span::of_ns(respond),
            pcie: on_pcie(bytes),
            memory: Span::of_ns(memory),
            reply_segments: on_link(parameters, answered, mtu),
            scatter: on_pcie(answered),
        }
    }
}

/// A payload of so many bytes on the link.
pub(crate) fn on_link(parameters: &Parameters, bytes: u32, mtu_bytes: u32) -> Segments {
    Segments::of(bytes, mtu_bytes, parameters.link_ns_per_byte, parameters.packet_ns)
}

/// What the requester's card spends on average on what its caches do not hold.
fn misses_ns(parameters: &Parameters, conditions: &Conditions) -> f64 {
    let requests = miss_fraction(conditions.in_flight, parameters.request_cache_entries);
    requests * parameters.request_miss_ns + context_ns(parameters, conditions.requester_queue_pairs)
}

/// What a card spends on average on the state of the queue pairs that it serves.
fn context_ns(parameters: &Parameters, queue_pairs: f64) -> f64 {
    miss_fraction(queue_pairs, parameters.context_entries) * parameters.context_miss_ns
}
