//! Two nodes that read each other's segments without asking.

use std::{sync::atomic::AtomicU64, thread, time::Duration};

use onesided_fabric::{
    LoadError,
    direct::{CopyWords, DirectPair, Order, Plan, Readers},
    reads::Found,
};
use onesided_measure::Clock;
use onesided_placement::{CpuId, NodeId, PagesByNode};
use onesided_results::vocabulary::FabricSides;
use onesided_rmc::{DirectMemory, RESPONDERS_SPIN, RmcDevice, RmcEndpoint};
use onesided_transport::{ConnectionAttributes, RemoteMemory};

use super::super::machine::Machine;

/// Bytes in the fabric's file system of two nodes with such memories: a segment each.
pub fn bytes(buffer_bytes: u64) -> u64 {
    2 * buffer_bytes
}

/// A peer's memory.
struct Peers(DirectMemory);

impl CopyWords for Peers {
    #[inline]
    fn copy(&self, byte: u64, to: &[AtomicU64]) -> Result<(), LoadError> {
        Ok(self.0.words(byte, to)?)
    }
}

/// The nodes.
pub struct DirectSetUp {
    // First, so that nobody uses a device when it goes.
    pair: DirectPair<RmcDevice, Peers>,
    devices: [RmcDevice; 2],
    /// Where the memory of each was asked from.
    pub memory_nodes: [Option<NodeId>; 2],
    /// Bytes of each memory.
    pub buffer_bytes: u64,
    /// The CPU of each node's thread.
    pub cpus: [CpuId; 2],
}

impl DirectSetUp {
    /// Makes and connects them, with memories of so many bytes.
    pub fn on(machine: &Machine, buffer_bytes: u64) -> anyhow::Result<Self> {
        let cpus = [0, 1].map(|thread| machine.cpu(thread));
        let memory_nodes = [0, 1].map(|number| machine.memory_node(number, cpus[number]));
        let node = |number: usize| machine.node(cpus[number], memory_nodes[number]);
        let devices = [node(0)?, node(1)?];
        let open =
            |endpoint: &RmcEndpoint, remote: RemoteMemory| Ok(Peers(endpoint.direct(remote)?));
        let attributes = ConnectionAttributes::reliable(1);
        let bytes = buffer_bytes as usize;
        let pair = DirectPair::connect([&devices[0], &devices[1]], bytes, &attributes, &open)?;
        // Responders, which nobody asks for anything, sleep after that.
        thread::sleep(2 * RESPONDERS_SPIN);
        Ok(Self { pair, devices, memory_nodes, buffer_bytes, cpus })
    }

    /// Measures reads of so many bytes with these nodes reading.
    pub fn measure(
        &mut self,
        clock: &Clock,
        bytes: u32,
        order: Order,
        longest: Duration,
        sides: FabricSides,
    ) -> anyhow::Result<Found> {
        let readers = match sides {
            FabricSides::Single => Readers::First,
            FabricSides::Double => Readers::Both,
        };
        Ok(self.pair.measure(clock, &Plan { bytes, order, longest }, readers, self.cpus)?)
    }

    /// The CPUs that read, and those that write what is read.
    pub fn readers_and_writers(&self, sides: FabricSides) -> (Vec<CpuId>, Vec<CpuId>) {
        let [here, there] = self.cpus;
        match sides {
            FabricSides::Single => (vec![here], vec![there]),
            FabricSides::Double => (vec![here, there], vec![there, here]),
        }
    }

    /// Where the memory of either node is, all of it the fabric's own.
    pub fn memory(&self) -> anyhow::Result<[PagesByNode; 2]> {
        let [one, other] = &self.devices;
        Ok([one.pages_by_node()?, other.pages_by_node()?])
    }
}
