//! Two nodes that read each other's memory, and who asks and answers.

use onesided_fabric::{
    Buffers,
    reads::{Found, Pair, Plan, Requesters, most_under_way},
};
use onesided_measure::Clock;
use onesided_placement::{CpuId, NodeId, PagesByNode, residency::sum_by_node};
use onesided_results::vocabulary::FabricSides;
use onesided_rmc::RmcDevice;
use onesided_transport::ConnectionAttributes;

use super::super::machine::{Machine, share_a_cpu};

/// Who does what of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// One thread asks and answers, in turns.
    One,
    /// One asks and one answers.
    Two,
}

impl Threads {
    /// Of a node.
    pub fn number(self) -> u32 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

/// The nodes.
pub struct SetUp {
    // First, so that nobody uses a device when it goes.
    pair: Pair<RmcDevice>,
    devices: [RmcDevice; 2],
    /// Where the memory of each was asked from.
    pub memory_nodes: [Option<NodeId>; 2],
    /// Who does what.
    pub threads: Threads,
    /// Bytes of each memory that operations go round in.
    pub buffer_bytes: u64,
    /// The CPU that each node asks on.
    requesters: [CpuId; 2],
    /// The CPU that answers the first node, and that which answers the second.
    responders: [CpuId; 2],
}

impl SetUp {
    /// Makes and connects them, with memories of so many bytes.
    pub fn on(machine: &Machine, threads: Threads, buffer_bytes: u64) -> anyhow::Result<Self> {
        let (requesters, responders) = match threads {
            Threads::One => ([0, 1], [1, 0]),
            Threads::Two => ([0, 3], [1, 2]),
        };
        let [requesters, responders] =
            [requesters, responders].map(|all| all.map(|thread| machine.cpu(thread)));
        // The second node answers the first.
        let memory_nodes =
            [machine.memory_node(0, responders[1]), machine.memory_node(1, responders[0])];
        let node = |number: usize| match threads {
            Threads::One => machine.polled_node(memory_nodes[number]),
            Threads::Two => machine.node(responders[1 - number], memory_nodes[number]),
        };
        let devices = [node(0)?, node(1)?];
        let buffers = memory_nodes.map(|node| Buffers { bytes: buffer_bytes as usize, node });
        let attributes = ConnectionAttributes::reliable(most_under_way() as u8);
        let pair = Pair::connect([&devices[0], &devices[1]], buffers, &attributes)?;
        Ok(Self { pair, devices, memory_nodes, threads, buffer_bytes, requesters, responders })
    }

    /// Measures with these nodes asking.
    pub fn measure(
        &mut self,
        clock: &Clock,
        plan: &Plan,
        sides: FabricSides,
    ) -> anyhow::Result<Found> {
        let requesters = match (sides, self.threads) {
            (FabricSides::Double, _) => Requesters::Both(self.requesters),
            (FabricSides::Single, Threads::One) => Requesters::OneOfTwo(self.requesters),
            (FabricSides::Single, Threads::Two) => Requesters::One(self.requesters[0]),
        };
        Ok(self.pair.measure(clock, plan, requesters)?)
    }

    /// The nodes' devices.
    pub fn devices(&self) -> &[RmcDevice] {
        &self.devices
    }

    /// The CPU of the first node's requester, and of who answers it.
    pub fn first_cpus(&self) -> [CpuId; 2] {
        [self.requesters[0], self.responders[0]]
    }

    /// The CPUs that ask, and those that answer.
    pub fn cpus(&self, sides: FabricSides) -> (Vec<CpuId>, Vec<CpuId>) {
        let asking = if sides == FabricSides::Single { 1 } else { 2 };
        (self.requesters[..asking].to_vec(), self.responders[..asking].to_vec())
    }

    /// Whether threads share a CPU.
    pub fn is_crowded(&self, sides: FabricSides) -> bool {
        let (requesters, responders) = self.cpus(sides);
        match self.threads {
            Threads::One => share_a_cpu(&self.requesters, &[]),
            Threads::Two => share_a_cpu(&requesters, &responders),
        }
    }

    /// Where the memory of either node is: what its process has registered, and the fabric's own.
    pub fn memory(&self) -> anyhow::Result<[PagesByNode; 2]> {
        let [here, there] = self.pair.pages_by_node()?;
        let [one, other] = &self.devices;
        Ok([sum_by_node(here, one.pages_by_node()?), sum_by_node(there, other.pages_by_node()?)])
    }
}
