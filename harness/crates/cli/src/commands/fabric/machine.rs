//! The CPUs and nodes of an experiment.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use anyhow::ensure;
use clap::Args;
use onesided_placement::topology::Node;
use onesided_placement::{
    CpuId, CpuSet, NodeId, NodeSet, PagesByNode, Settings, Topology, cpus_of_current_thread,
    refused_calls,
};
use onesided_results::record::HostManifest;
use onesided_rmc::{OpenError, RmcDevice, RmcOptions, Serving};
use onesided_runner::host_manifest;
use onesided_transport::Transport as _;

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
    let mut nodes = Vec::new();
    for part in text.split(',') {
        let set: NodeSet = part.trim().parse().map_err(|_| {
            format!(
                "'{part}' is no NUMA node nor a range of them, such as 1 or 0-3; `any` leaves it to \
                 the kernel"
            )
        })?;
        nodes.extend(set.iter());
    }
    Ok(MemoryNodes::Of(nodes))
}

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

impl MachineArguments {
    /// The delay of a hop, if one was asked for.
    pub fn hop_delay(&self) -> Option<Duration> {
        self.hop_delay
    }
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
        let memory_nodes = chosen(arguments, &topology);
        let hop_by_distance = arguments.hop_by_distance;
        if hop_by_distance {
            check_distances(&topology, memory_nodes.as_ref(), options.hop_delay)?;
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
                let has_memory = self.topology.node(own).is_some_and(|node| node.memory_bytes > 0);
                let allowed = self.topology.allowed.as_ref();
                let allowed = allowed.and_then(|allowed| allowed.memory_nodes.as_ref());
                (has_memory && allowed.is_none_or(|nodes| nodes.contains(&own))).then_some(own)
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
        let device = back_end::open_node(&options).map_err(|error| {
            let is_of_memory = matches!(error.downcast_ref(), Some(OpenError::Memory { .. }));
            error.context(match is_of_memory {
                true => "a node of the emulated fabric: --memory-nodes any leaves its memory to the kernel",
                false => "a node of the emulated fabric",
            })
        })?;
        back_end::tell_swept(&device);
        Ok(device)
    }

    /// The folder of the emulated fabric.
    pub fn fabric(&self) -> &Path {
        &self.options.fabric
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

/// Where memory is to come from: as said; and where nothing was and the kernel refuses to bind memory, as in
/// a container, it is left to the kernel, which is told.
fn chosen(arguments: &MachineArguments, topology: &Topology) -> Option<MemoryNodes> {
    if arguments.memory_nodes.is_none()
        && topology.nodes.len() > 1
        && refused_calls().contains(&"mbind")
    {
        say!(
            "the memory of emulated nodes is where the kernel takes it: mbind is refused (in a container, \
             --cap-add SYS_NICE allows it)"
        );
        return Some(MemoryNodes::Any);
    }
    arguments.memory_nodes.clone()
}

/// Refuses distances that no hop would be delayed by.
fn check_distances(
    topology: &Topology,
    memory_nodes: Option<&MemoryNodes>,
    hop_delay: Duration,
) -> anyhow::Result<()> {
    ensure!(!hop_delay.is_zero(), "--hop-by-distance multiplies --hop-delay, which is 0");
    ensure!(
        memory_nodes != Some(&MemoryNodes::Any) || topology.nodes.len() == 1,
        "--hop-by-distance needs to know where memory is, and --memory-nodes any leaves that to the kernel"
    );
    let told = |node: &Node| topology.nodes.iter().all(|to| node.distances.contains_key(&to.id));
    ensure!(
        topology.nodes.len() == 1 || topology.nodes.iter().all(told),
        "--hop-by-distance: firmware does not say how far the NUMA nodes of this machine are apart"
    );
    if topology.nodes.len() == 1 {
        say!("--hop-by-distance: this machine has one NUMA node, so each hop takes --hop-delay");
    }
    Ok(())
}

/// How long responders wait for a CPU from a moment on.
pub struct RespondersWatch {
    since: Instant,
    waited_ns: Vec<Option<u64>>,
}

impl RespondersWatch {
    /// From now on.
    pub fn begin(devices: &[RmcDevice]) -> Self {
        Self { since: Instant::now(), waited_ns: waited_ns(devices) }
    }

    /// The largest share of the time that one of them was ready to run and had no CPU; absent where the
    /// kernel does not say.
    pub fn without_cpu(&self, devices: &[RmcDevice]) -> Option<f64> {
        let waited_ns = waited_ns(devices);
        let elapsed_ns = self.since.elapsed().as_nanos().max(1) as f64;
        // The kernel adds a wait when it ends, also the part of it before the moment.
        let rise = |(now, before): (Option<u64>, &Option<u64>)| {
            let share = |now: u64, before| now.saturating_sub(before) as f64 / elapsed_ns;
            now.zip(*before).map(|(now, before)| share(now, before).min(1.0))
        };
        largest(waited_ns.into_iter().zip(&self.waited_ns).map(rise))
    }
}

/// Of each; absent where the kernel does not say.
fn waited_ns(devices: &[RmcDevice]) -> Vec<Option<u64>> {
    let of = |device: &RmcDevice| device.counters().ok()?.get("responder_wait_ns").copied();
    devices.iter().map(of).collect()
}

/// The largest of those that are known.
pub fn largest(shares: impl IntoIterator<Item = Option<f64>>) -> Option<f64> {
    shares.into_iter().flatten().reduce(f64::max)
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
        assert_eq!(memory_nodes("3,0-1"), Ok(of(&[3, 0, 1])));
        for wrong in ["", "0,", "1-0", "far"] {
            let error = memory_nodes(wrong).unwrap_err();
            assert!(error.contains("is no NUMA node nor a range of them"), "{error}");
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
    }
}
