//! `onesided fabric pagerank`: Fig. 9 of Scale-Out NUMA.

mod input;
mod print;
mod timed;

use std::{num::NonZeroU32, path::PathBuf};

use anyhow::ensure;
use clap::Args;
use onesided_pagerank::{Rmat, Variant};
use onesided_placement::NodeId;
use onesided_results::{
    row::FabricPagerankRow,
    version,
    vocabulary::{PagerankVariant, Source},
    word::Word,
};
use onesided_rmc::{BACK_END, RmcDevice};

use self::{input::Input, timed::Timed};
use super::{
    machine::{Machine, MachineArguments, found_on, is_elsewhere, largest, written},
    output::{OutputArguments, Seen, ending, four_digits},
    reads::each_once,
};
use crate::{ending::Ending, progress::Progress};

/// The most nodes. Ours: each is connected to each, and 004 has 16.
const MOST_NODES: u32 = 64;

/// Numbers of nodes unasked (004 Fig. 9), as far as each has a CPU: with turns, a large graph takes hours.
const USUAL_NODES: [u32; 5] = [1, 2, 4, 8, 16];

/// Ranks that are further from the reference's than this are wrong. Ours: sums are of the same
/// numbers in another order, whose error is some 10^-16 of each.
const WRONG: f64 = 1e-9;

/// Measures PageRank by shared memory, by bulk reads, and by a read or a load for each link.
///
/// A load is of another node's memory, which is not asked (`emulated-direct`): what shared memory can do
/// at best, and no remote memory controller does.
///
/// The graph is drawn by R-MAT, whose degrees follow a power law, or read. Ranks are compared with
/// those of a plain reference: where they differ, the exit status is 1. More nodes than CPUs take
/// turns: that is said, and marked.
///
/// The paper has a subset of the graph of Twitter. With --scale 12 a drawn graph takes seconds. Without
/// --scale it has a million vertices, beyond the caches of a core, if memory allows it, and takes
/// minutes.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided fabric pagerank --scale 12
  onesided fabric pagerank
  onesided fabric pagerank --nodes 1,2 --scale 22 --replicates 1
  onesided fabric pagerank --nodes 2 --scale 14 --window 16,32,64,128
  onesided fabric pagerank --edges twitter.txt --profile mybox --out fabric-pagerank.csv.gz
  onesided fabric pagerank --hop-delay 50ns --csv

A file of edges has a line for each: the number of the vertex that links, and of that which is
linked to.")]
pub struct Arguments {
    #[command(flatten)]
    machine: MachineArguments,
    /// Numbers of nodes [default: those of 1,2,4,8,16 that there are CPUs for]
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    nodes: Vec<NonZeroU32>,
    /// Reads that a node has under way in the variant fine-grain, 1 to 128; several are measured one after
    /// another
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',', default_value = "64",
          value_parser = clap::value_parser!(u32).range(1..=Variant::MOST_READS as i64))]
    window: Vec<u32>,
    /// Supersteps
    #[arg(long, value_name = "NUMBER", default_value = "30")]
    supersteps: NonZeroU32,
    /// Vertices of the drawn graph: 2 to this power [default: 20, or less where that would take more
    /// than half of the available memory or of the room in --fabric; 12 where --nodes are more than
    /// CPUs]
    #[arg(long, value_name = "NUMBER", conflicts_with = "edges",
          value_parser = clap::value_parser!(u32).range(1..=i64::from(Rmat::LARGEST_SCALE)))]
    scale: Option<u32>,
    /// Edges of the drawn graph, for each vertex
    #[arg(long, value_name = "NUMBER", default_value = "16", conflicts_with = "edges")]
    edges_per_vertex: NonZeroU32,
    /// Seed that the graph is drawn from
    #[arg(long, default_value_t = 1, conflicts_with = "edges")]
    seed: u64,
    /// File of edges, instead of a drawn graph
    #[arg(long, value_name = "FILE")]
    edges: Option<PathBuf>,
    #[command(flatten)]
    output: OutputArguments,
}

/// Measures, prints, and writes the table.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    arguments.output.check()?;
    if let Some(many) = arguments.nodes.iter().find(|nodes| nodes.get() > MOST_NODES) {
        anyhow::bail!("--nodes {many} is too many: 1 to {MOST_NODES}");
    }
    let machine = Machine::of(&arguments.machine)?;
    let nodes = arguments.nodes(&machine);
    // Before anything is drawn: that takes CPUs and memory from who measures.
    let begun = arguments.machine.measuring.begin("fabric pagerank")?;
    let input = Input::of(arguments, &machine, most(&nodes))?;
    ensure!(input.graph.vertices() > 0, "the graph has no vertex: there is nothing to rank");
    let mut rows = all(arguments, &machine, &input, &nodes)?;
    begun.mark(rows.iter_mut().map(|row| &mut row.doubts));
    arguments.output.show(&rows, &machine, print::tables)?;
    Ok(ending(rows.iter().map(|row| row.doubts.as_deref())))
}

impl Arguments {
    fn nodes(&self, machine: &Machine) -> Vec<u32> {
        let has_cpus = |nodes: &u32| *nodes as usize <= machine.cpus.len();
        match self.nodes.is_empty() {
            true => USUAL_NODES.into_iter().filter(has_cpus).collect(),
            false => self.nodes.iter().map(|nodes| nodes.get()).collect(),
        }
    }
}

fn most(nodes: &[u32]) -> u32 {
    nodes.iter().copied().max().unwrap_or(1)
}

fn all(
    arguments: &Arguments,
    machine: &Machine,
    input: &Input,
    nodes: &[u32],
) -> anyhow::Result<Vec<FabricPagerankRow>> {
    let most = most(nodes) as usize;
    // All do the same at the same time, and a node has no CPU but that of its thread.
    let memory_nodes: Vec<_> =
        (0..most).map(|number| machine.memory_node(number, machine.cpu(number))).collect();
    let asked = Asked { arguments, machine, input, memory_nodes };
    let devices = asked.memory_nodes.iter().map(|node| machine.polled_node(*node));
    let devices = devices.collect::<Result<Vec<_>, _>>()?;
    let replicates = arguments.output.replicates.get();
    // What is loaded without packets has none that a hop could delay.
    let has_delay = machine.hop_ns() > 0;
    let variants = PagerankVariant::ALL.iter().copied();
    let is_done =
        |variant: &PagerankVariant| *variant != PagerankVariant::EmulatedDirect || !has_delay;
    let variants: Vec<_> = variants.filter(is_done).collect();
    if has_delay {
        say!("--hop-delay: {} is left out, no hop delays it", PagerankVariant::EmulatedDirect);
    }
    let windows = each_once(arguments.window.iter().copied());
    // Only a read for each link is one of many under way.
    let variants: Vec<_> = variants
        .into_iter()
        .flat_map(|variant| match variant {
            PagerankVariant::FineGrain => {
                windows.iter().map(|window| (variant, Some(*window))).collect()
            }
            _ => vec![(variant, None)],
        })
        .collect();
    let each = nodes.len() * variants.len();
    let mut progress = Progress::of(u64::from(replicates) * each as u64);
    let mut rows = Vec::new();
    for replicate in 1..=replicates {
        let of = |variant, nodes: u32| {
            let devices: &[RmcDevice] = &devices[..nodes as usize];
            timed::timed(machine, input, devices, variant, arguments.supersteps)
        };
        let alone = of((PagerankVariant::SharedMemory, None), 1)?;
        for &nodes in nodes {
            let shared = of((PagerankVariant::SharedMemory, None), nodes)?;
            for &(variant, window) in &variants {
                let found = match variant {
                    PagerankVariant::SharedMemory => shared.clone(),
                    _ => of((variant, window), nodes)?,
                };
                let place = Place { replicate, variant, window, nodes };
                rows.push(asked.row(place, &found, [&alone, &shared]));
                progress.step(&format!("{variant}, {nodes} nodes"));
            }
        }
    }
    progress.end();
    Ok(rows)
}

/// What a row is of.
struct Place {
    replicate: u32,
    variant: PagerankVariant,
    /// Reads that a node has under way, of the variant fine-grain.
    window: Option<u32>,
    nodes: u32,
}

/// What all rows are of.
struct Asked<'a> {
    arguments: &'a Arguments,
    machine: &'a Machine,
    input: &'a Input,
    /// The NUMA node that the memory of each node is asked on.
    memory_nodes: Vec<Option<NodeId>>,
}

impl Asked<'_> {
    /// `compared` are shared memory by one thread, and by as many as there are nodes.
    fn row(&self, place: Place, found: &Timed, compared: [&Timed; 2]) -> FabricPagerankRow {
        let Self { arguments, machine, input, memory_nodes } = self;
        let Place { replicate, variant, window, nodes } = place;
        let [alone, shared] = compared.map(|timed| timed.superstep_ns.median);
        let superstep = found.superstep_ns;
        let is_crowded = nodes as usize > machine.cpus.len();
        let cpus = timed::cpus(machine, nodes as usize);
        FabricPagerankRow {
            schema_version: version::FABRIC.written,
            source: Source::Emulated,
            back_end: BACK_END.to_owned(),
            profile: arguments.machine.profile.clone(),
            fabric_hop_ns: Some(machine.hop_ns()),
            hop_by_distance: Some(machine.hop_by_distance),
            variant,
            window,
            nodes,
            superstep_ns: Some(superstep.median.round()),
            superstep_low_ns: Some(superstep.low.round()),
            superstep_high_ns: Some(superstep.high.round()),
            speed_up: Some(four_digits(alone / superstep.median)),
            to_shared_memory: Some(four_digits(superstep.median / shared)),
            replicate: Some(replicate),
            supersteps: Some(arguments.supersteps.get()),
            graph: Some(input.kind),
            vertices: Some(input.graph.vertices() as u64),
            edges: Some(input.graph.edges() as u64),
            scale: input.drawn.map(|(scale, _)| scale),
            seed: input.drawn.map(|(_, seed)| seed),
            remote_reads: Some(found.remote_reads),
            total_variation: Some(found.total_variation),
            thread_cpus: Some(written(&cpus)),
            thread_nodes: Some(machine.nodes_of(&cpus)),
            memory_nodes: (!found.memory.is_empty()).then(|| found_on(&found.memory)),
            doubts: Seen {
                is_crowded,
                is_different: found.total_variation > WRONG,
                // A ratio is no better than what it is of.
                without_cpu: largest(
                    [found, compared[0], compared[1]].map(|timed| Some(timed.without_cpu)),
                ),
                is_elsewhere: is_elsewhere(memory_nodes, &found.memory),
            }
            .doubts(),
        }
    }
}
