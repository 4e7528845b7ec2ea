//! From a place asked for to a node, CPUs or a memory policy of this machine.

mod load;

use std::collections::BTreeSet;

use crate::device::DeviceLocality;
use crate::place::{CpuSet, MemoryPlace, NodeChoice, NodeId, NodeSet, ThreadPlace};
use crate::topology::Topology;

/// Why a place asked for does not exist on this machine.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResolveError {
    /// No such node.
    #[error("there is no node {node} on this machine; there are: {}", node_list(present))]
    NoSuchNode {
        /// The node asked for.
        node: NodeId,
        /// The nodes there are.
        present: BTreeSet<NodeId>,
    },
    /// `rdma-local` or `rdma-remote`, but the device's node is not known.
    #[error(
        "`{choice}` cannot be resolved because {locality}; name a node by number (`node:0`), or \
         state the device's node with `--device-node`"
    )]
    DeviceNodeUnknown {
        /// What was asked for.
        choice: NodeChoice,
        /// Why the node is not known.
        locality: Box<DeviceLocality>,
    },
    /// The device is said to be on a node that does not exist.
    #[error("{locality}, but there is no such node; there are: {}", node_list(present))]
    DeviceNodeMissing {
        /// The node and where that is said.
        locality: Box<DeviceLocality>,
        /// The nodes there are.
        present: BTreeSet<NodeId>,
    },
    /// `rdma-remote`, but no other node has memory.
    #[error(
        "`rdma-remote` needs a node with memory besides the device's node {device_node}; other \
         nodes, all without memory: {}",
        node_list(others)
    )]
    NoRemoteNode {
        /// The device's node.
        device_node: NodeId,
        /// The other nodes, none of which has memory.
        others: BTreeSet<NodeId>,
    },
    /// Threads were to run on a node that has only memory.
    #[error(
        "node {node} has no online CPU to run threads on; nodes with CPUs: {}",
        node_list(with_cpus)
    )]
    NodeWithoutCpus {
        /// The node asked for.
        node: NodeId,
        /// The nodes that have CPUs.
        with_cpus: BTreeSet<NodeId>,
    },
    /// Memory was to be on a node that has only CPUs.
    #[error("node {node} has no memory; nodes with memory: {}", node_list(with_memory))]
    NodeWithoutMemory {
        /// The node asked for.
        node: NodeId,
        /// The nodes that have memory.
        with_memory: BTreeSet<NodeId>,
    },
    /// This process may not take memory from the node.
    #[error(
        "this process may not use memory of node {node}, only of {} (cpuset or container limit)",
        node_list(allowed)
    )]
    NodeNotAllowed {
        /// The node asked for.
        node: NodeId,
        /// The nodes it may use.
        allowed: BTreeSet<NodeId>,
    },
    /// CPUs that are offline or do not exist.
    #[error("CPU {cpus} cannot be used: online are {online}")]
    CpusNotOnline {
        /// Those of the CPUs asked for that are not online.
        cpus: CpuSet,
        /// The online CPUs.
        online: CpuSet,
    },
    /// CPUs outside the process's mask.
    #[error(
        "CPU {cpus} cannot be used: this process may run on {allowed} only (taskset, cpuset or \
         container limit)"
    )]
    CpusNotAllowed {
        /// The CPUs asked for that it may not use.
        cpus: CpuSet,
        /// The CPUs it may use.
        allowed: CpuSet,
    },
}

/// Node numbers for people, `0-1,3`.
fn node_list(nodes: &BTreeSet<NodeId>) -> String {
    NodeSet::new(nodes.iter().copied()).map_or("none".to_owned(), |nodes| nodes.to_string())
}

/// A place that means something on a machine.
pub trait Resolve {
    /// What it means there.
    type Resolved;

    /// What is meant on the machine of `topology`, whose device is at `locality`.
    ///
    /// # Errors
    /// There is no such place, or this process may not use it.
    fn resolve(
        &self,
        topology: &Topology,
        locality: &DeviceLocality,
    ) -> Result<Self::Resolved, ResolveError>;
}

impl Resolve for NodeChoice {
    type Resolved = NodeId;

    /// The node that is meant.
    ///
    /// # Errors
    /// The node does not exist, the device's is not known, or there is no remote one.
    fn resolve(
        &self,
        topology: &Topology,
        locality: &DeviceLocality,
    ) -> Result<NodeId, ResolveError> {
        let present = topology.node_ids();
        if let Self::Node(node) = *self {
            return match present.contains(&node) {
                true => Ok(node),
                false => Err(ResolveError::NoSuchNode { node, present }),
            };
        }
        let Some(local) = locality.node else {
            let locality = Box::new(locality.clone());
            return Err(ResolveError::DeviceNodeUnknown { choice: *self, locality });
        };
        if !present.contains(&local) {
            let locality = Box::new(locality.clone());
            return Err(ResolveError::DeviceNodeMissing { locality, present });
        }
        match self {
            Self::RdmaRemote => topology.nearest_other(local).ok_or_else(|| {
                let others = present.into_iter().filter(|node| *node != local).collect();
                ResolveError::NoRemoteNode { device_node: local, others }
            }),
            _ => Ok(local),
        }
    }
}

impl Resolve for MemoryPlace {
    type Resolved = Option<NodeId>;

    /// The node to bind memory to; `None` to leave it to the kernel.
    ///
    /// # Errors
    /// As for a [`NodeChoice`]; the node has no memory or this process may not use it.
    fn resolve(
        &self,
        topology: &Topology,
        locality: &DeviceLocality,
    ) -> Result<Option<NodeId>, ResolveError> {
        let Self::On(choice) = self else { return Ok(None) };
        let node = choice.resolve(topology, locality)?;
        let nodes = topology.nodes.iter();
        let with_memory: BTreeSet<NodeId> =
            nodes.filter(|node| node.memory_bytes > 0).map(|node| node.id).collect();
        if !with_memory.contains(&node) {
            return Err(ResolveError::NodeWithoutMemory { node, with_memory });
        }
        let allowed = topology.allowed.as_ref().and_then(|allowed| allowed.memory_nodes.as_ref());
        match allowed {
            Some(allowed) if !allowed.contains(&node) => {
                Err(ResolveError::NodeNotAllowed { node, allowed: allowed.clone() })
            }
            _ => Ok(Some(node)),
        }
    }
}

impl Resolve for ThreadPlace {
    type Resolved = Option<CpuSet>;

    /// The CPUs to run on; `None` to leave it to the scheduler.
    ///
    /// For a node these are the CPUs of the node that this process may use; CPUs named one by one
    /// must all be usable.
    ///
    /// # Errors
    /// As for a [`NodeChoice`]; the node has no CPUs; CPUs are offline or not allowed.
    fn resolve(
        &self,
        topology: &Topology,
        locality: &DeviceLocality,
    ) -> Result<Option<CpuSet>, ResolveError> {
        let allowed = topology.allowed.as_ref().and_then(|allowed| allowed.cpus.as_ref());
        match self {
            Self::Anywhere => Ok(None),
            Self::On(choice) | Self::Shared(choice) => {
                let cpus = cpus_of(topology, choice.resolve(topology, locality)?)?;
                match allowed {
                    None => Ok(Some(cpus)),
                    Some(allowed) => match cpus.intersection(allowed) {
                        Some(usable) => Ok(Some(usable)),
                        None => {
                            Err(ResolveError::CpusNotAllowed { cpus, allowed: allowed.clone() })
                        }
                    },
                }
            }
            Self::Cpus(cpus) => usable(topology, allowed, cpus).map(Some),
        }
    }
}

fn cpus_of(topology: &Topology, node: NodeId) -> Result<CpuSet, ResolveError> {
    let cpus = topology.node(node).and_then(|node| node.cpus.clone());
    cpus.ok_or_else(|| {
        let nodes = topology.nodes.iter();
        let with_cpus = nodes.filter(|node| node.cpus.is_some()).map(|node| node.id).collect();
        ResolveError::NodeWithoutCpus { node, with_cpus }
    })
}

fn usable(
    topology: &Topology,
    allowed: Option<&CpuSet>,
    cpus: &CpuSet,
) -> Result<CpuSet, ResolveError> {
    let beyond = |usable: &CpuSet| cpus.difference(usable);
    if let Some(online) = &topology.online_cpus
        && let Some(cpus) = beyond(online)
    {
        return Err(ResolveError::CpusNotOnline { cpus, online: online.clone() });
    }
    match allowed.and_then(|allowed| Some((beyond(allowed)?, allowed))) {
        Some((cpus, allowed)) => {
            Err(ResolveError::CpusNotAllowed { cpus, allowed: allowed.clone() })
        }
        None => Ok(cpus.clone()),
    }
}
