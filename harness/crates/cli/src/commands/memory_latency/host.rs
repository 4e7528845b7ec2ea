//! What of this machine is measured: nodes, a CPU of each, caches, the working set.

use anyhow::{bail, ensure};
use onesided_access::chase::{
    WORKING_SET_STEP_BYTES,
    caches::{self, Cache},
};
use onesided_placement::{CpuId, CpuSet, Node, NodeId, Topology};
use onesided_results::Doubt;

use super::Arguments;

/// Last-level caches that the matrix's working set holds, if it may choose: of lines that come in
/// random order hardly one in 16 is then met in a cache.
const CACHES_FAR_BEYOND: u64 = 16;

/// Fewer than this, and a good part of the lines is still in the cache when it is needed again.
const CACHES_AT_LEAST: u64 = 4;

/// The matrix's working set is at least and at most so many bytes, if it may choose: enough where
/// the caches are not known, and seconds, not minutes, where they are huge. Ours.
const SMALLEST_CHOICE_BYTES: u64 = 256 << 20;
const LARGEST_CHOICE_BYTES: u64 = 8 << 30;

/// Free memory is used up to this part, so that the machine has room to breathe. Ours.
const PART_OF_FREE: u64 = 2;

/// A node whose CPUs load.
#[derive(Clone, Debug)]
pub struct Loader {
    /// The node.
    pub node: NodeId,
    /// The CPU of it that loads.
    pub cpu: CpuId,
    /// The CPUs that share its core, itself included.
    pub core: CpuSet,
    /// The caches of that CPU; empty where the kernel does not tell.
    pub caches: Vec<Cache>,
    /// The memory node that is its own, or the nearest one.
    pub nearest_memory: NodeId,
}

/// What is measured.
#[derive(Clone, Debug)]
pub struct Host {
    /// Nodes whose CPUs load, ascending.
    pub loaders: Vec<Loader>,
    /// Nodes whose memory is loaded from, ascending.
    pub memory_nodes: Vec<NodeId>,
    /// The usable CPUs of each node that has some.
    pub usable_cpus: Vec<(NodeId, CpuSet)>,
    /// Nodes of the machine that have memory.
    pub nodes_with_memory: usize,
    /// Bytes of the matrix's chase.
    pub working_set_bytes: u64,
    /// What makes numbers doubtful.
    pub doubts: Vec<Doubt>,
    /// What is left out, and what is doubtful, for people.
    pub skipped: Vec<String>,
}

impl Host {
    /// What the arguments choose of this machine.
    pub fn chosen(arguments: &Arguments, topology: &Topology) -> anyhow::Result<Self> {
        let mut skipped = Vec::new();
        let cpu_nodes = chosen(topology, &arguments.cpu_node, "CPU", &mut skipped, |node| {
            usable_cpus(topology, node).is_some()
        })?;
        let memory_nodes =
            chosen(topology, &arguments.memory_node, "memory", &mut skipped, |node| {
                has_memory(topology, node)
            })?;
        let loaders: Vec<Loader> =
            cpu_nodes.iter().filter_map(|node| loader(topology, node, &memory_nodes)).collect();
        if loaders.iter().any(|loader| loader.caches.is_empty()) {
            skipped.push(
                "the kernel does not tell the caches (/sys/devices/system/cpu/cpu*/cache): no \
                 plateau can be named"
                    .to_owned(),
            );
        }
        let usable = |node: &Node| Some((node.id, usable_cpus(topology, node)?));
        let mut host = Self {
            loaders,
            memory_nodes: memory_nodes.iter().map(|node| node.id).collect(),
            usable_cpus: topology.nodes.iter().filter_map(usable).collect(),
            nodes_with_memory: topology.nodes.iter().filter(|n| n.memory_bytes > 0).count(),
            working_set_bytes: 0,
            doubts: Vec::new(),
            skipped,
        };
        host.doubt_emulation(&std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default());
        host.working_set_bytes = host.working_set(arguments.working_set, &memory_nodes)?;
        Ok(host)
    }

    /// QEMU without hardware's help names its processors so, unless it is told another name.
    fn doubt_emulation(&mut self, cpuinfo: &str) {
        if cpuinfo.contains("QEMU TCG CPU") {
            self.doubts.push(Doubt::EmulatedProcessor);
            self.skipped.push(
                "this processor is emulated by software: places are real here, times mean nothing"
                    .to_owned(),
            );
        }
    }

    fn working_set(&mut self, asked: Option<u64>, memory: &[&Node]) -> anyhow::Result<u64> {
        let last = self.loaders.iter().filter_map(|loader| loader.caches.last());
        let last_bytes = last.map(|cache| cache.bytes).max();
        let bytes = match asked {
            Some(bytes) => explicit_working_set(bytes, memory)?,
            None => default_working_set(last_bytes, memory)?,
        };
        if let Some(cache_bytes) = last_bytes.filter(|cache| bytes < cache * CACHES_AT_LEAST) {
            self.doubts.push(Doubt::WorkingSetNearCache);
            self.skipped.push(format!(
                "the working set of {} is less than {CACHES_AT_LEAST} times the last-level cache \
                 of {}: part of what it measures is that cache",
                mebibytes(bytes),
                mebibytes(cache_bytes)
            ));
        }
        Ok(bytes)
    }
}

/// The nodes that were asked for, or all that will do; the others are told.
fn chosen<'a>(
    topology: &'a Topology,
    asked: &[NodeId],
    what: &str,
    skipped: &mut Vec<String>,
    will_do: impl Fn(&Node) -> bool,
) -> anyhow::Result<Vec<&'a Node>> {
    for node in asked {
        let ids: Vec<_> = topology.nodes.iter().map(|node| node.id.to_string()).collect();
        match topology.node(*node) {
            None => bail!("there is no node {node}; this machine has: {}", ids.join(", ")),
            Some(found) => ensure!(
                will_do(found),
                "node {node} has no {what} that this process may use: choose another"
            ),
        }
    }
    let wanted = |node: &&Node| asked.is_empty() || asked.contains(&node.id);
    let (fit, unfit): (Vec<_>, Vec<_>) =
        topology.nodes.iter().filter(wanted).partition(|node| will_do(node));
    let no = |node: &Node| format!("SKIPPED node {}: no {what} that this process may use", node.id);
    skipped.extend(unfit.into_iter().map(no));
    ensure!(!fit.is_empty(), "no node has {what} that this process may use");
    Ok(fit)
}

fn usable_cpus(topology: &Topology, node: &Node) -> Option<CpuSet> {
    let cpus = node.cpus.as_ref()?;
    match topology.allowed.as_ref().and_then(|allowed| allowed.cpus.as_ref()) {
        Some(allowed) => cpus.intersection(allowed),
        None => Some(cpus.clone()),
    }
}

fn has_memory(topology: &Topology, node: &Node) -> bool {
    let allowed = topology.allowed.as_ref().and_then(|allowed| allowed.memory_nodes.as_ref());
    node.memory_bytes > 0 && allowed.is_none_or(|allowed| allowed.contains(&node.id))
}

/// The last CPU of the node: the first ones serve interrupts more often.
fn loader(topology: &Topology, node: &Node, memory: &[&Node]) -> Option<Loader> {
    let cpu = usable_cpus(topology, node)?.iter().next_back()?;
    let distance = |to: &&&Node| {
        let stated = node.distances.get(&to.id).copied();
        (to.id != node.id, stated.unwrap_or(u32::MAX), to.id)
    };
    let nearest_memory = memory.iter().min_by_key(distance)?.id;
    let core = topology.siblings_of(cpu).cloned().unwrap_or_else(|| CpuSet::of(cpu));
    Some(Loader { node: node.id, cpu, core, caches: caches::of(cpu), nearest_memory })
}

fn explicit_working_set(bytes: u64, memory: &[&Node]) -> anyhow::Result<u64> {
    ensure!(
        bytes > 0 && bytes.is_multiple_of(WORKING_SET_STEP_BYTES),
        "--working-set {bytes}: expected a multiple of {WORKING_SET_STEP_BYTES} bytes"
    );
    if let Some(node) = memory.iter().find(|node| node.memory_bytes < bytes) {
        bail!(
            "--working-set {}: node {} has {} in all; ask for less, or for other nodes by \
             --memory-node",
            mebibytes(bytes),
            node.id,
            mebibytes(node.memory_bytes)
        );
    }
    Ok(bytes)
}

fn default_working_set(last_bytes: Option<u64>, memory: &[&Node]) -> anyhow::Result<u64> {
    let wish = last_bytes.unwrap_or(0).saturating_mul(CACHES_FAR_BEYOND);
    let wish = wish.clamp(SMALLEST_CHOICE_BYTES, LARGEST_CHOICE_BYTES);
    let free = memory.iter().map(|node| node.free_bytes).min().unwrap_or(0) / PART_OF_FREE;
    // A whole number of huge pages, so that nothing is lost to rounding.
    let bytes = wish.min(free) >> 21 << 21;
    ensure!(bytes > 0, "a node has less than 4 MiB of free memory: free some, or leave it out");
    Ok(bytes)
}

/// For people.
pub fn mebibytes(bytes: u64) -> String {
    match bytes {
        bytes if bytes >= 10 << 30 => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
        bytes if bytes >= 1 << 20 => {
            format!("{:.4} MiB", bytes as f64 / f64::from(1 << 20)).replace(".0000", "")
        }
        bytes => format!("{:.2} KiB", bytes as f64 / 1024.0).replace(".00", ""),
    }
}
