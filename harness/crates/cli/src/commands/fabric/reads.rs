//! `onesided fabric reads`: Fig. 7 and Table 2 of Scale-Out NUMA.

mod buffer_size;
mod direct;
mod print;
mod set_up;

use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::{Args, ValueEnum};
use onesided_fabric::{
    Buffers, Spread,
    direct::Order,
    reads::{Asked, Found, Plan, most_under_way},
    round_trip::core_to_core,
};
use onesided_measure::Clock;
use onesided_placement::{CpuId, NodeId, PagesByNode};
use onesided_results::{
    row::FabricReadsRow,
    version,
    vocabulary::{FabricSides, Operation, ReadWay, Source},
};
use onesided_rmc::{BACK_END, room_bytes};

use self::{
    buffer_size::{BufferSize, buffer},
    direct::DirectSetUp,
    set_up::{SetUp, Threads},
};
use super::{
    machine::{
        Machine, MachineArguments, RespondersWatch, found_on, is_elsewhere, largest, share_a_cpu,
        written,
    },
    output::{OutputArguments, Seen, ending, thousandth},
};
use crate::{arguments::duration, ending::Ending, progress::Progress};

/// Sizes of reads, in bytes (004 Fig. 7).
const SIZES: [u32; 8] = [64, 128, 256, 512, 1024, 2048, 4096, 8192];

/// From this size on fewer are under way: they are as many lines. Ours.
const LARGE: u32 = 4096;

/// CPUs that two threads of each of two nodes need.
const CPUS_OF_TWO: usize = 4;

/// Operations under way for the throughput where nobody says how many, and the most of these of long ones. Ours.
const USUAL_WINDOW: u32 = 64;
const USUAL_LARGE_WINDOW: u32 = 16;

/// Measures remote reads by size, from one node and from both, and fetch-and-adds; beside them direct loads.
///
/// Of each size the latency of one at a time, and the throughput with several under way; of both
/// nodes the latency of the first and the throughput of both. Beside them is what a cache line
/// takes from core to core and back, without any fabric. What was read is compared with what was
/// there: where it differs, the exit status is 1.
///
/// Direct reads (`emulated-direct`) are loads of the other node's memory, which is not asked: what
/// shared memory can do at best, and no remote memory controller does. The other node writes all of it
/// before each round, and all is read once a round, so that none of it comes from the reader's own cache.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided fabric reads
  onesided fabric reads --profile mybox --out results/tables/mybox/fabric-reads.csv.gz
  onesided fabric reads --hop-delay 50ns --sides single --replicates 5 --csv
  onesided fabric reads --cpus 0,2,4,6
  onesided fabric reads --buffer-bytes 256KiB,memory --sides single --duration 500ms
  onesided fabric reads --buffer-bytes 64MiB --memory-nodes 0,1
  onesided fabric reads --threads-per-node 1 --window 1,2,4,8,16,32,64,128
  onesided fabric reads --ways emulated-direct --sides single --buffer-bytes 256KiB,memory

With two threads a node four CPUs are used, if there are: of the first node's requester, the second's
responder, the first's responder, the second's requester. With fewer they share, which is marked. With
one thread a node each asks and answers in turns, on two CPUs. Direct reads have one thread a node,
on the CPUs of the first node's requester and of the second's responder.")]
pub struct Arguments {
    #[command(flatten)]
    machine: MachineArguments,
    /// How what is read gets to who reads [default: packets,emulated-direct; with a --hop-delay, and where
    /// --fabric has no room for what is read directly, packets]
    #[arg(long, value_name = "WAYS", value_delimiter = ',')]
    ways: Vec<Way>,
    /// Operations of a node under way for the throughput, by packets; several are measured one after
    /// another [default: 64]
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',')]
    window: Vec<u32>,
    /// The most of these of 4096 bytes and more [default: 16]
    #[arg(long, value_name = "NUMBER")]
    large_window: Option<u32>,
    /// Threads of a node: 2 are one that asks and one that answers, 1 does both in turns; several
    /// are measured one after another [default: 2, and with fewer than four CPUs for both sides
    /// also 1]
    #[arg(long, value_name = "NUMBERS", value_delimiter = ',',
          value_parser = clap::value_parser!(u32).range(1..=2))]
    threads_per_node: Vec<u32>,
    /// Bytes of each memory that operations go round in, one place after another, a multiple of 8KiB, or
    /// `memory`: twice the last-level cache; several are measured one after another. Give those beyond
    /// a cache a --duration in which all of it is reached: 1 M/s of 64 B are 6.4 MB in 100ms
    /// [default: 256KiB, two of which fit a second-level cache]
    #[arg(long, value_name = "BYTES", value_delimiter = ',', value_parser = buffer)]
    buffer_bytes: Vec<BufferSize>,
    /// Which nodes ask
    #[arg(long, default_value = "all")]
    sides: SidesChoice,
    /// How long to measure each latency and each throughput
    #[arg(long, value_name = "DURATION", default_value = "100ms", value_parser = duration)]
    duration: Duration,
    #[command(flatten)]
    output: OutputArguments,
}

/// How what is read gets to who reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Way {
    /// The other node is asked, and answers
    Packets,
    /// It is loaded from the other node's memory
    EmulatedDirect,
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

/// These, without those that were there before.
pub fn each_once<V: PartialEq>(all: impl Iterator<Item = V>) -> Vec<V> {
    let mut once = Vec::new();
    all.for_each(|value| {
        if !once.contains(&value) {
            once.push(value);
        }
    });
    once
}

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
        let windows = self.window.iter().map(|&window| ("window", window));
        for (flag, window) in windows.chain(self.large_window.map(|most| ("large-window", most))) {
            ensure!(
                (1..=most_under_way()).contains(&window.into()),
                "--{flag} {window} cannot be: a queue holds 1 to {} operations",
                most_under_way()
            );
        }
        check_duration(self.duration)?;
        self.check_ways()?;
        self.output.check()
    }

    /// Refuses what says nothing of the ways that were asked for.
    fn check_ways(&self) -> anyhow::Result<()> {
        let (direct, packets) = (Way::EmulatedDirect, Way::Packets);
        let is_delayed = self.machine.hop_delay().is_some_and(|delay| !delay.is_zero());
        ensure!(
            !(self.ways.contains(&direct) && is_delayed),
            "--ways emulated-direct: direct reads have no packet that --hop-delay could delay; leave one of both \
             out"
        );
        let of_packets = [
            ("window", !self.window.is_empty()),
            ("large-window", self.large_window.is_some()),
            ("threads-per-node", !self.threads_per_node.is_empty()),
        ];
        if let Some((flag, _)) = of_packets.iter().find(|(_, is_given)| *is_given) {
            ensure!(
                self.ways.is_empty() || self.ways.contains(&packets),
                "--{flag} is of reads by packets, and --ways asks for direct ones only: leave it out, or add \
                 packets"
            );
        }
        Ok(())
    }

    /// Whether there are reads by packets.
    fn has_packets(&self) -> bool {
        self.ways.is_empty() || self.ways.contains(&Way::Packets)
    }

    /// Whether there are direct reads, with memories of so many bytes: those that nobody asked for need room, and
    /// no delay.
    fn has_direct(&self, machine: &Machine, bytes: u64) -> anyhow::Result<bool> {
        let is_asked = self.ways.contains(&Way::EmulatedDirect);
        if machine.hop_ns() > 0 || !(self.ways.is_empty() || is_asked) {
            return Ok(false);
        }
        let (folder, needed) = (machine.fabric(), direct::bytes(bytes));
        let room = room_bytes(folder)
            .with_context(|| format!("what is free in the file system of {}", folder.display()))?;
        let missing = || {
            format!(
                "direct reads with memories of {bytes} bytes need {needed} bytes in {} (--fabric), whose file \
                 system has {room}",
                folder.display()
            )
        };
        match needed <= room {
            true => Ok(true),
            false if is_asked => anyhow::bail!("{}: choose fewer --buffer-bytes", missing()),
            false => {
                say!("left out: {}", missing());
                Ok(false)
            }
        }
    }

    /// How many operations are to be under way, each number once, of so many bytes.
    fn windows(&self, bytes: u32) -> Vec<u32> {
        let most = self.large_window.unwrap_or(USUAL_LARGE_WINDOW);
        let most = if bytes < LARGE { u32::MAX } else { most };
        let usual = [USUAL_WINDOW];
        let all = if self.window.is_empty() { &usual[..] } else { &self.window };
        each_once(all.iter().map(|&window| window.min(most)))
    }

    /// The threads of a node, each set-up once.
    fn threads(&self, machine: &Machine) -> Vec<Threads> {
        let is_crowded = machine.cpus.len() < CPUS_OF_TWO && self.sides != SidesChoice::Single;
        let usual: &[u32] = if is_crowded { &[2, 1] } else { &[2] };
        let numbers = if self.threads_per_node.is_empty() { usual } else { &self.threads_per_node };
        let of = |number: &u32| if *number == 1 { Threads::One } else { Threads::Two };
        each_once(numbers.iter().map(of))
    }

    /// Bytes of the memories, each size once.
    fn buffers(&self, machine: &Machine) -> anyhow::Result<Vec<u64>> {
        if self.buffer_bytes.is_empty() {
            return Ok(vec![Buffers::default().bytes as u64]);
        }
        let all = self.buffer_bytes.iter().map(|size| size.bytes(machine.cpu(0)));
        Ok(each_once(all.collect::<anyhow::Result<Vec<_>>>()?.into_iter()))
    }
}

/// Measures, prints, and writes the table.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    arguments.check()?;
    let machine = Machine::of(&arguments.machine)?;
    let begun = arguments.machine.measuring.begin("fabric reads")?;
    let mut rows = Reads { arguments, machine: &machine, clock: Clock::calibrate()? }.all()?;
    begun.mark(rows.iter_mut().map(|row| &mut row.doubts));
    arguments.output.show(&rows, &machine, print::tables)?;
    Ok(ending(rows.iter().map(|row| row.doubts.as_deref())))
}

/// What all measurements share.
struct Reads<'a> {
    arguments: &'a Arguments,
    machine: &'a Machine,
    clock: Clock,
}

/// What a row is of.
#[derive(Clone, Copy)]
struct Place {
    replicate: u32,
    sides: FabricSides,
    asked: Asked,
    window: u32,
}

fn operation(asked: Asked) -> (Operation, u32) {
    match asked {
        Asked::Read { bytes } => (Operation::Read, bytes),
        Asked::FetchAndAdd => (Operation::FetchAndAdd, 8),
    }
}

impl Reads<'_> {
    fn all(&self) -> anyhow::Result<Vec<FabricReadsRow>> {
        let (arguments, machine) = (self.arguments, self.machine);
        let buffers = arguments.buffers(machine)?;
        let threads = if arguments.has_packets() { arguments.threads(machine) } else { Vec::new() };
        let mut direct = Vec::new();
        for &bytes in &buffers {
            if arguments.has_direct(machine, bytes)? {
                direct.push(bytes);
            }
        }
        if machine.hop_ns() > 0 && arguments.ways.is_empty() {
            say!("--hop-delay: {} is left out, no hop delays it", ReadWay::EmulatedDirect);
        }
        let set_ups: Vec<_> = buffers
            .iter()
            .flat_map(|&bytes| threads.iter().map(move |&threads| (threads, bytes)))
            .collect();
        let reads = SIZES.iter().map(|&bytes| Asked::Read { bytes });
        let asked: Vec<_> = reads.chain([Asked::FetchAndAdd]).collect();
        let windows = |asked: &Asked| arguments.windows(operation(*asked).1);
        let each: usize = asked.iter().map(|asked| windows(asked).len()).sum();
        let each =
            (each * set_ups.len() + SIZES.len() * direct.len()) * arguments.sides.all().len();
        let replicates = arguments.output.replicates.get();
        let mut progress = Progress::of(u64::from(replicates) * each as u64);
        let mut rows = Vec::new();
        for replicate in 1..=replicates {
            for &(threads, buffer_bytes) in &set_ups {
                // One at a time: nodes of another would look now and then whether anybody polls.
                let mut set_up = SetUp::on(machine, threads, buffer_bytes)?;
                let [here, there] = set_up.first_cpus();
                let trip = core_to_core(&self.clock, here, there, arguments.duration)?;
                for &sides in arguments.sides.all() {
                    for &asked in &asked {
                        for window in windows(&asked) {
                            let place = Place { replicate, sides, asked, window };
                            rows.push(self.row(&mut set_up, place, trip)?);
                            progress.step(&format!("{asked:?}, {sides}, {window} under way"));
                        }
                    }
                }
            }
            for &buffer_bytes in &direct {
                let mut set_up = DirectSetUp::on(machine, buffer_bytes)?;
                let [here, there] = set_up.cpus;
                let trip = core_to_core(&self.clock, here, there, arguments.duration)?;
                for &sides in arguments.sides.all() {
                    for bytes in SIZES {
                        rows.push(self.direct_row(&mut set_up, replicate, sides, bytes, trip)?);
                        progress.step(&format!("direct reads of {bytes} bytes, {sides}"));
                    }
                }
            }
        }
        progress.end();
        Ok(rows)
    }

    fn row(
        &self,
        set_up: &mut SetUp,
        place: Place,
        trip: Option<Spread>,
    ) -> anyhow::Result<FabricReadsRow> {
        let (arguments, Place { replicate, sides, asked, window }) = (self.arguments, place);
        let plan = |window: u32| Plan { asked, window: window.into(), longest: arguments.duration };
        let watch = RespondersWatch::begin(set_up.devices());
        let alone = set_up.measure(&self.clock, &plan(1), sides)?;
        let many = set_up.measure(&self.clock, &plan(window), sides)?;
        let responders_without = watch.without_cpu(set_up.devices());
        let cpus = set_up.cpus(sides);
        let memory = set_up.memory()?;
        let of = Measured {
            replicate,
            sides,
            asked,
            buffer_bytes: set_up.buffer_bytes,
            trip,
            cpus: [&cpus.0, &cpus.1],
            memory: &memory,
            asked_memory: &set_up.memory_nodes,
            is_crowded: set_up.is_crowded(sides),
            responders_without,
        };
        Ok(FabricReadsRow {
            read_way: Some(ReadWay::Packets),
            window: Some(window),
            threads_per_node: Some(set_up.threads.number()),
            ..self.common(&of, &alone, &many)
        })
    }

    fn direct_row(
        &self,
        set_up: &mut DirectSetUp,
        replicate: u32,
        sides: FabricSides,
        bytes: u32,
        trip: Option<Spread>,
    ) -> anyhow::Result<FabricReadsRow> {
        let longest = self.arguments.duration;
        let alone = set_up.measure(&self.clock, bytes, Order::OneByOne, longest, sides)?;
        let many = set_up.measure(&self.clock, bytes, Order::Overlapping, longest, sides)?;
        let (readers, writers) = set_up.readers_and_writers(sides);
        let memory = set_up.memory()?;
        let of = Measured {
            replicate,
            sides,
            asked: Asked::Read { bytes },
            buffer_bytes: set_up.buffer_bytes,
            trip,
            cpus: [&readers, &writers],
            memory: &memory,
            asked_memory: &set_up.memory_nodes,
            is_crowded: share_a_cpu(&set_up.cpus, &[]),
            responders_without: None,
        };
        Ok(self.common(&of, &alone, &many))
    }

    /// What rows have however what is read gets to who reads: a direct read has no more. `alone` is of one at a
    /// time, `many` of several under way.
    fn common(&self, of: &Measured<'_>, alone: &Found, many: &Found) -> FabricReadsRow {
        let (operation, bytes) = operation(of.asked);
        let differing_words = alone.differing_words + many.differing_words;
        let latency = |of: fn(Spread) -> f64| alone.latency_ns.map(|ns| thousandth(of(ns)));
        let rate = |of: fn(Spread) -> f64| many.rate.map(|rate| of(rate).round());
        let gigabits = |rate: f64| thousandth(rate * f64::from(bytes) * 8.0 / 1e9);
        let [requesters, responders] = of.cpus;
        FabricReadsRow {
            schema_version: version::FABRIC.written,
            source: Source::Emulated,
            back_end: BACK_END.to_owned(),
            profile: self.arguments.machine.profile.clone(),
            read_way: Some(ReadWay::EmulatedDirect),
            fabric_hop_ns: Some(self.machine.hop_ns()),
            hop_by_distance: Some(self.machine.hop_by_distance),
            operation,
            access_bytes: Some(bytes),
            sides: Some(of.sides),
            latency_ns: latency(|ns| ns.median),
            latency_low_ns: latency(|ns| ns.low),
            latency_high_ns: latency(|ns| ns.high),
            throughput_ops: rate(|rate| rate.median),
            throughput_low_ops: rate(|rate| rate.low),
            throughput_high_ops: rate(|rate| rate.high),
            bandwidth_gbit_per_s: many.rate.map(|rate| gigabits(rate.median)),
            replicate: Some(of.replicate),
            window: None,
            threads_per_node: None,
            latency_samples: Some(alone.samples),
            operations: Some(alone.operations + many.operations),
            core_round_trip_ns: of.trip.map(|trip| thousandth(trip.median)),
            requester_cpus: Some(written(requesters)),
            requester_nodes: Some(self.machine.nodes_of(requesters)),
            responder_cpus: Some(written(responders)),
            responder_nodes: Some(self.machine.nodes_of(responders)),
            differing_words: Some(differing_words),
            memory_nodes: Some(found_on(of.memory)),
            buffer_bytes: Some(of.buffer_bytes),
            doubts: Seen {
                is_crowded: of.is_crowded,
                is_different: differing_words > 0,
                without_cpu: largest([
                    Some(alone.without_cpu),
                    Some(many.without_cpu),
                    of.responders_without,
                ]),
                is_elsewhere: is_elsewhere(of.asked_memory, of.memory),
            }
            .doubts(),
        }
    }
}

/// What a row is of, and where.
struct Measured<'a> {
    replicate: u32,
    sides: FabricSides,
    asked: Asked,
    buffer_bytes: u64,
    trip: Option<Spread>,
    /// Of those that ask, and of those that answer.
    cpus: [&'a [CpuId]; 2],
    /// Of either node, where it was found and where it was asked.
    memory: &'a [PagesByNode; 2],
    asked_memory: &'a [Option<NodeId>; 2],
    is_crowded: bool,
    responders_without: Option<f64>,
}
