//! Words about transfers on PCI Express.

use super::*;

words! {
    /// How bytes get from one end of PCI Express to the other.
    PcieTransfer as "transfer" {
        /// The CPU stores to the card, in combined cache lines.
        Mmio = "mmio",
        /// The card reads host memory.
        DmaRead = "dma-read",
        /// The card writes host memory.
        DmaWrite = "dma-write",
    }

    /// What is asked for, as far as it costs transfers.
    PcieOperation as "operation" {
        /// RDMA WRITE.
        Write = "write",
        /// RDMA READ.
        Read = "read",
        /// SEND, whose responder has a RECV.
        Send = "send",
        /// RECV by itself.
        Recv = "recv",
        /// Atomic compare-and-swap of 8 bytes.
        CompareAndSwap = "compare-and-swap",
        /// Atomic fetch-and-add on 8 bytes.
        FetchAndAdd = "fetch-and-add",
    }

    /// How queue pairs are connected.
    PcieTransport as "transport" {
        /// Reliable, connected.
        Rc = "rc",
        /// Unreliable, connected.
        Uc = "uc",
        /// Unreliable datagrams.
        Ud = "ud",
    }

    /// At which end of an operation a cost is.
    PcieSide as "side" {
        /// The host that asked.
        Requester = "requester",
        /// The host whose memory or RECV it is.
        Responder = "responder",
    }

    /// How work queue elements get to the card.
    PciePost as "way of posting" {
        /// The CPU stores them to the card ("BlueFlame").
        Mmio = "mmio",
        /// The card reads them, told by a Doorbell.
        Doorbell = "doorbell",
    }

    /// Where a payload is.
    PciePayload as "place of a payload" {
        /// In the work queue element, or in the completion of a RECV.
        Inline = "inline",
        /// Elsewhere in host memory.
        Pointer = "pointer",
    }

    /// What operations share, of which the scarcest is the bottleneck.
    PcieResource as "resource" {
        /// Stores of work queue elements to the card.
        WriteCombining = "write-combining",
        /// The card's reads of work queue elements.
        WqeFetch = "wqe-fetch",
        /// Everything from the CPU to the card.
        CpuToDevice = "cpu-to-device",
        /// Everything from the card to the CPU.
        DeviceToCpu = "device-to-cpu",
    }

    /// What a packet of PCI Express is, as its base specification abbreviates it.
    PcieTransaction as "transaction" {
        /// A write of memory, with its data.
        MemoryWrite = "mwr",
        /// A request to read memory, without data.
        MemoryRead = "mrd",
        /// Data that answer a request to read.
        Completion = "cpld",
    }

    /// An end of the link.
    PcieEnd as "end" {
        /// CPU and memory.
        Cpu = "cpu",
        /// The card.
        Device = "device",
    }

    /// What a transfer is for.
    PciePurpose as "purpose" {
        /// The CPU stores a work queue element to the card.
        WqeStore = "wqe-store",
        /// The CPU tells the card of new work queue elements.
        Doorbell = "doorbell",
        /// The card reads work queue elements.
        WqeFetch = "wqe-fetch",
        /// The card reads the payload.
        PayloadFetch = "payload-fetch",
        /// The card writes the payload.
        PayloadWrite = "payload-write",
        /// The card writes a datagram's network header, and its payload behind it.
        DatagramWrite = "datagram-write",
        /// The card tells of the end, for a RECV with the payload if it is inlined.
        Completion = "completion",
    }
}

impl PcieOperation {
    /// Whether it reads, changes and writes 8 bytes.
    pub const fn is_atomic(self) -> bool {
        matches!(self, Self::CompareAndSwap | Self::FetchAndAdd)
    }

    /// Whether a message goes with it, which may be empty.
    pub const fn is_message(self) -> bool {
        matches!(self, Self::Send | Self::Recv)
    }
}
