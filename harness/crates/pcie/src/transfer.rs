//! What moving bytes between CPU and card takes on the link.

use crate::{link::Link, wqe::CACHE_LINE_BYTES};

/// Bytes that are moved, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// The CPU stores to the card's memory, combined to whole cache lines (003 §2.1).
    Mmio {
        /// Bytes that are stored.
        bytes: u64,
    },
    /// The CPU stores to a register of the card, by itself.
    Register {
        /// Bytes that are stored.
        bytes: u64,
    },
    /// The card reads host memory.
    DmaRead {
        /// Bytes that it reads.
        bytes: u64,
    },
    /// The card writes host memory.
    DmaWrite {
        /// Bytes that it writes.
        bytes: u64,
    },
}

impl Transfer {
    /// Its bytes without anything around them.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::Mmio { bytes }
            | Self::Register { bytes }
            | Self::DmaRead { bytes }
            | Self::DmaWrite { bytes } => bytes,
        }
    }
}

/// Packets on the link, and their bytes with headers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Bytes from the CPU to the card.
    pub cpu_to_device_bytes: u64,
    /// Packets from the CPU to the card: its writes, and completions of the card's reads.
    pub cpu_to_device_packets: u64,
    /// Bytes from the card to the CPU.
    pub device_to_cpu_bytes: u64,
    /// Packets from the card to the CPU: its writes and read requests.
    pub device_to_cpu_packets: u64,
}

impl Link {
    /// What a transfer takes.
    ///
    /// Data in host memory are taken to be aligned to completions and payloads. Bytes of a read
    /// are not padded: a card that reads whole cache lines asks for them.
    pub const fn traffic(&self, transfer: Transfer) -> Traffic {
        let request = self.generation().request_header_bytes();
        let completion = self.generation().completion_header_bytes();
        match transfer {
            Transfer::Mmio { bytes } => {
                let lines = bytes.div_ceil(CACHE_LINE_BYTES);
                to_device(lines, lines * (CACHE_LINE_BYTES + request))
            }
            Transfer::Register { bytes } => to_device(1, bytes + request),
            Transfer::DmaRead { bytes } => {
                let completions = bytes.div_ceil(self.read_completion_bytes());
                let requests = bytes.div_ceil(self.max_read_request_bytes());
                Traffic {
                    device_to_cpu_bytes: requests * request,
                    device_to_cpu_packets: requests,
                    ..to_device(completions, bytes + completions * completion)
                }
            }
            Transfer::DmaWrite { bytes } => {
                let packets = bytes.div_ceil(self.max_payload_bytes());
                Traffic {
                    device_to_cpu_bytes: bytes + packets * request,
                    device_to_cpu_packets: packets,
                    ..to_device(0, 0)
                }
            }
        }
    }
}

const fn to_device(packets: u64, bytes: u64) -> Traffic {
    Traffic {
        cpu_to_device_bytes: bytes,
        cpu_to_device_packets: packets,
        device_to_cpu_bytes: 0,
        device_to_cpu_packets: 0,
    }
}
