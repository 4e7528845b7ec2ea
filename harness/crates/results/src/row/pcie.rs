//! The tables of arithmetic on PCI Express: bytes of a transfer, limits of an operation and the
//! transactions that it consists of, which transport carries which verb, and what hosts have.
//!
//! Nothing in them is measured: `source` is `simulated`, `back_end` is `pcie`; only of hosts `source`
//! says where their profile is from. Numbers of an operation are means over a batch and what is
//! signaled, exact but for the digits of a cell.

use super::roles::table_row;
use crate::vocabulary::{
    LinkLayer, PcieEnd, PcieOperation, PciePayload, PciePost, PciePurpose, PcieResource, PcieSide,
    PcieTransaction, PcieTransfer, PcieTransport, Source,
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
        /// Network below the card, on which depends what comes with a datagram; absent where it is not
        /// stated.
        link_layer: Option<LinkLayer>, since 4, label "Network below the card";
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

table_row! {
    /// Packets of one kind that an operation causes at one side, a row of `pcie-transactions.csv`.
    PcieTransactionRow in "pcie-transactions.csv", PCIE;
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
        /// Network below the card, on which depends what comes with a datagram; absent where it is not
        /// stated.
        link_layer: Option<LinkLayer>, label "Network below the card";
    }
    identity {
        /// Its place among the operation's transactions at both sides, from 1, in the order of happening.
        step: u32;
    }
    outcome {
        /// Where it happens.
        side: PcieSide;
        /// What it is for.
        purpose: PciePurpose;
        /// What it is.
        transaction: PcieTransaction;
        /// Who began the transfer: the CPU one by MMIO, the card one by DMA.
        started_by: PcieEnd;
        /// Who sends these packets.
        sent_by: PcieEnd;
        /// They are sent once in so many operations.
        once_in_operations: u32;
        /// How many they are, one like the other.
        packets: u64;
        /// Data of each in bytes; 0 of a request to read.
        data_bytes: u64;
        /// What is around the data of each, in bytes.
        header_bytes: u64;
    }
}

table_row! {
    /// A verb over a transport, a row of `pcie-verbs.csv`.
    PcieVerbRow in "pcie-verbs.csv", PCIE;
    identity {
        /// Where the numbers come from.
        source: Source;
        /// What computed them.
        back_end: String;
    }
    factor {
        /// What is asked for.
        operation: PcieOperation, label "Operation";
        /// Over which transport.
        transport: PcieTransport, label "Transport";
        /// Network below the card.
        link_layer: LinkLayer, label "Network below the card";
    }
    outcome {
        /// Whether the transport carries it.
        carried: bool;
        /// Bytes of its work queue element before an inlined payload, which are as many where nothing is
        /// inlined; of a RECV all of it. Absent where it is not carried.
        wqe_header_bytes: Option<u64>;
        /// The longest payload that can be inlined; absent where nothing can.
        inline_limit_bytes: Option<u64>;
        /// Bytes of the network's header that the card writes before the payload of what a RECV takes;
        /// absent of other verbs.
        received_header_bytes: Option<u64>;
    }
}

table_row! {
    /// A card in a host, and what is on the way from processor to network, a row of `pcie-hosts.csv`.
    PcieHostRow in "pcie-hosts.csv", PCIE;
    identity {
        /// Where the facts come from.
        source: Source;
        /// The machine's profile.
        profile: String;
        /// Its title.
        title: String;
        /// Where the profile's facts are from.
        facts_from: String;
        /// Which kind of host of the profile, from 1.
        host: u32;
        /// Which network card of the host, from 1.
        card: u32;
    }
    outcome {
        /// Model of the processors; absent if not stated, as everything below.
        processor_model: Option<String>;
        /// Processors.
        sockets: Option<u32>;
        /// Logical CPUs of the host.
        logical_cpus: Option<u32>;
        /// Generation of PCI Express.
        pcie_generation: Option<u8>;
        /// Its lanes.
        pcie_lanes: Option<u8>;
        /// What generation and lanes make, each way, headers of packets included, in bytes per second:
        /// computed.
        pcie_bytes_per_second: Option<u64>;
        /// Model of the card.
        card_model: Option<String>;
        /// Its ports.
        ports: Option<u32>;
        /// Network below the port.
        link_layer: Option<LinkLayer>;
        /// Rate of a port's link by its name, in bits per second.
        link_bits_per_second: Option<u64>;
    }
}
