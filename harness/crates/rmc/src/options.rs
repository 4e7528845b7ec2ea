//! Which node of which fabric to open, and how it behaves.

use std::{collections::BTreeMap, num::NonZeroU32, path::PathBuf, time::Duration};

use onesided_placement::{CpuSet, NodeId};

use crate::{fabric::default_fabric, serving::Serving};

/// Which node to open.
#[derive(Clone, Debug)]
pub struct RmcOptions {
    /// The fabric's folder.
    pub fabric: PathBuf,
    /// The context: who may enter its folder may access what its members register.
    pub context: u32,
    /// The node; without one the first that is free.
    pub node: Option<u16>,
    /// Emulated delay of a hop. A request takes one hop, and its reply another.
    pub hop_delay: Duration,
    /// Distances of NUMA nodes from `memory_node` as firmware tells them, 10 being that of a node to
    /// itself (ACPI, SLIT): a hop to a node whose memory was asked from there takes as many tenths of
    /// the delay, and one to any other takes the delay.
    pub hop_distances: BTreeMap<NodeId, u32>,
    /// CPUs that the node's responder runs on; those of the thread that opens it otherwise.
    pub responder_cpus: Option<CpuSet>,
    /// Who executes what others ask of the node.
    pub serving: Serving,
    /// The NUMA node that the node's memory comes from, whoever touches it first: its tables, the
    /// rings of its channels, its segments. Wherever the kernel takes it otherwise.
    pub memory_node: Option<NodeId>,
    /// Of the messages that a queue pair of the node sends over an unreliable service, each of this number is lost,
    /// and its sender told that it was sent. None of a reliable service.
    pub drop_every: Option<NonZeroU32>,
}

impl Default for RmcOptions {
    fn default() -> Self {
        Self {
            fabric: default_fabric(),
            context: 0,
            node: None,
            hop_delay: Duration::ZERO,
            hop_distances: BTreeMap::new(),
            responder_cpus: None,
            serving: Serving::Thread,
            memory_node: None,
            drop_every: None,
        }
    }
}
