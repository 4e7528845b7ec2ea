//! The tables of arithmetic on PCI Express: bytes of a transfer, and limits of an operation.
//!
//! Nothing in them is measured: `source` is `simulated`, `back_end` is `pcie`. Numbers of an
//! operation are means over a batch and what is signaled, exact but for the digits of a cell.

use super::roles::table_row;
use crate::vocabulary::{
    PcieOperation, PciePayload, PciePost, PcieResource, PcieSide, PcieTransfer, PcieTransport,
    Source,
};

table_row! {
    /// A transfer between CPU and card, a row of `pcie-transfers.csv`.
    PcieTransferRow in "pcie-transfers.csv", PCIE;
    identity {
        /// Where the numbers come from.
        source: Source;
        /// What computed them.
        back_end: String;
        /// The machine's profile; absent where the link was given by itself.
        profile: Option<String>;
    }
    factor {
        /// Generation of PCI Express.
        pcie_generation: u8, label "Generation of PCI Express";
        /// Its lanes.
        pcie_lanes: u8, label "Lanes of PCI Express";
        /// Most data bytes of a completion.
        read_completion_bytes: u64, label "Data of a completion (B)";
        /// Most data bytes that the card writes in a packet.
        max_payload_bytes: u64, label "Data of a write packet (B)";
        /// Most bytes that the card asks for in a packet.
        max_read_request_bytes: u64, label "Data of a read request (B)";
        /// How the bytes are moved.
        transfer: PcieTransfer, label "Transfer";
        /// Bytes that are moved.
        access_bytes: u64, label "Bytes moved";
    }
    outcome {
        /// Bytes from the CPU to the card, with headers.
        cpu_to_device_bytes: u64;
        /// Packets from the CPU to the card.
        cpu_to_device_packets: u64;
        /// Bytes from the card to the CPU, with headers.
        device_to_cpu_bytes: u64;
        /// Packets from the card to the CPU.
        device_to_cpu_packets: u64;
    }
}

table_row! {
    /// What an operation takes at one side, a row of `pcie-operations.csv`.
    PcieOperationRow in "pcie-operations.csv", PCIE;
    identity {
        /// Where the numbers come from.
        source: Source;
        /// What computed them.
        back_end: String;
        /// The machine's profile; absent where the link was given by itself.
        profile: Option<String>;
    }
    factor {
        /// Generation of PCI Express.
        pcie_generation: u8, label "Generation of PCI Express";
        /// Its lanes.
        pcie_lanes: u8, label "Lanes of PCI Express";
        /// Most data bytes of a completion.
        read_completion_bytes: u64, label "Data of a completion (B)";
        /// Most data bytes that the card writes in a packet.
        max_payload_bytes: u64, label "Data of a write packet (B)";
        /// Most bytes that the card asks for in a packet.
        max_read_request_bytes: u64, label "Data of a read request (B)";
        /// What is asked for.
        operation: PcieOperation, label "Operation";
        /// Over which transport.
        transport: PcieTransport, label "Transport";
        /// Bytes of the payload.
        access_bytes: u64, label "Bytes of the payload";
        /// Where the payload is; absent where there is none.
        payload: Option<PciePayload>, label "Place of the payload";
        /// How work queue elements get to the card.
        post: PciePost, label "Way of posting";
        /// Work queue elements that are posted at once.
        batch: u32, label "Requests per post";
        /// One in so many operations is completed; absent where none is.
        signal_every: Option<u32>, label "Requests per completion";
        /// Bytes of a completion queue entry.
        completion_bytes: u64, label "Bytes of a completion queue entry";
    }
    outcome {
        /// Bytes of the work queue element.
        wqe_bytes: u64;
        /// Cache lines that it takes.
        wqe_lines: u64;
    }
    identity {
        /// Whose the following numbers are.
        side: PcieSide;
    }
    outcome {
        /// Stores to the card that become a packet.
        mmio_writes: f64, rules [NotNegative];
        /// DMA reads.
        dma_reads: f64, rules [NotNegative];
        /// DMA writes.
        dma_writes: f64, rules [NotNegative];
        /// Bytes from the CPU to the card, with headers.
        cpu_to_device_bytes: f64, rules [NotNegative];
        /// Packets from the CPU to the card.
        cpu_to_device_packets: f64, rules [NotNegative];
        /// Bytes from the card to the CPU, with headers.
        device_to_cpu_bytes: f64, rules [NotNegative];
        /// Packets from the card to the CPU.
        device_to_cpu_packets: f64, rules [NotNegative];
        /// Operations per second, rounded down, that stores of work queue elements allow; absent where
        /// there are none.
        write_combining_limit_ops: Option<u64>;
        /// The same of the card's reads of work queue elements.
        wqe_fetch_limit_ops: Option<u64>;
        /// The same of everything from the CPU to the card.
        cpu_to_device_limit_ops: Option<u64>;
        /// The same of everything from the card to the CPU.
        device_to_cpu_limit_ops: Option<u64>;
        /// What has the smallest of these limits, the first of equal ones; absent where nothing moves.
        bottleneck: Option<PcieResource>;
    }
}
