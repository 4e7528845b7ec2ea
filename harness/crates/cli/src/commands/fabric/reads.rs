//! `onesided fabric reads`: Fig. 7 and Table 2 of Scale-Out NUMA.

mod print;

use std::time::Duration;

use anyhow::ensure;
use clap::{Args, ValueEnum};
use onesided_fabric::{
    Buffers, Spread,
    reads::{Asked, Found, Pair, Plan, Requesters, most_under_way},
    round_trip::core_to_core,
};
use onesided_measure::Clock;
use onesided_placement::{CpuId, NodeId};
use onesided_results::{
    row::FabricReadsRow,
    version,
    vocabulary::{FabricSides, Operation, Source},
};
use onesided_rmc::{BACK_END, PagesByNode, RmcDevice};
use onesided_transport::ConnectionAttributes;

use super::{
    machine::{
        Machine, MachineArguments, RespondersWatch, found_on, is_elsewhere, share_a_cpu, written,
    },
    output::{OutputArguments, Seen, ending, thousandth},
};
use crate::{
    arguments::{bytes, duration},
    ending::Ending,
    measuring,
    progress::Progress,
};

/// Sizes of reads, in bytes (004 Fig. 7).
const SIZES: [u32; 8] = [64, 128, 256, 512, 1024, 2048, 4096, 8192];

/// From this size on fewer are under way: they are as many lines. Ours.
const LARGE: u32 = 4096;

/// Measures remote reads by size, from one node and from both, and fetch-and-adds.
///
/// Of each size the latency of one at a time, and the throughput with several under way; of both
/// nodes the latency of the first and the throughput of both. Beside them is what a cache line
/// takes from core to core and back, without any fabric. What was read is compared with what was
/// there: where it differs, the exit status is 1.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided fabric reads
  onesided fabric reads --profile mybox --out results/tables/mybox/fabric-reads.csv.gz
  onesided fabric reads --hop-delay 50ns --sides single --replicates 5 --csv
  onesided fabric reads --cpus 0,2,4,6
  onesided fabric reads --buffer-bytes 64MiB --memory-nodes 0,1

Four CPUs are used, if there are: of the first node's requester, the second's responder, the
first's responder, the second's requester. With fewer they share, which is marked.")]
pub struct Arguments {
    #[command(flatten)]
    machine: MachineArguments,
    /// Operations under way for the throughput, of fewer than 4096 bytes
    #[arg(long, value_name = "NUMBER", default_value = "64")]
    window: u32,
    /// The same of 4096 bytes and more
    #[arg(long, value_name = "NUMBER", default_value = "16")]
    large_window: u32,
    /// Bytes of each memory that operations go round in, one place after another, a multiple of 8KiB. To
    /// go beyond the last-level cache, more than it has, and a --duration in which all of it is
    /// reached: 1 M/s of 64 B are 6.4 MB in 100ms [default: 256KiB, two of which fit a second-level
    /// cache]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    buffer_bytes: Option<u64>,
    /// Which nodes ask
    #[arg(long, default_value = "all")]
    sides: SidesChoice,
    /// How long to measure each latency and each throughput
    #[arg(long, value_name = "DURATION", default_value = "100ms", value_parser = duration)]
    duration: Duration,
    #[command(flatten)]
    output: OutputArguments,
}

/// Which nodes ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum SidesChoice {
    /// The first one only
    Single,
    /// Both at the same time
    Double,
    /// One after the other
    All,
}

impl SidesChoice {
    fn all(self) -> &'static [FabricSides] {
        match self {
            Self::Single => &[FabricSides::Single],
            Self::Double => &[FabricSides::Double],
            Self::All => &[FabricSides::Single, FabricSides::Double],
        }
    }
}

/// Memories of both nodes together.
const MEMORIES: u64 = 6;

/// The most bytes of a memory. Ours: each is compared word by word, row by row.
const MOST_BUFFER_BYTES: u64 = 1 << 30;

/// Shortest and longest measurement. Ours: some samples, and what a person waits for.
const DURATIONS: [Duration; 2] = [Duration::from_millis(1), Duration::from_secs(60)];

/// Refuses a duration that says nothing, or that nobody waits for.
pub fn check_duration(duration: Duration) -> anyhow::Result<()> {
    let [shortest, longest] = DURATIONS;
    ensure!(
        (shortest..=longest).contains(&duration),
        "--duration {duration:?} cannot be: it is {shortest:?} to {longest:?}"
    );
    Ok(())
}

impl Arguments {
    fn check(&self) -> anyhow::Result<()> {
        for (flag, window) in [("window", self.window), ("large-window", self.large_window)] {
            ensure!(
                (1..=most_under_way()).contains(&window.into()),
                "--{flag} {window} cannot be: a queue holds 1 to {} operations",
                most_under_way()
            );
        }
        if let Some(bytes) = self.buffer_bytes {
            let unit = Buffers::UNIT as u64;
            ensure!(
                (unit..=MOST_BUFFER_BYTES).contains(&bytes) && bytes.is_multiple_of(unit),
                "--buffer-bytes {bytes} cannot be: it is a multiple of {unit}, {MOST_BUFFER_BYTES} at most"
            );
            let available = onesided_placement::available_bytes()?.unwrap_or(u64::MAX);
            ensure!(
                MEMORIES * bytes <= available,
                "--buffer-bytes {bytes}: {MEMORIES} such memories are needed, and {available} bytes are to be had"
            );
        }
        check_duration(self.duration)?;
        self.output.check()
    }

    /// The memories of a node, on that NUMA node.
    fn buffers(&self, node: Option<NodeId>) -> Buffers {
        let usual = Buffers::default();
        let bytes = self.buffer_bytes.map_or(usual.bytes, |bytes| bytes as usize);
        Buffers { bytes, node }
    }
}

/// Measures, prints, and writes the table.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    arguments.check()?;
    let machine = Machine::of(&arguments.machine)?;
    let turn = arguments.machine.measuring.take_turn("fabric reads")?;
    let mut rows = Reads::on(arguments, &machine)?.all()?;
    measuring::mark(&turn, rows.iter_mut().map(|row| &mut row.doubts));
    arguments.output.show(&rows, &machine, print::tables)?;
    Ok(ending(rows.iter().map(|row| row.doubts.as_deref())))
}

/// What all measurements share.
struct Reads<'a> {
    arguments: &'a Arguments,
    machine: &'a Machine,
    clock: Clock,
    // First, so that nobody uses a device when it goes.
    pair: Pair<RmcDevice>,
    devices: [RmcDevice; 2],
    memory_nodes: [Option<NodeId>; 2],
    requesters: [CpuId; 2],
    responders: [CpuId; 2],
}

impl<'a> Reads<'a> {
    fn on(arguments: &'a Arguments, machine: &'a Machine) -> anyhow::Result<Self> {
        let requesters = [machine.cpu(0), machine.cpu(3)];
        // Of the second node first: it is the one that answers a single side.
        let responders = [machine.cpu(1), machine.cpu(2)];
        let memory_nodes =
            [machine.memory_node(0, responders[1]), machine.memory_node(1, responders[0])];
        let devices = [
            machine.node(responders[1], memory_nodes[0])?,
            machine.node(responders[0], memory_nodes[1])?,
        ];
        let buffers = memory_nodes.map(|node| arguments.buffers(node));
        let attributes = ConnectionAttributes::reliable(most_under_way() as u8);
        let pair = Pair::connect([&devices[0], &devices[1]], buffers, &attributes)?;
        let clock = Clock::calibrate()?;
        Ok(Self { arguments, machine, clock, pair, devices, memory_nodes, requesters, responders })
    }

    fn all(&mut self) -> anyhow::Result<Vec<FabricReadsRow>> {
        let sides = self.arguments.sides.all();
        let each = (SIZES.len() + 1) * sides.len();
        let replicates = self.arguments.output.replicates.get();
        let mut progress = Progress::of(u64::from(replicates) * each as u64);
        let mut rows = Vec::new();
        for replicate in 1..=replicates {
            // While the responder has nothing to do it sleeps, and leaves its CPU.
            let [here, there] = [self.requesters[0], self.responders[0]];
            let trip = core_to_core(&self.clock, here, there, self.arguments.duration)?;
            for &sides in sides {
                let reads = SIZES.iter().map(|&bytes| Asked::Read { bytes });
                for asked in reads.chain([Asked::FetchAndAdd]) {
                    rows.push(self.row(replicate, sides, asked, trip)?);
                    progress.step(&format!("{asked:?}, {sides}"));
                }
            }
        }
        progress.end();
        Ok(rows)
    }

    /// Where the memory of either node is: what its process has registered, and the fabric's own.
    fn memory(&self) -> anyhow::Result<[PagesByNode; 2]> {
        let mut found = self.pair.pages_by_node()?;
        for (pages, device) in found.iter_mut().zip(&self.devices) {
            for (node, more) in device.pages_by_node()? {
                *pages.entry(node).or_default() += more;
            }
        }
        Ok(found)
    }

    fn found(&mut self, asked: Asked, window: u32, sides: FabricSides) -> anyhow::Result<Found> {
        let requesters = match sides {
            FabricSides::Single => Requesters::One(self.requesters[0]),
            FabricSides::Double => Requesters::Both(self.requesters),
        };
        let plan = Plan { asked, window: window.into(), longest: self.arguments.duration };
        Ok(self.pair.measure(&self.clock, &plan, requesters)?)
    }

    fn row(
        &mut self,
        replicate: u32,
        sides: FabricSides,
        asked: Asked,
        trip: Option<Spread>,
    ) -> anyhow::Result<FabricReadsRow> {
        let (operation, bytes) = match asked {
            Asked::Read { bytes } => (Operation::Read, bytes),
            Asked::FetchAndAdd => (Operation::FetchAndAdd, 8),
        };
        let arguments = self.arguments;
        let window = if bytes < LARGE { arguments.window } else { arguments.large_window };
        let watch = RespondersWatch::begin(&self.devices);
        let alone = self.found(asked, 1, sides)?;
        let many = self.found(asked, window, sides)?;
        let responders_without = watch.without_cpu(&self.devices);
        let asking = if sides == FabricSides::Single { 1 } else { 2 };
        let (requesters, responders) = (&self.requesters[..asking], &self.responders[..asking]);
        let memory = self.memory()?;
        let differing_words = alone.differing_words + many.differing_words;
        let latency = |of: fn(Spread) -> f64| alone.latency_ns.map(|ns| thousandth(of(ns)));
        let rate = |of: fn(Spread) -> f64| many.rate.map(|rate| of(rate).round());
        let gigabits = |rate: f64| thousandth(rate * f64::from(bytes) * 8.0 / 1e9);
        Ok(FabricReadsRow {
            schema_version: version::FABRIC.written,
            source: Source::Emulated,
            back_end: BACK_END.to_owned(),
            profile: arguments.machine.profile.clone(),
            fabric_hop_ns: Some(self.machine.hop_ns()),
            hop_by_distance: Some(self.machine.hop_by_distance),
            operation,
            access_bytes: Some(bytes),
            sides: Some(sides),
            latency_ns: latency(|ns| ns.median),
            latency_low_ns: latency(|ns| ns.low),
            latency_high_ns: latency(|ns| ns.high),
            throughput_ops: rate(|rate| rate.median),
            throughput_low_ops: rate(|rate| rate.low),
            throughput_high_ops: rate(|rate| rate.high),
            bandwidth_gbit_per_s: many.rate.map(|rate| gigabits(rate.median)),
            replicate: Some(replicate),
            window: Some(window),
            latency_samples: Some(alone.samples),
            operations: Some(alone.operations + many.operations),
            core_round_trip_ns: trip.map(|trip| thousandth(trip.median)),
            requester_cpus: Some(written(requesters)),
            requester_nodes: Some(self.machine.nodes_of(requesters)),
            responder_cpus: Some(written(responders)),
            responder_nodes: Some(self.machine.nodes_of(responders)),
            differing_words: Some(differing_words),
            memory_nodes: Some(found_on(&memory)),
            buffer_bytes: Some(arguments.buffers(None).bytes as u64),
            doubts: Seen {
                is_crowded: share_a_cpu(requesters, responders),
                is_different: differing_words > 0,
                without_cpu: alone.without_cpu.max(many.without_cpu).max(responders_without),
                is_elsewhere: is_elsewhere(&self.memory_nodes, &memory),
            }
            .doubts(),
        })
    }
}
