//! The tables of arithmetic on PCI Express: bytes of a transfer, and limits of an operation.
//!
//! Nothing in them is measured: `source` is `simulated`, `back_end` is `pcie`. Numbers of an
//! operation are means over a batch and what is signaled, exact but for the digits of a cell.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    table::{Row, Versioned},
    version,
    vocabulary::{
        PcieOperation, PciePayload, PciePost, PcieResource, PcieSide, PcieTransfer, PcieTransport,
        Source,
    },
};

/// A transfer between CPU and card, a row of `pcie-transfers.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PcieTransferRow {
    /// Version of this format.
    pub schema_version: u32,
    /// Where the numbers come from.
    pub source: Source,
    /// What computed them.
    pub back_end: String,
    /// The machine's profile; absent where the link was given by itself.
    pub profile: Option<String>,
    /// Generation of PCI Express.
    pub pcie_generation: u8,
    /// Its lanes.
    pub pcie_lanes: u8,
    /// Most data bytes of a completion.
    pub read_completion_bytes: u64,
    /// Most data bytes that the card writes in a packet.
    pub max_payload_bytes: u64,
    /// Most bytes that the card asks for in a packet.
    pub max_read_request_bytes: u64,
    /// How the bytes are moved.
    pub transfer: PcieTransfer,
    /// Bytes that are moved.
    pub access_bytes: u64,
    /// Bytes from the CPU to the card, with headers.
    pub cpu_to_device_bytes: u64,
    /// Packets from the CPU to the card.
    pub cpu_to_device_packets: u64,
    /// Bytes from the card to the CPU, with headers.
    pub device_to_cpu_bytes: u64,
    /// Packets from the card to the CPU.
    pub device_to_cpu_packets: u64,
}

impl Row for PcieTransferRow {
    const FILE: &'static str = "pcie-transfers.csv";
    const VERSIONED: Versioned = Versioned::EveryRow(version::PCIE);
}

/// What an operation takes at one side, a row of `pcie-operations.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PcieOperationRow {
    /// Version of this format.
    pub schema_version: u32,
    /// Where the numbers come from.
    pub source: Source,
    /// What computed them.
    pub back_end: String,
    /// The machine's profile; absent where the link was given by itself.
    pub profile: Option<String>,
    /// Generation of PCI Express.
    pub pcie_generation: u8,
    /// Its lanes.
    pub pcie_lanes: u8,
    /// Most data bytes of a completion.
    pub read_completion_bytes: u64,
    /// Most data bytes that the card writes in a packet.
    pub max_payload_bytes: u64,
    /// Most bytes that the card asks for in a packet.
    pub max_read_request_bytes: u64,
    /// What is asked for.
    pub operation: PcieOperation,
    /// Over which transport.
    pub transport: PcieTransport,
    /// Bytes of the payload.
    pub access_bytes: u64,
    /// Where the payload is; absent where there is none.
    pub payload: Option<PciePayload>,
    /// How work queue elements get to the card.
    pub post: PciePost,
    /// Work queue elements that are posted at once.
    pub batch: u32,
    /// One in so many operations is completed; absent where none is.
    pub signal_every: Option<u32>,
    /// Bytes of a completion queue entry.
    pub completion_bytes: u64,
    /// Bytes of the work queue element.
    pub wqe_bytes: u64,
    /// Cache lines that it takes.
    pub wqe_lines: u64,
    /// Whose the following numbers are.
    pub side: PcieSide,
    /// Stores to the card that become a packet.
    pub mmio_writes: f64,
    /// DMA reads.
    pub dma_reads: f64,
    /// DMA writes.
    pub dma_writes: f64,
    /// Bytes from the CPU to the card, with headers.
    pub cpu_to_device_bytes: f64,
    /// Packets from the CPU to the card.
    pub cpu_to_device_packets: f64,
    /// Bytes from the card to the CPU, with headers.
    pub device_to_cpu_bytes: f64,
    /// Packets from the card to the CPU.
    pub device_to_cpu_packets: f64,
    /// Operations per second, rounded down, that stores of work queue elements allow; absent where
    /// there are none.
    pub write_combining_limit_ops: Option<u64>,
    /// The same of the card's reads of work queue elements.
    pub wqe_fetch_limit_ops: Option<u64>,
    /// The same of everything from the CPU to the card.
    pub cpu_to_device_limit_ops: Option<u64>,
    /// The same of everything from the card to the CPU.
    pub device_to_cpu_limit_ops: Option<u64>,
    /// What has the smallest of these limits, the first of equal ones; absent where nothing moves.
    pub bottleneck: Option<PcieResource>,
}

impl Row for PcieOperationRow {
    const FILE: &'static str = "pcie-operations.csv";
    const VERSIONED: Versioned = Versioned::EveryRow(version::PCIE);
}
