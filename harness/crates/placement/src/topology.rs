//! The machine's NUMA nodes: CPUs, memory, distances; and what this process may use of them.

mod allowed;
mod libnuma;
mod sysfs;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Serialize;

pub use allowed::Allowed;
pub use libnuma::{LibnumaError, LibnumaNode, LibnumaView};
pub(crate) use sysfs::free_huge_pages;

use crate::kernel_file::KernelFileError;
use crate::place::{CpuId, CpuSet, NodeId};

/// Who told the CPUs and distances of a [`Topology`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TopologySource {
    /// libnuma, opened at run time; sizes and huge pages come from sysfs all the same.
    Libnuma,
    /// `/sys/devices/system/node` alone.
    Sysfs,
    /// A kernel without NUMA: one node is assumed, distances are unknown.
    KernelWithoutNuma,
}

/// One NUMA node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Node {
    /// Its number.
    pub id: NodeId,
    /// Its online CPUs; `None` for a node that has only memory.
    pub cpus: Option<CpuSet>,
    /// The memory it has, in bytes; 0 is a real value: a node may have only CPUs.
    pub memory_bytes: u64,
    /// The memory not used for anything at the moment of looking, in bytes.
    pub free_bytes: u64,
    /// Free huge pages by page size in bytes; a size is absent where the kernel has no such pool.
    pub free_huge_pages: BTreeMap<u64, u64>,
    /// Distance to every node as the firmware states it (10 is the node itself; ACPI SLIT).
    pub distances: BTreeMap<NodeId, u32>,
}

/// The NUMA nodes of a machine, ascending, with what raises doubts later: SMT siblings, online
/// and allowed CPUs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Topology {
    /// The online nodes, ascending.
    pub nodes: Vec<Node>,
    /// Who told the CPUs and distances.
    pub source: TopologySource,
    /// The online CPUs; `None` when the kernel does not say.
    pub online_cpus: Option<CpuSet>,
    /// The cores, each as the set of its SMT siblings; empty when the kernel does not say.
    pub cores: Vec<CpuSet>,
    /// What this process may use; `None` when the tree is not this machine's.
    pub allowed: Option<Allowed>,
}

/// Why the topology could not be found out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TopologyError {
    /// A kernel file is missing or says something not understood.
    #[error("cannot find out the NUMA nodes")]
    KernelFile {
        /// Which file and why.
        #[from]
        source: KernelFileError,
    },
}

impl Topology {
    /// The topology of this machine.
    ///
    /// Sizes, huge pages and SMT siblings come from sysfs, node CPUs and distances from libnuma
    /// if it can be opened and knows the same nodes as sysfs, otherwise from sysfs. libnuma is
    /// never asked to bind or allocate: for a node that does not exist it returns memory of
    /// another and says so only on standard error.
    ///
    /// To be called before any thread is pinned: the main thread's mask is what is recorded as
    /// allowed.
    ///
    /// # Errors
    /// A kernel file that is unreadable or malformed.
    pub fn discover() -> Result<Self, TopologyError> {
        let allowed = Allowed::of_this_process();
        let mut topology = match sysfs::has_nodes(Path::new("/sys")) {
            true => Self::from_sysfs(Path::new("/sys"))?,
            false => sysfs::single_node(Path::new("/sys"), Path::new("/proc"), &allowed)?,
        };
        if topology.source == TopologySource::Sysfs
            && let Ok(view) = LibnumaView::open()
        {
            topology.take_over(view);
        }
        topology.allowed = Some(allowed);
        Ok(topology)
    }

    /// The topology that a sysfs tree tells; `root` is what is mounted at `/sys`.
    ///
    /// # Errors
    /// A kernel file that is missing, unreadable or malformed.
    pub fn from_sysfs(root: &Path) -> Result<Self, TopologyError> {
        sysfs::read(root)
    }

    fn take_over(&mut self, mut view: LibnumaView) {
        if !view.nodes.keys().copied().eq(self.nodes.iter().map(|node| node.id)) {
            return;
        }
        for node in &mut self.nodes {
            if let Some(seen) = view.nodes.remove(&node.id) {
                node.cpus = seen.cpus;
                node.distances = seen.distances;
            }
        }
        self.source = TopologySource::Libnuma;
    }

    /// The node of this number.
    pub fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.iter().find(|node| node.id == id)
    }

    /// The numbers of all nodes.
    pub fn node_ids(&self) -> BTreeSet<NodeId> {
        self.nodes.iter().map(|node| node.id).collect()
    }

    /// The node a CPU belongs to; `None` for a CPU that is offline or does not exist.
    pub fn node_of_cpu(&self, cpu: CpuId) -> Option<NodeId> {
        let has = |node: &&Node| node.cpus.as_ref().is_some_and(|cpus| cpus.contains(cpu));
        self.nodes.iter().find(has).map(|node| node.id)
    }

    /// The CPUs that share a core with this one, itself included; `None` when not known.
    pub fn siblings_of(&self, cpu: CpuId) -> Option<&CpuSet> {
        self.cores.iter().find(|core| core.contains(cpu))
    }

    /// The node other than `from` that has memory and is nearest to `from`; equal distances go to
    /// the lowest number, unknown distances come last. `None` when no other node has memory.
    pub fn nearest_other(&self, from: NodeId) -> Option<NodeId> {
        let distances = self.node(from).map(|node| &node.distances);
        let distance = |to: NodeId| distances.and_then(|known| known.get(&to).copied());
        self.nodes
            .iter()
            .filter(|node| node.id != from && node.memory_bytes > 0)
            .map(|node| node.id)
            .min_by_key(|id| (distance(*id).unwrap_or(u32::MAX), *id))
    }
}
