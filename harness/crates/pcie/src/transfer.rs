//! What moving bytes between CPU and card takes on the link.

use crate::{End, Kind, link::Link, wqe::CACHE_LINE_BYTES};

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

/// Packets of one kind, one like the other, and one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// What they are.
    pub kind: Kind,
    /// Who sends them.
    pub sent_by: End,
    /// How many they are.
    pub packets: u64,
    /// Data of each.
    pub data_bytes: u64,
    /// What is around the data of each.
    pub header_bytes: u64,
}

impl Transaction {
    /// All of their bytes on the link.
    pub const fn bytes(self) -> u64 {
        self.packets * (self.data_bytes + self.header_bytes)
    }
}

impl Transfer {
    /// Who begins it: the CPU by MMIO, the card by DMA.
    pub const fn started_by(self) -> End {
        match self {
            Self::Mmio { .. } | Self::Register { .. } => End::Cpu,
            Self::DmaRead { .. } | Self::DmaWrite { .. } => End::Device,
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

impl Traffic {
    fn and(mut self, added: Transaction) -> Self {
        let (bytes, packets) = match added.sent_by {
            End::Cpu => (&mut self.cpu_to_device_bytes, &mut self.cpu_to_device_packets),
            End::Device => (&mut self.device_to_cpu_bytes, &mut self.device_to_cpu_packets),
        };
        *bytes += added.bytes();
        *packets += added.packets;
        self
    }
}

impl Link {
    /// What a transfer takes: its transactions added up.
    pub fn traffic(&self, transfer: Transfer) -> Traffic {
        self.transactions(transfer).into_iter().fold(Traffic::default(), Traffic::and)
    }

    /// The packets of a transfer: of a read the requests first, as if its answers waited for them.
    ///
    /// Data in host memory are taken to be aligned to completions and payloads. Bytes of a read
    /// are not padded: a card that reads whole cache lines asks for them.
    pub fn transactions(&self, transfer: Transfer) -> Vec<Transaction> {
        let request = self.generation().request_header_bytes();
        let completion = self.generation().completion_header_bytes();
        let of = |kind, sent_by, packets, data_bytes, header_bytes| Transaction {
            kind,
            sent_by,
            packets,
            data_bytes,
            header_bytes,
        };
        // Full ones, and one of what is left.
        let cut = |kind, sent_by, bytes: u64, most: u64, header_bytes| {
            let left = bytes % most;
            [(bytes / most, most), (u64::from(left > 0), left)]
                .map(|(packets, data)| of(kind, sent_by, packets, data, header_bytes))
        };
        let mut all = match transfer {
            Transfer::Mmio { bytes } => {
                let lines = bytes.div_ceil(CACHE_LINE_BYTES);
                vec![of(Kind::MemoryWrite, End::Cpu, lines, CACHE_LINE_BYTES, request)]
            }
            Transfer::Register { bytes } => {
                vec![of(Kind::MemoryWrite, End::Cpu, 1, bytes, request)]
            }
            Transfer::DmaRead { bytes } => {
                let requests = bytes.div_ceil(self.max_read_request_bytes());
                let asked = of(Kind::MemoryRead, End::Device, requests, 0, request);
                let most = self.read_completion_bytes();
                let answers = cut(Kind::Completion, End::Cpu, bytes, most, completion);
                [asked].into_iter().chain(answers).collect()
            }
            Transfer::DmaWrite { bytes } => {
                let most = self.max_payload_bytes();
                cut(Kind::MemoryWrite, End::Device, bytes, most, request).to_vec()
            }
        };
        all.retain(|transaction| transaction.packets > 0);
        all
    }
}
