//! What was computed as rows.

use std::num::{NonZeroU32, NonZeroU64};

use onesided_pcie::{
    Link, LinkError, LinkLayer, Operation, Part, Resource, Side, Transaction, Transfer, Transport,
    Verb, Wqe, can_inline, supports, to_f64,
};
use onesided_results::{
    MachineProfile,
    machine::{Host, Nic, ProfileKind},
    row::{PcieHostRow, PcieOperationRow, PcieTransactionRow, PcieTransferRow, PcieVerbRow},
    version,
    vocabulary::{PcieTransfer, Source, Word as _},
};

use super::{
    BACK_END,
    link::{self, Linked},
    outcome::{Outcome, payload, signal_every},
};

/// A row a size and way.
pub fn transfers(linked: &Linked, sizes: &[u64]) -> Vec<PcieTransferRow> {
    let of_size = |&bytes: &u64| {
        [
            (PcieTransfer::Mmio, Transfer::Mmio { bytes }),
            (PcieTransfer::DmaRead, Transfer::DmaRead { bytes }),
            (PcieTransfer::DmaWrite, Transfer::DmaWrite { bytes }),
        ]
    };
    let row = |(word, transfer)| transfer_row(linked, word, transfer);
    sizes.iter().flat_map(of_size).map(row).collect()
}

fn transfer_row(linked: &Linked, word: PcieTransfer, transfer: Transfer) -> PcieTransferRow {
    let link: &Link = &linked.link;
    let traffic = link.traffic(transfer);
    PcieTransferRow {
        schema_version: version::PCIE.written,
        source: Source::Simulated,
        back_end: BACK_END.to_owned(),
        profile: linked.profile.clone(),
        pcie_generation: link.generation().number(),
        pcie_lanes: link.lanes(),
        read_completion_bytes: link.read_completion_bytes(),
        max_payload_bytes: link.max_payload_bytes(),
        max_read_request_bytes: link.max_read_request_bytes(),
        transfer: word,
        access_bytes: transfer.bytes(),
        cpu_to_device_bytes: traffic.cpu_to_device_bytes,
        cpu_to_device_packets: traffic.cpu_to_device_packets,
        device_to_cpu_bytes: traffic.device_to_cpu_bytes,
        device_to_cpu_packets: traffic.device_to_cpu_packets,
    }
}

/// The row of an operation at a side.
pub fn operation(linked: &Linked, outcome: &Outcome) -> PcieOperationRow {
    let (link, asked, cost) = (&linked.link, &outcome.operation, &outcome.cost);
    let limit = |resource| {
        let found = outcome.limits.iter().find(|limit| limit.resource == resource)?;
        // Of 32 lanes and a byte an operation it is 1.3 * 10^11.
        u64::try_from(found.rate.to_integer()).ok()
    };
    PcieOperationRow {
        schema_version: version::PCIE.written,
        source: Source::Simulated,
        back_end: BACK_END.to_owned(),
        profile: linked.profile.clone(),
        pcie_generation: link.generation().number(),
        pcie_lanes: link.lanes(),
        read_completion_bytes: link.read_completion_bytes(),
        max_payload_bytes: link.max_payload_bytes(),
        max_read_request_bytes: link.max_read_request_bytes(),
        operation: asked.verb,
        transport: asked.transport,
        access_bytes: asked.bytes,
        payload: payload(asked),
        post: asked.post.word(),
        batch: asked.post.batch(),
        signal_every: signal_every(asked),
        completion_bytes: asked.completion_bytes,
        link_layer: linked.link_layer,
        wqe_bytes: asked.wqe().bytes(),
        wqe_lines: asked.wqe().lines(),
        side: outcome.side,
        mmio_writes: to_f64(cost.mmio_writes),
        dma_reads: to_f64(cost.dma_reads),
        dma_writes: to_f64(cost.dma_writes),
        cpu_to_device_bytes: to_f64(cost.cpu_to_device_bytes),
        cpu_to_device_packets: to_f64(cost.cpu_to_device_packets),
        device_to_cpu_bytes: to_f64(cost.device_to_cpu_bytes),
        device_to_cpu_packets: to_f64(cost.device_to_cpu_packets),
        write_combining_limit_ops: limit(Resource::WriteCombining),
        wqe_fetch_limit_ops: limit(Resource::WqeFetch),
        cpu_to_device_limit_ops: limit(Resource::CpuToDevice),
        device_to_cpu_limit_ops: limit(Resource::DeviceToCpu),
        bottleneck: outcome.bottleneck(),
    }
}

/// The rows of an operation's transactions at both sides, in the order of happening.
pub fn transactions(linked: &Linked, asked: &Operation) -> Vec<PcieTransactionRow> {
    let of_step = |(side, part): (Side, Part)| {
        let packets = linked.link.transactions(part.transfer);
        packets.into_iter().map(move |packets| (side, part, packets))
    };
    let all = asked.steps().into_iter().flat_map(of_step);
    let row = |(step, (side, part, packets))| {
        transaction_row(linked, asked, (step, side), &part, packets)
    };
    (1..).zip(all).map(row).collect()
}

fn transaction_row(
    linked: &Linked,
    asked: &Operation,
    (step, side): (u32, Side),
    part: &Part,
    packets: Transaction,
) -> PcieTransactionRow {
    let link = &linked.link;
    PcieTransactionRow {
        schema_version: version::PCIE.written,
        source: Source::Simulated,
        back_end: BACK_END.to_owned(),
        profile: linked.profile.clone(),
        pcie_generation: link.generation().number(),
        pcie_lanes: link.lanes(),
        read_completion_bytes: link.read_completion_bytes(),
        max_payload_bytes: link.max_payload_bytes(),
        max_read_request_bytes: link.max_read_request_bytes(),
        operation: asked.verb,
        transport: asked.transport,
        access_bytes: asked.bytes,
        payload: payload(asked),
        post: asked.post.word(),
        batch: asked.post.batch(),
        signal_every: signal_every(asked),
        completion_bytes: asked.completion_bytes,
        link_layer: linked.link_layer,
        step,
        side,
        purpose: part.what,
        transaction: packets.kind,
        started_by: part.transfer.started_by(),
        sent_by: packets.sent_by,
        once_in_operations: part.every,
        packets: packets.packets,
        data_bytes: packets.data_bytes,
        header_bytes: packets.header_bytes,
    }
}

/// A row a verb, transport and network.
pub fn verbs() -> Vec<PcieVerbRow> {
    let mut rows = Vec::new();
    for &link_layer in LinkLayer::ALL {
        for &operation in Verb::ALL {
            rows.extend(Transport::ALL.iter().map(|&transport| {
                verb_row(Operation { link_layer, ..Operation::new(operation, transport, 0) })
            }));
        }
    }
    rows
}

fn verb_row(asked: Operation) -> PcieVerbRow {
    let Operation { verb, transport, link_layer, .. } = asked;
    let carried = supports(transport, verb);
    let inlined = carried && can_inline(verb);
    let received = carried && verb == Verb::Recv;
    PcieVerbRow {
        schema_version: version::PCIE.written,
        source: Source::Simulated,
        back_end: BACK_END.to_owned(),
        operation: verb,
        transport,
        link_layer,
        carried,
        wqe_header_bytes: carried.then(|| Wqe::table_1_bytes(verb, transport)),
        inline_limit_bytes: inlined.then(|| asked.inline_limit_bytes()),
        received_header_bytes: received.then(|| asked.delivered_header_bytes()),
    }
}

/// A row a card of a profile's hosts; of a host without a card one, too.
///
/// # Errors
/// When a card states a link that there is not.
pub fn hosts(name: &str, machine: &MachineProfile) -> Result<Vec<PcieHostRow>, LinkError> {
    let of_host = |(number, host): (u32, _)| {
        let host: &Host = host;
        let cards: Vec<_> = host.nics.iter().map(Some).collect();
        let cards = if cards.is_empty() { vec![None] } else { cards };
        (1..).zip(cards).map(move |(card, nic)| (number, host, card, nic)).collect::<Vec<_>>()
    };
    let all = (1..).zip(&machine.hosts).flat_map(of_host);
    all.map(|(number, host, card, nic)| {
        let row = host_row(name, machine, host, nic)?;
        Ok(PcieHostRow { host: number, card, ..row })
    })
    .collect()
}

fn host_row(
    name: &str,
    machine: &MachineProfile,
    host: &Host,
    nic: Option<&Nic>,
) -> Result<PcieHostRow, LinkError> {
    let link = nic.map(link::stated).transpose()?.flatten();
    let processor = host.processor.as_ref();
    Ok(PcieHostRow {
        schema_version: version::PCIE.written,
        source: match machine.profile.kind {
            ProfileKind::Published => Source::Published,
            ProfileKind::Measured => Source::Measured,
            ProfileKind::Emulated | ProfileKind::Template => Source::Emulated,
        },
        profile: name.to_owned(),
        title: machine.profile.title.clone(),
        facts_from: machine.profile.source.clone(),
        host: 1,
        card: 1,
        processor_model: processor.and_then(|processor| processor.model.clone()),
        sockets: processor.and_then(|processor| processor.sockets).map(NonZeroU32::get),
        logical_cpus: host.logical_cpus.map(NonZeroU32::get),
        pcie_generation: nic.and_then(|nic| nic.pcie_generation),
        pcie_lanes: nic.and_then(|nic| nic.pcie_lanes),
        pcie_bytes_per_second: link.map(|link| link.bytes_per_second()),
        card_model: nic.and_then(|nic| nic.model.clone()),
        ports: nic.and_then(|nic| nic.ports).map(NonZeroU32::get),
        link_layer: nic.and_then(|nic| nic.link_layer),
        link_bits_per_second: nic.and_then(|nic| nic.link_bits_per_second).map(NonZeroU64::get),
    })
}
