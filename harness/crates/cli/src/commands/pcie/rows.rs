//! What was computed as rows.

use onesided_pcie::{Link, Resource, Transfer, to_f64};
use onesided_results::{
    row::{PcieOperationRow, PcieTransferRow},
    version,
    vocabulary::{PcieTransfer, Source},
};

use super::{BACK_END, link::Linked, outcome::Outcome};

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
        payload: outcome.payload(),
        post: asked.post.word(),
        batch: asked.post.batch(),
        signal_every: outcome.signal_every(),
        completion_bytes: asked.completion_bytes,
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
