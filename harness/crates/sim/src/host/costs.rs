//! What an operation costs, station by station.

use onesided_pcie::{Operation, Payload, Transport, Verb as PcieVerb};
use onesided_vocabulary::Service;

use crate::{
    Locality,
    parameters::Parameters,
    scenario::{HostLoad, Scenario},
    stations::{Segments, Verb, memory_wait_ns, miss_fraction},
    time::Span,
};

/// Bytes that an atomic moves.
pub(crate) const ATOMIC_BYTES: u32 = 8;

/// What an operation of a kind and a length costs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Costs {
    /// The request from the thread to the requester's card, in cache lines.
    pub(crate) wqe: Span,
    /// The requester's card, gathering included.
    pub(crate) request: Span,
    /// The request on the link.
    pub(crate) request_segments: Segments,
    /// The request at the end of the responder's link, where others send into it; else nothing.
    pub(crate) inbound: Segments,
    /// The responder's card.
    pub(crate) respond: Span,
    /// For how long the responder's card does nothing but an atomic.
    pub(crate) atomic_hold: Span,
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
    /// Of the queue pairs.
    pub(crate) service: Service,
    /// Where the responder's memory is.
    pub(crate) region: Locality,
    /// Where the requester's memory is.
    pub(crate) client: Locality,
    /// Who else uses the responder's memory.
    pub(crate) host_load: HostLoad,
    /// Largest payload of a packet.
    pub(crate) mtu_bytes: u32,
    /// Largest payload of a write that is in its request.
    pub(crate) inline_bytes: u32,
    /// Bytes of the region.
    pub(crate) region_bytes: u64,
    /// Whether several hosts send to the responder.
    pub(crate) is_link_shared: bool,
    /// Queue pairs that the requester's card serves.
    pub(crate) requester_queue_pairs: f64,
    /// Queue pairs that the responder's card serves.
    pub(crate) responder_queue_pairs: f64,
    /// Requests of the requester's host that are posted and not completed.
    pub(crate) in_flight: f64,
}

impl Conditions {
    /// Those of a run.
    pub(crate) fn of(scenario: &Scenario) -> Self {
        let queue_pairs = scenario.load.run_queue_pairs as f64;
        let per_host = queue_pairs / scenario.client_hosts as f64;
        Self {
            service: Service::ReliableConnection,
            region: scenario.region,
            client: scenario.client,
            host_load: scenario.host_load,
            mtu_bytes: scenario.connection.mtu_bytes,
            inline_bytes: scenario.connection.inline_bytes,
            region_bytes: scenario.load.region_bytes,
            is_link_shared: scenario.client_hosts > 1,
            requester_queue_pairs: per_host,
            responder_queue_pairs: queue_pairs,
            in_flight: per_host * f64::from(scenario.outstanding()),
        }
    }
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
        let Parameters { pcie_ns_per_byte, pcie_packet_ns, .. } = *parameters;
        let on_pcie = |bytes| Segments::on_pcie(bytes, mtu, pcie_ns_per_byte, pcie_packet_ns);
        let inlined = verb == Verb::Write && bytes <= conditions.inline_bytes;
        let gathered = if inlined { 0 } else { sent };
        let far = |reach, ns| if reach == Locality::RdmaRemote { ns } else { 0.0 };
        let memory = parameters.memory_ns.of(verb)
            + far(conditions.region, parameters.interconnect_ns.of(verb))
            + memory_wait_ns(parameters, conditions.region, conditions.host_load);
        let request = parameters.request_ns.of(verb)
            + f64::from(gathered) * parameters.gather_ns_per_byte
            + far(conditions.client, parameters.client_remote_ns.of(verb))
            + misses_ns(parameters, conditions);
        let respond = parameters.respond_ns.of(verb)
            + context_ns(parameters, conditions.responder_queue_pairs);
        let request_segments = on_link(parameters, sent, mtu);
        let held = atomic_ns(parameters, conditions.region_bytes);
        Self {
            wqe: Span::of_ns(
                wqe_lines(conditions.service, verb, bytes, inlined) * parameters.wqe_line_ns,
            ),
            request: Span::of_ns(request),
            request_segments,
            inbound: if conditions.is_link_shared { request_segments } else { Segments::default() },
            respond: Span::of_ns(respond),
            atomic_hold: Span::of_ns(match verb {
                Verb::Atomic => held * parameters.atomic_card_share,
                _ => 0.0,
            }),
            pcie: on_pcie(bytes),
            memory: Span::of_ns(memory),
            reply_segments: on_link(parameters, answered, mtu),
            scatter: on_pcie(answered),
        }
    }
}

/// How long an atomic on a region of so many bytes locks its slot, in nanoseconds.
pub(crate) fn atomic_ns(parameters: &Parameters, region_bytes: u64) -> f64 {
    let misses = miss_fraction(region_bytes as f64, parameters.cache_bytes);
    parameters.atomic_ns + misses * parameters.atomic_miss_ns
}

/// Cache lines of the request (Kalia et al., table 1).
fn wqe_lines(service: Service, verb: Verb, bytes: u32, inlined: bool) -> f64 {
    let transport = match service {
        Service::ReliableConnection => Transport::Rc,
        Service::UnreliableConnection => Transport::Uc,
        Service::UnreliableDatagram => Transport::Ud,
    };
    let verb = match verb {
        Verb::Read => PcieVerb::Read,
        Verb::Write => PcieVerb::Write,
        Verb::Atomic => PcieVerb::FetchAndAdd,
    };
    let operation = Operation::new(verb, transport, u64::from(bytes));
    let payload = if inlined { Payload::Inline } else { Payload::Pointer };
    Operation { payload, ..operation }.wqe().lines() as f64
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
