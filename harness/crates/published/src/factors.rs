//! What a path of the release says about its run, and what follows from it.

use onesided_results::vocabulary::{
    CacheState, Campaign, CodeGeneration, Ddio, LoadKind, LoadNode, Locality, LoopShape, Operation,
    SlotLayout, WorkerOperation,
};

/// Operations that each client issues, in every run (SRDS 2020, section V).
pub const OPERATIONS_PER_CLIENT: u32 = 1_000_000;

/// Machines that runs were made on; which folder is of which, `data/README.md` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Testbed {
    /// Two 12-core E5-2670 v3, ConnectX-3 on node 0.
    ConnectX3,
    /// Two 10-core E5-2650 v3, ConnectX-4 on node 1.
    ConnectX4,
    /// Two 8-core E5-2650 v2, ConnectX-3 on node 1.
    Apt,
}

impl Testbed {
    /// Its name in the tables.
    pub fn profile(self) -> &'static str {
        match self {
            Self::ConnectX3 => "nurdma-cx3",
            Self::ConnectX4 => "nurdma-cx4",
            Self::Apt => "nurdma-apt",
        }
    }

    /// Its network card.
    pub fn nic(self) -> &'static str {
        match self {
            Self::ConnectX3 | Self::Apt => "ConnectX-3",
            Self::ConnectX4 => "ConnectX-4",
        }
    }

    /// The node of its network card.
    pub fn nic_node(self) -> u32 {
        match self {
            Self::ConnectX3 => 0,
            Self::ConnectX4 | Self::Apt => 1,
        }
    }

    /// Logical CPUs of one node, which the client's threads are bound to.
    pub fn node_cpus(self) -> u32 {
        match self {
            Self::ConnectX3 => 24,
            Self::ConnectX4 => 20,
            Self::Apt => 16,
        }
    }

    /// Whether `node` is the card's.
    pub fn locality(self, node: u32) -> Locality {
        if node == self.nic_node() { Locality::RdmaLocal } else { Locality::RdmaRemote }
    }
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Lines of client, epoch and rate.
    Rates,
    /// A line of mean latency and deviation for each client.
    Latencies,
    /// Throughputs of RDMA-Memcached by number of clients and placement.
    KeyValue,
}

/// Load beside clients and workers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Where its threads run; absent if there is none.
    pub node: Option<LoadNode>,
    /// Its memory; absent if there is none, or the path does not say.
    pub bytes: Option<u64>,
}

impl Load {
    /// Its kind, as tables say it.
    pub fn kind(self) -> LoadKind {
        if self.node.is_some() { LoadKind::Independent } else { LoadKind::None }
    }

    /// Its place, as tables say it.
    pub fn place(self) -> LoadNode {
        self.node.unwrap_or(LoadNode::None)
    }
}

/// Everything that a path says, corrected where the release is known to be wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Factors {
    /// The folder's topic, the table's `experiment`.
    pub experiment: &'static str,
    /// The machines.
    pub testbed: Testbed,
    /// What the file holds.
    pub content: Content,
    /// Which of the study's programs.
    pub generation: Option<CodeGeneration>,
    /// Which group of runs.
    pub campaign: Option<Campaign>,
    /// What clients asked for.
    pub operation: Operation,
    /// The folder's word for that; absent if there is none.
    pub operation_label: Option<&'static str>,
    /// What workers did.
    pub worker_operation: WorkerOperation,
    /// The folder's word for that; absent if there is none.
    pub worker_label: Option<&'static str>,
    /// Workers.
    pub workers: u32,
    /// Share of writes of mixed workers.
    pub worker_write_fraction: f64,
    /// Where memory and workers are.
    pub locality: Locality,
    /// Where the client is; absent if that is unknown.
    pub client_locality: Option<Locality>,
    /// Queue pairs.
    pub queue_pairs: u32,
    /// Bytes of an access.
    pub access_bytes: u32,
    /// The path's word for that; absent if there is none.
    pub access_label: Option<u32>,
    /// Path MTU.
    pub mtu_bytes: Option<u32>,
    /// Load beside.
    pub load: Load,
    /// What was done to the caches.
    pub cache_state: CacheState,
    /// Whether the card could write into the cache.
    pub ddio: Ddio,
}

impl Factors {
    /// What workers did; nothing if there are none.
    pub fn worker_operation(&self) -> WorkerOperation {
        if self.workers == 0 { WorkerOperation::None } else { self.worker_operation }
    }

    /// Share of writes, of mixed workers.
    pub fn write_fraction(&self) -> Option<f64> {
        (self.worker_operation() == WorkerOperation::Mixed).then_some(self.worker_write_fraction)
    }

    /// Where workers are, which is where the memory is.
    pub fn worker_locality(&self) -> Option<Locality> {
        (self.workers > 0).then_some(self.locality)
    }

    /// When the next request was posted. Memcached's clients wait for each answer.
    pub fn loop_shape(&self) -> LoopShape {
        match self.content {
            Content::Rates => LoopShape::Saturating,
            Content::Latencies | Content::KeyValue => LoopShape::Closed,
        }
    }

    /// Client threads: one posts and one polls for each queue pair, in a closed loop one does both.
    pub fn threads(&self) -> Option<u32> {
        match self.content {
            Content::Rates => Some(2 * self.queue_pairs),
            Content::Latencies => Some(self.queue_pairs),
            Content::KeyValue => None,
        }
    }

    /// How objects lay in memory: one after another, in the second program from an aligned address.
    pub fn slot_layout(&self) -> Option<SlotLayout> {
        self.generation.map(|generation| match generation {
            CodeGeneration::V1 => SlotLayout::Unaligned,
            CodeGeneration::V2 => SlotLayout::Packed,
        })
    }
}
