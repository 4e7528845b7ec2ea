//! The network card of a host.

use std::num::{NonZeroU32, NonZeroU64};

use onesided_vocabulary::LinkLayer;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A network card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Nic {
    /// What it can do.
    pub kind: NicKind,
    /// Name in the RDMA subsystem, for instance `mlx5_0`.
    pub name: Option<String>,
    /// Model, as its maker or driver calls it.
    pub model: Option<String>,
    /// Kernel driver.
    pub driver: Option<String>,
    /// Firmware version.
    pub firmware: Option<String>,
    /// Node that it is attached to; absent if unknown, which is not node 0.
    pub node: Option<u32>,
    /// How that node is known, or why not.
    pub node_evidence: Option<String>,
    /// Ports.
    pub ports: Option<NonZeroU32>,
    /// Network below the port.
    pub link_layer: Option<LinkLayer>,
    /// Rate of a port's link by its name, in bits per second: 56 Gb/s of FDR, say, which is before
    /// coding.
    pub link_bits_per_second: Option<NonZeroU64>,
    /// Generation of PCI Express that it speaks, 1 to 6.
    pub pcie_generation: Option<u8>,
    /// Lanes of PCI Express: 1, 2, 4, 8, 16 or 32.
    pub pcie_lanes: Option<u8>,
    /// Memory accesses that it has in flight at most: entries of soNUMA's MAQ.
    pub access_queue_entries: Option<NonZeroU32>,
    /// Entries of its translation buffer.
    pub tlb_entries: Option<NonZeroU32>,
    /// Where the facts are from, if not from where the host's are.
    pub source: Option<String>,
}

/// What a network card can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NicKind {
    /// RDMA in hardware.
    Rdma,
    /// RDMA by the host's kernel over a card without it (Soft-RoCE): function, no speed.
    SoftRdma,
    /// No RDMA.
    NoRdma,
    /// soNUMA's remote memory controller, part of the processor's memory system.
    RemoteMemoryController,
}
