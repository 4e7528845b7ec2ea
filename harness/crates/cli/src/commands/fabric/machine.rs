//! The CPUs and nodes of an experiment.

use std::{collections::BTreeMap, path::PathBuf, time::Duration};

use anyhow::{Context, ensure};
use clap::Args;
use onesided_placement::{CpuId, CpuSet, NodeId, Settings, Topology, cpus_of_current_thread};
use onesided_results::record::HostManifest;
use onesided_rmc::{RmcDevice, RmcOptions, Serving};
use onesided_runner::host_manifest;

use crate::{
    arguments::{duration, node_of, profile_name},
    back_end,
    measuring::MeasuringArguments,
};

/// Where to measure, and what fabric.
#[derive(Args)]
pub struct MachineArguments {
    /// Name of the hardware profile that rows are filed under
    #[arg(long, default_value = "unnamed", value_parser = profile_name)]
    pub profile: String,
    /// CPUs for the threads, in the order in which they are taken, as 0,2,4-7 [default: all that
    /// this process may use, one of each core first]
    #[arg(long, value_name = "CPUS", value_parser = cpu_list)]
    cpus: Option<CpuOrder>,
    /// NUMA nodes that the memory of the emulated nodes comes from, in their order and from the
    /// first again where there are more of them, as 0,1; `any` leaves it to the kernel [default: of
    /// each emulated node that of the CPU which answers for it]
    #[arg(long, value_name = "NODES", value_parser = memory_nodes)]
    memory_nodes: Option<MemoryNodes>,
    /// Delay of each hop that the emulated fabric adds; a request takes one and its reply another
    /// [default: none; the paper has 50ns]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    hop_delay: Option<Duration>,
    /// A hop between emulated nodes with memory of different NUMA nodes takes as many tenths of
    /// --hop-delay as firmware says that these are apart (`numactl -H`); 10 are one
    #[arg(long, requires = "hop_delay")]
    hop_by_distance: bool,
    /// Folder of the emulated fabric [default: one of this user below /dev/shm]
    #[arg(long, env = "ONESIDED_FABRIC", value_name = "DIRECTORY")]
    fabric: Option<PathBuf>,
    #[command(flatten)]
    pub measuring: MeasuringArguments,
}

/// CPUs in the order that was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CpuOrder(Vec<CpuId>);

fn cpu_list(text: &str) -> Result<CpuOrder, String> {
    let mut cpus = Vec::new();
    for part in text.split(',') {
        let set: CpuSet = part.trim().parse().map_err(|error| {
            format!("'{part}' is no CPU nor a range of them, such as 3 or 0-3: {error}")
        })?;
        cpus.extend(set.iter());
    }
    Ok(CpuOrder(cpus))
}

/// Where the memory of emulated nodes comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
enum MemoryNodes {
    /// Wherever the kernel takes it.
    Any,
    /// In the order that was typed.
    Of(Vec<NodeId>),
}

fn memory_nodes(text: &str) -> Result<MemoryNodes, String> {
    if text == "any" {
        return Ok(MemoryNodes::Any);
    }
    let node = |part: &str| {
        part.trim().parse().map_err(|_| {
            format!("'{part}' is no number of a NUMA node, such as 0; or `any` for all of them")
        })
    };
    text.split(',').map(node).collect::<Result<_, _>>().map(MemoryNodes::Of)
}

/// How many pages were found on each NUMA node.
pub type PagesByNode = BTreeMap<NodeId, u64>;

/// The machine as an experiment uses it.
pub struct Machine {
    /// CPUs in the order in which threads take them.
    pub cpus: Vec<CpuId>,
    /// Whether a hop takes longer between NUMA nodes that are further apart.
    pub hop_by_distance: bool,
    memory_nodes: Option<MemoryNodes>,
    topology: Topology,
    options: RmcOptions,
}

impl Machine {
    /// Looks at the machine, and refuses CPUs that this process may not use.
    pub fn of(arguments: &MachineArguments) -> anyhow::Result<Self> {
        let topology = Topology::discover()?;
        let allowed = cpus_of_current_thread()?;
        let cpus = match &arguments.cpus {
            Some(CpuOrder(cpus)) => cpus.clone(),
            None => one_of_each_core_first(&topology, &allowed),
        };
        if let Some(stranger) = cpus.iter().find(|cpu| !allowed.contains(**cpu)) {
            anyhow::bail!("--cpus: this process may not use CPU {stranger}, it may use {allowed}");
        }
        let twice = cpus.iter().enumerate().find(|(place, cpu)| cpus[..*place].contains(cpu));
        ensure!(twice.is_none(), "--cpus: CPU {} is named twice", twice.expect("found").1);
        if let Some(MemoryNodes::Of(nodes)) = &arguments.memory_nodes {
            for node in nodes {
                node_of(&topology, "--memory-nodes", *node)?;
            }
        }
        let defaults = RmcOptions::default();
        let options = RmcOptions {
            fabric: arguments.fabric.clone().unwrap_or(defaults.fabric),
            hop_delay: arguments.hop_delay.unwrap_or(defaults.hop_delay),
            ..RmcOptions::default()
        };
        let memory_nodes = arguments.memory_nodes.clone();
        let hop_by_distance = arguments.hop_by_distance;
        if hop_by_distance && topology.nodes.len() == 1 {
            say!(
                "--hop-by-distance: this machine has one NUMA node, so each hop takes --hop-delay"
            );
        }
        Ok(Self { cpus, hop_by_distance, memory_nodes, topology, options })
    }

    /// The CPU of a thread by its number; from the first again where there are more threads.
    pub fn cpu(&self, thread: usize) -> CpuId {
        self.cpus[thread % self.cpus.len()]
    }

    /// The NUMA node that the memory of an emulated node comes from, by its number and the CPU which
    /// answers for it; none where the kernel chooses, or there is only one.
    pub fn memory_node(&self, number: usize, cpu: CpuId) -> Option<NodeId> {
        match &self.memory_nodes {
            Some(MemoryNodes::Any) => None,
            Some(MemoryNodes::Of(nodes)) => Some(nodes[number % nodes.len()]),
            None if self.topology.nodes.len() == 1 => None,
            None => {
                let own = self.topology.node_of_cpu(cpu)?;
                self.topology.node(own).filter(|node| node.memory_bytes > 0).map(|node| node.id)
            }
        }
    }

    /// Makes a node that is served on `cpu`, with memory of that NUMA node; says what was cleaned up.
    pub fn node(&self, cpu: CpuId, memory_node: Option<NodeId>) -> anyhow::Result<RmcDevice> {
        let responder_cpus = Some(CpuSet::of(cpu));
        self.open(RmcOptions { responder_cpus, memory_node, ..self.options.clone() })
    }

    /// Makes a node that is served by the threads that poll it.
    pub fn polled_node(&self, memory_node: Option<NodeId>) -> anyhow::Result<RmcDevice> {
        let serving = Serving::Polls;
        self.open(RmcOptions { serving, memory_node, ..self.options.clone() })
    }

    fn open(&self, options: RmcOptions) -> anyhow::Result<RmcDevice> {
        let own = options.memory_node.filter(|_| self.hop_by_distance);
        let distances =
            own.and_then(|own| self.topology.node(own)).map(|own| own.distances.clone());
        let options = RmcOptions { hop_distances: distances.unwrap_or_default(), ..options };
        let device = back_end::open_node(&options).with_context(|| match options.memory_node {
            Some(_) if self.memory_nodes.is_none() => {
                "a node of the emulated fabric; --memory-nodes any leaves its memory to the kernel"
            }
            _ => "a node of the emulated fabric",
        })?;
        back_end::tell_swept(&device);
        Ok(device)
    }

    /// What each hop is delayed by.
    pub fn hop_ns(&self) -> u64 {
        // The delay is refused by the fabric long before that.
        u64::try_from(self.options.hop_delay.as_nanos()).unwrap_or(u64::MAX)
    }

    /// This machine, as it is written down.
    pub fn host(&self) -> HostManifest {
        host_manifest(&self.topology, &Settings::read(), &back_end::harness(None))
    }

    /// NUMA nodes of CPUs, as they are written down.
    pub fn nodes_of(&self, cpus: &[CpuId]) -> String {
        let node = |cpu: &CpuId| {
            self.topology.node_of_cpu(*cpu).map_or_else(|| "?".to_owned(), |node| node.to_string())
        };
        cpus.iter().map(node).collect::<Vec<_>>().join(" ")
    }
}

/// NUMA nodes that memory was found on, of several emulated nodes, as they are written down: `?` where
/// the kernel did not say.
pub fn found_on(all: &[PagesByNode]) -> String {
    let nodes = |pages: &PagesByNode| match pages.is_empty() {
        true => "?".to_owned(),
        false => pages.keys().map(ToString::to_string).collect::<Vec<_>>().join("+"),
    };
    all.iter().map(nodes).collect::<Vec<_>>().join(" ")
}

/// Whether some of the memory of emulated nodes is known to be elsewhere than asked.
pub fn is_elsewhere(asked: &[Option<NodeId>], found: &[PagesByNode]) -> bool {
    let other = |(asked, pages): (&Option<NodeId>, &PagesByNode)| {
        asked.is_some_and(|asked| pages.keys().any(|node| *node != asked))
    };
    asked.iter().zip(found).any(other)
}

/// The sum of pages on each NUMA node.
pub fn together(mut one: PagesByNode, other: PagesByNode) -> PagesByNode {
    for (node, pages) in other {
        *one.entry(node).or_default() += pages;
    }
    one
}

/// CPUs as they are written down.
pub fn written(cpus: &[CpuId]) -> String {
    cpus.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

/// By number; those that share a core with an earlier one come last.
fn one_of_each_core_first(topology: &Topology, allowed: &CpuSet) -> Vec<CpuId> {
    let (mut first, mut others): (Vec<CpuId>, Vec<CpuId>) = (Vec::new(), Vec::new());
    for cpu in allowed.iter() {
        let siblings = topology.siblings_of(cpu);
        let is_taken = |taken: &CpuId| siblings.is_some_and(|siblings| siblings.contains(*taken));
        match first.iter().any(is_taken) {
            true => others.push(cpu),
            false => first.push(cpu),
        }
    }
    first.extend(others);
    first
}

/// Whether two of the threads that work at the same time have one CPU.
pub fn share_a_cpu(threads: &[CpuId], responders: &[CpuId]) -> bool {
    let all = [threads, responders].concat();
    all.iter().enumerate().any(|(place, cpu)| all[..place].contains(cpu))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpus_keep_the_order_that_was_typed() {
        assert_eq!(cpu_list("3,0-1"), Ok(CpuOrder(vec![CpuId(3), CpuId(0), CpuId(1)])));
        assert!(cpu_list("3,x").unwrap_err().contains("'x'"));
    }

    #[test]
    fn memory_nodes_keep_their_order_and_any_is_none_of_them() {
        let of = |nodes: &[u32]| MemoryNodes::Of(nodes.iter().map(|node| NodeId(*node)).collect());
        assert_eq!(memory_nodes("1, 0"), Ok(of(&[1, 0])));
        assert_eq!(memory_nodes("any"), Ok(MemoryNodes::Any));
        for wrong in ["", "0,", "0-1", "far"] {
            let error = memory_nodes(wrong).unwrap_err();
            assert!(error.contains("no number of a NUMA node"), "{error}");
        }
    }

    #[test]
    fn pages_elsewhere_than_asked_are_told_and_unknown_ones_are_not_elsewhere() {
        let on = |nodes: &[u32]| -> PagesByNode {
            nodes.iter().map(|node| (NodeId(*node), 3)).collect()
        };
        let asked = [Some(NodeId(0)), Some(NodeId(1))];
        let found = [on(&[0]), on(&[0, 1])];
        assert_eq!(found_on(&found), "0 0+1");
        assert!(is_elsewhere(&asked, &found));
        assert!(!is_elsewhere(&asked, &[on(&[0]), on(&[])]));
        assert_eq!(found_on(&[on(&[0]), on(&[])]), "0 ?");
        assert!(!is_elsewhere(&[None, None], &found));
        assert_eq!(together(on(&[0, 1]), on(&[1]))[&NodeId(1)], 6);
    }
}
