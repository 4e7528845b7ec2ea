//! What one operation takes at one side, and as JSON.

use onesided_pcie::{
    Cost, Limit, LinkLayer, Operation, Part, Payload, Resource, Side, Signals, Transfer, Transport,
    Verb, What, bottleneck, limits, to_f64,
};
use onesided_results::{
    version,
    vocabulary::{PciePost, Source},
};
use serde::Serialize;

use super::{BACK_END, link::Linked};

/// An operation at a side.
pub struct Outcome {
    /// The operation.
    pub operation: Operation,
    /// The side.
    pub side: Side,
    /// Its transfers, each with what it takes per operation.
    pub parts: Vec<(Part, Cost)>,
    /// Their sum.
    pub cost: Cost,
    /// What each resource allows.
    pub limits: Vec<Limit>,
}

impl Outcome {
    /// Computes it.
    pub fn of(linked: &Linked, operation: Operation, side: Side) -> Self {
        let parts = operation.parts(side);
        let with_cost = |part: &Part| (*part, Cost::of_part(&linked.link, part));
        Self {
            operation,
            side,
            parts: parts.iter().map(with_cost).collect(),
            cost: Cost::of_parts(&linked.link, &parts),
            limits: limits(&linked.link, &parts),
        }
    }

    /// The resource with the smallest limit.
    pub fn bottleneck(&self) -> Option<Resource> {
        bottleneck(&self.limits).map(|limit| limit.resource)
    }
}

/// Where the payload of an operation is, if there is one.
pub fn payload(operation: &Operation) -> Option<Payload> {
    (operation.bytes > 0).then_some(operation.payload)
}

/// One in how many operations is completed at its requester, or of a RECV.
pub const fn signal_every(operation: &Operation) -> Option<u32> {
    match operation.signals {
        Signals::Every(every) => Some(every),
        Signals::Never => None,
    }
}

/// The word of a transfer.
pub const fn way(transfer: Transfer) -> &'static str {
    match transfer {
        Transfer::Mmio { .. } => "mmio",
        Transfer::Register { .. } => "register",
        Transfer::DmaRead { .. } => "dma-read",
        Transfer::DmaWrite { .. } => "dma-write",
    }
}

/// Everything, for programs.
#[derive(Serialize)]
pub struct Json<'a> {
    schema_version: u32,
    source: Source,
    back_end: &'static str,
    link: JsonLink<'a>,
    operations: Vec<JsonOperation>,
}

#[derive(Serialize)]
struct JsonLink<'a> {
    profile: Option<&'a str>,
    generation: &'static str,
    lanes: u8,
    bytes_per_second: u64,
    request_header_bytes: u64,
    completion_header_bytes: u64,
    read_completion_bytes: u64,
    max_payload_bytes: u64,
    max_read_request_bytes: u64,
    link_layer: Option<LinkLayer>,
    source: &'static str,
}

#[derive(Serialize)]
struct JsonOperation {
    operation: Verb,
    transport: Transport,
    access_bytes: u64,
    payload: Option<Payload>,
    post: PciePost,
    batch: u32,
    signal_every: Option<u32>,
    wqe_bytes: u64,
    wqe_lines: u64,
    side: Side,
    parts: Vec<JsonPart>,
    cpu_to_device_bytes: f64,
    cpu_to_device_packets: f64,
    device_to_cpu_bytes: f64,
    device_to_cpu_packets: f64,
    limits: Vec<JsonLimit>,
    bottleneck: Option<Resource>,
}

#[derive(Serialize)]
struct JsonPart {
    what: What,
    transfer: &'static str,
    bytes: u64,
    once_in_operations: u32,
    cpu_to_device_bytes: f64,
    cpu_to_device_packets: f64,
    device_to_cpu_bytes: f64,
    device_to_cpu_packets: f64,
    source: &'static str,
}

#[derive(Serialize)]
struct JsonLimit {
    resource: Resource,
    bytes_per_operation: f64,
    operations_per_second: u128,
    source: &'static str,
}

impl<'a> Json<'a> {
    /// Of all outcomes.
    pub fn of(linked: &'a Linked, outcomes: &[Outcome]) -> Self {
        let (link, generation) = (&linked.link, linked.link.generation());
        Self {
            schema_version: version::PCIE.written,
            source: Source::Simulated,
            back_end: BACK_END,
            link: JsonLink {
                profile: linked.profile.as_deref(),
                generation: generation.name(),
                lanes: link.lanes(),
                bytes_per_second: link.bytes_per_second(),
                request_header_bytes: generation.request_header_bytes(),
                completion_header_bytes: generation.completion_header_bytes(),
                read_completion_bytes: link.read_completion_bytes(),
                max_payload_bytes: link.max_payload_bytes(),
                max_read_request_bytes: link.max_read_request_bytes(),
                link_layer: linked.link_layer,
                source: generation.source(),
            },
            operations: outcomes.iter().map(operation).collect(),
        }
    }
}

fn operation(outcome: &Outcome) -> JsonOperation {
    let (asked, cost) = (&outcome.operation, &outcome.cost);
    JsonOperation {
        operation: asked.verb,
        transport: asked.transport,
        access_bytes: asked.bytes,
        payload: payload(asked),
        post: asked.post.word(),
        batch: asked.post.batch(),
        signal_every: signal_every(asked),
        wqe_bytes: asked.wqe().bytes(),
        wqe_lines: asked.wqe().lines(),
        side: outcome.side,
        parts: outcome.parts.iter().map(part).collect(),
        cpu_to_device_bytes: to_f64(cost.cpu_to_device_bytes),
        cpu_to_device_packets: to_f64(cost.cpu_to_device_packets),
        device_to_cpu_bytes: to_f64(cost.device_to_cpu_bytes),
        device_to_cpu_packets: to_f64(cost.device_to_cpu_packets),
        limits: outcome.limits.iter().map(limit).collect(),
        bottleneck: outcome.bottleneck(),
    }
}

fn part((part, cost): &(Part, Cost)) -> JsonPart {
    JsonPart {
        what: part.what,
        transfer: way(part.transfer),
        bytes: part.transfer.bytes(),
        once_in_operations: part.every,
        cpu_to_device_bytes: to_f64(cost.cpu_to_device_bytes),
        cpu_to_device_packets: to_f64(cost.cpu_to_device_packets),
        device_to_cpu_bytes: to_f64(cost.device_to_cpu_bytes),
        device_to_cpu_packets: to_f64(cost.device_to_cpu_packets),
        source: part.source(),
    }
}

fn limit(limit: &Limit) -> JsonLimit {
    JsonLimit {
        resource: limit.resource,
        bytes_per_operation: to_f64(limit.bytes),
        operations_per_second: limit.rate.to_integer(),
        source: limit.source(),
    }
}
