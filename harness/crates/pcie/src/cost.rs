//! Parts added up.

use crate::{link::Link, parts::Part, ratio::Ratio, transfer::Transfer};

/// What an operation costs on average: transfers, packets and bytes, exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Stores to the card that become a packet: cache lines of WQEs, and Doorbells.
    pub mmio_writes: Ratio,
    /// DMA reads, however many packets they take.
    pub dma_reads: Ratio,
    /// DMA writes, however many packets they take.
    pub dma_writes: Ratio,
    /// Bytes from the CPU to the card, with headers.
    pub cpu_to_device_bytes: Ratio,
    /// Packets from the CPU to the card.
    pub cpu_to_device_packets: Ratio,
    /// Bytes from the card to the CPU, with headers.
    pub device_to_cpu_bytes: Ratio,
    /// Packets from the card to the CPU.
    pub device_to_cpu_packets: Ratio,
}

impl Cost {
    /// Nothing.
    pub const NONE: Self = Self {
        mmio_writes: Ratio::ZERO,
        dma_reads: Ratio::ZERO,
        dma_writes: Ratio::ZERO,
        cpu_to_device_bytes: Ratio::ZERO,
        cpu_to_device_packets: Ratio::ZERO,
        device_to_cpu_bytes: Ratio::ZERO,
        device_to_cpu_packets: Ratio::ZERO,
    };

    /// That of one part.
    pub fn of_part(link: &Link, part: &Part) -> Self {
        let traffic = link.traffic(part.transfer);
        let each = |number: u64| Ratio::new(number.into(), part.every.into());
        let mut cost = Self {
            cpu_to_device_bytes: each(traffic.cpu_to_device_bytes),
            cpu_to_device_packets: each(traffic.cpu_to_device_packets),
            device_to_cpu_bytes: each(traffic.device_to_cpu_bytes),
            device_to_cpu_packets: each(traffic.device_to_cpu_packets),
            ..Self::NONE
        };
        match part.transfer {
            Transfer::Mmio { .. } | Transfer::Register { .. } => {
                cost.mmio_writes = cost.cpu_to_device_packets;
            }
            Transfer::DmaRead { .. } => cost.dma_reads = each(1),
            Transfer::DmaWrite { .. } => cost.dma_writes = each(1),
        }
        cost
    }

    /// That of all parts.
    pub fn of_parts(link: &Link, parts: &[Part]) -> Self {
        parts.iter().fold(Self::NONE, |sum, part| sum.and(Self::of_part(link, part)))
    }

    fn and(self, other: Self) -> Self {
        Self {
            mmio_writes: self.mmio_writes + other.mmio_writes,
            dma_reads: self.dma_reads + other.dma_reads,
            dma_writes: self.dma_writes + other.dma_writes,
            cpu_to_device_bytes: self.cpu_to_device_bytes + other.cpu_to_device_bytes,
            cpu_to_device_packets: self.cpu_to_device_packets + other.cpu_to_device_packets,
            device_to_cpu_bytes: self.device_to_cpu_bytes + other.device_to_cpu_bytes,
            device_to_cpu_packets: self.device_to_cpu_packets + other.device_to_cpu_packets,
        }
    }
}
