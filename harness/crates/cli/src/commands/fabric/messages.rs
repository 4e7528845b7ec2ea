//! `onesided fabric messages`: Fig. 8 of Scale-Out NUMA.

mod print;

use std::{thread, time::Duration};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use onesided_fabric::{
    FabricError, Spread,
    messages::{Ends, Found, Loopback, Threads},
    round_trip::core_to_core,
};
use onesided_measure::Clock;
use onesided_messaging::{ALWAYS_PULL, ALWAYS_PUSH, DEFAULT_THRESHOLD_BYTES, Settings};
use onesided_placement::{CpuId, NodeId, PagesByNode};
use onesided_results::{
    row::FabricMessagesRow,
    version,
    vocabulary::{MessageWay, Source},
};
use onesided_rmc::{BACK_END, RESPONDERS_SPIN, RmcDevice};
use onesided_transport::ConnectionAttributes;

use super::{
    machine::{
        Machine, MachineArguments, RespondersWatch, found_on, is_elsewhere, largest, share_a_cpu,
        written,
    },
    output::{OutputArguments, Seen, ending, thousandth},
    reads::{check_duration, each_once},
};
use crate::{
    arguments::{bytes, duration},
    ending::Ending,
    progress::Progress,
};

/// Lengths of messages in bytes (004 Fig. 8 has them to 8 KiB; ours go on until nothing changes).
const LENGTHS: [u32; 11] = [64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536];

/// Reads of a channel under way.
const READS: u8 = 16;

/// From this many CPUs on either end has a thread: two for these, two for the responders.
const CPUS_FOR_TWO: usize = 4;

/// What the rows of messages over TCP name as their back end.
pub const TCP: &str = "tcp";

/// Measures messages by length: pushed, pulled, and either by a threshold; beside them over TCP.
///
/// Of each length half the time of a message there and one back, and how fast messages arrive that
/// go in one direction. Over TCP, as NetPIPE does it, it is what the kernel takes on loopback, without
/// a network: two threads, a blocking socket each. Messages are compared with what was sent: where
/// they differ, the exit status is 1.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided fabric messages
  onesided fabric messages --profile mybox --out results/tables/mybox/fabric-messages.csv.gz
  onesided fabric messages --threshold 1KiB --hop-delay 50ns --csv
  onesided fabric messages --ways tcp,push

On four CPUs or more there are two nodes, with a thread each and a responder each. On fewer, one
thread has both ends in turns, of one node, whose responder has the second CPU: what both ends
do adds up then. --threads 2 has two threads anyway. TCP has two threads always, on the CPUs of the
two ends, or on those of the thread and the responder: compare it with the fabric only where both
have two threads.")]
pub struct Arguments {
    #[command(flatten)]
    machine: MachineArguments,
    /// How messages get to the receiver [default: push,pull,combined,tcp; without tcp where the
    /// system refuses a connection on loopback]
    #[arg(long, value_name = "WAYS", value_delimiter = ',')]
    ways: Vec<Way>,
    /// Length from which on messages are pulled where there are both ways
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_THRESHOLD_BYTES, value_parser = length)]
    threshold: u32,
    /// Threads that have the ends, 1 or 2 [default: 2 with four CPUs or more, else 1]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=2))]
    threads: Option<u32>,
    /// How long to measure each latency and each bandwidth
    #[arg(long, value_name = "DURATION", default_value = "50ms", value_parser = duration)]
    duration: Duration,
    #[command(flatten)]
    output: OutputArguments,
}

/// How messages get to the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Way {
    /// The sender writes them into the receiver's ring
    Push,
    /// The receiver reads them
    Pull,
    /// Pushed below a threshold, else pulled
    Combined,
    /// The kernel copies them: a connection on loopback, without the fabric
    Tcp,
}

impl Way {
    const ALL: [Self; 4] = [Self::Push, Self::Pull, Self::Combined, Self::Tcp];

    /// On the fabric.
    fn on_fabric(self) -> Option<MessageWay> {
        match self {
            Self::Push => Some(MessageWay::Push),
            Self::Pull => Some(MessageWay::Pull),
            Self::Combined => Some(MessageWay::Combined),
            Self::Tcp => None,
        }
    }
}

fn length(text: &str) -> Result<u32, String> {
    let bytes = bytes(text)?;
    u32::try_from(bytes).map_err(|_| format!("{bytes} bytes are more than a message has"))
}

/// Measures, prints, and writes the table.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    check_duration(arguments.duration)?;
    arguments.output.check()?;
    let machine = Machine::of(&arguments.machine)?;
    let begun = arguments.machine.measuring.begin("fabric messages")?;
    let mut rows = Messages::on(arguments, &machine)?.all()?;
    begun.mark(rows.iter_mut().map(|row| &mut row.doubts));
    arguments.output.show(&rows, &machine, print::tables)?;
    Ok(ending(rows.iter().map(|row| row.doubts.as_deref())))
}

/// What carries the messages of a way.
enum Carrier {
    Fabric(MessageWay, Box<Ends<RmcDevice>>),
    Tcp(Loopback),
}

/// What all measurements share.
struct Messages<'a> {
    arguments: &'a Arguments,
    machine: &'a Machine,
    clock: Clock,
    // First, so that nobody uses a device when it goes.
    carriers: Vec<Carrier>,
    nodes: Vec<RmcDevice>,
    memory_nodes: Vec<Option<NodeId>>,
    threads: Vec<CpuId>,
    responders: Vec<CpuId>,
}

impl<'a> Messages<'a> {
    fn on(arguments: &'a Arguments, machine: &'a Machine) -> anyhow::Result<Self> {
        let usual = if machine.cpus.len() >= CPUS_FOR_TWO { 2 } else { 1 };
        let (threads, responders) = match arguments.threads.unwrap_or(usual) {
            1 => (vec![0], vec![1]),
            _ => (vec![0, 3], vec![2, 1]),
        };
        let cpus = |all: Vec<usize>| -> Vec<CpuId> {
            all.into_iter().map(|thread| machine.cpu(thread)).collect()
        };
        let (threads, responders) = (cpus(threads), cpus(responders));
        let memory_node = |(number, cpu): (usize, &CpuId)| machine.memory_node(number, *cpu);
        let memory_nodes: Vec<_> = responders.iter().enumerate().map(memory_node).collect();
        let node = |(cpu, memory): (&CpuId, &Option<NodeId>)| machine.node(*cpu, *memory);
        let ways = arguments.ways();
        let nodes = match ways.iter().any(|way| way.on_fabric().is_some()) {
            true => {
                responders.iter().zip(&memory_nodes).map(node).collect::<Result<Vec<_>, _>>()?
            }
            false => Vec::new(),
        };
        let carrier = |way: Way| match way.on_fabric() {
            Some(way) => {
                let devices = [&nodes[0], &nodes[nodes.len() - 1]];
                Ok(Some(Carrier::Fabric(way, Box::new(arguments.ends(devices, way)?))))
            }
            None => {
                Ok(loopback(Loopback::connect(), !arguments.ways.is_empty())?.map(Carrier::Tcp))
            }
        };
        let carriers = ways.into_iter().filter_map(|way| carrier(way).transpose());
        let carriers = carriers.collect::<anyhow::Result<_>>()?;
        let clock = Clock::calibrate()?;
        Ok(Self { arguments, machine, clock, carriers, nodes, memory_nodes, threads, responders })
    }

    fn all(mut self) -> anyhow::Result<Vec<FabricMessagesRow>> {
        let replicates = self.arguments.output.replicates.get();
        let longest = self.arguments.duration;
        let each = LENGTHS.len() * self.carriers.len();
        let mut progress = Progress::of(u64::from(replicates) * each as u64);
        let mut rows = Vec::new();
        let mut carriers = std::mem::take(&mut self.carriers);
        for replicate in 1..=replicates {
            // Of the fabric, whose floor it is.
            let trip = match (self.nodes.is_empty(), self.responders.last()) {
                (false, Some(&responder)) => {
                    core_to_core(&self.clock, self.threads[0], responder, longest)?
                }
                _ => None,
            };
            for bytes in LENGTHS {
                // In turns, so that other work on the machine meets all ways alike.
                for carrier in &mut carriers {
                    let place = Place { replicate, bytes, trip };
                    rows.push(self.row(carrier, place)?);
                    progress.step(&format!("{}, {bytes} bytes", carrier.name()));
                }
            }
        }
        progress.end();
        Ok(rows)
    }

    fn row(&self, carrier: &mut Carrier, place: Place) -> anyhow::Result<FabricMessagesRow> {
        match carrier {
            Carrier::Fabric(way, ends) => self.by_fabric(*way, ends, place),
            Carrier::Tcp(ends) => self.by_tcp(ends, place),
        }
    }

    fn by_fabric(
        &self,
        way: MessageWay,
        ends: &mut Ends<RmcDevice>,
        place: Place,
    ) -> anyhow::Result<FabricMessagesRow> {
        let on = match self.threads[..] {
            [one] => Threads::Alone(one),
            [one, other, ..] => Threads::Two([one, other]),
            [] => unreachable!("there is a thread"),
        };
        let watch = RespondersWatch::begin(&self.nodes);
        let (length, longest) = (place.bytes as usize, self.arguments.duration);
        let mut found = ends.measure(&self.clock, length, longest, on)?;
        found.without_cpu = largest([found.without_cpu, watch.without_cpu(&self.nodes)]);
        let memory = self.nodes.iter().map(RmcDevice::pages_by_node);
        let memory: Vec<PagesByNode> = memory.collect::<Result<_, _>>()?;
        let row = self.common(place, &found, &self.threads);
        Ok(FabricMessagesRow {
            back_end: BACK_END.to_owned(),
            fabric_hop_ns: Some(self.machine.hop_ns()),
            hop_by_distance: Some(self.machine.hop_by_distance),
            way: Some(way),
            threshold_bytes: (way == MessageWay::Combined).then_some(self.arguments.threshold),
            responder_cpus: Some(written(&self.responders)),
            responder_nodes: Some(self.machine.nodes_of(&self.responders)),
            core_round_trip_ns: place.trip.map(|trip| thousandth(trip.median)),
            memory_nodes: Some(found_on(&memory)),
            doubts: Seen {
                is_crowded: share_a_cpu(&self.threads, &self.responders),
                is_elsewhere: is_elsewhere(&self.memory_nodes, &memory),
                ..seen(&found)
            }
            .doubts(),
            ..row
        })
    }

    fn by_tcp(&self, ends: &mut Loopback, place: Place) -> anyhow::Result<FabricMessagesRow> {
        let cpus = match self.threads[..] {
            [one, other, ..] => [one, other],
            _ => [self.threads[0], self.responders[0]],
        };
        let (length, longest) = (place.bytes as usize, self.arguments.duration);
        // They have had nothing to do since the last measurement, and sleep after that.
        if !self.nodes.is_empty() {
            thread::sleep(2 * RESPONDERS_SPIN);
        }
        let found = ends.measure(&self.clock, length, longest, cpus)?;
        let doubts = Seen { is_crowded: share_a_cpu(&cpus, &[]), ..seen(&found) }.doubts();
        Ok(FabricMessagesRow { doubts, ..self.common(place, &found, &cpus) })
    }

    /// What a row has whatever carries the messages; over TCP that is all.
    fn common(&self, place: Place, found: &Found, threads: &[CpuId]) -> FabricMessagesRow {
        let Place { replicate, bytes, .. } = place;
        let latency = |of: fn(Spread) -> f64| found.latency_ns.map(|ns| thousandth(of(ns)));
        let gigabits = |of: fn(Spread) -> f64| {
            found.rate.map(|rate| thousandth(of(rate) * f64::from(bytes) * 8.0 / 1e9))
        };
        FabricMessagesRow {
            schema_version: version::FABRIC.written,
            source: Source::Emulated,
            back_end: TCP.to_owned(),
            profile: self.arguments.machine.profile.clone(),
            fabric_hop_ns: None,
            hop_by_distance: None,
            way: None,
            message_bytes: Some(bytes),
            threshold_bytes: None,
            latency_ns: latency(|ns| ns.median),
            latency_low_ns: latency(|ns| ns.low),
            latency_high_ns: latency(|ns| ns.high),
            bandwidth_gbit_per_s: gigabits(|rate| rate.median),
            bandwidth_low_gbit_per_s: gigabits(|rate| rate.low),
            bandwidth_high_gbit_per_s: gigabits(|rate| rate.high),
            replicate: Some(replicate),
            threads: Some(threads.len() as u32),
            latency_samples: Some(found.samples),
            messages: Some(found.messages),
            core_round_trip_ns: None,
            thread_cpus: Some(written(threads)),
            thread_nodes: Some(self.machine.nodes_of(threads)),
            responder_cpus: None,
            responder_nodes: None,
            differing_messages: Some(found.differing_messages),
            memory_nodes: None,
            doubts: None,
        }
    }
}

/// What a row is of, beside who carries the messages.
#[derive(Clone, Copy)]
struct Place {
    replicate: u32,
    bytes: u32,
    /// Of a cache line between the cores of the fabric's first thread and its responder.
    trip: Option<Spread>,
}

impl Carrier {
    fn name(&self) -> String {
        match self {
            Self::Fabric(way, _) => way.to_string(),
            Self::Tcp(_) => TCP.to_owned(),
        }
    }
}

/// A connection over TCP; none where the system refuses it and nobody asked for it, which is said.
fn loopback(
    connected: Result<Loopback, FabricError>,
    is_asked: bool,
) -> anyhow::Result<Option<Loopback>> {
    match connected {
        Err(error) if !is_asked => {
            let why = format!("{:#}", anyhow::Error::from(error));
            say!("messages over TCP are left out, the system refuses a connection: {why}");
            Ok(None)
        }
        connected => Ok(Some(connected.context("--ways push,pull,combined leaves TCP out")?)),
    }
}

impl Arguments {
    /// The ways that are measured, each once.
    fn ways(&self) -> Vec<Way> {
        match self.ways.is_empty() {
            true => Way::ALL.to_vec(),
            false => each_once(self.ways.iter().copied()),
        }
    }

    fn ends(&self, devices: [&RmcDevice; 2], way: MessageWay) -> anyhow::Result<Ends<RmcDevice>> {
        let threshold_bytes = match way {
            MessageWay::Push => ALWAYS_PUSH,
            MessageWay::Pull => ALWAYS_PULL,
            MessageWay::Combined => self.threshold,
        };
        let settings = Settings { threshold_bytes, ..Settings::default() };
        Ok(Ends::connect(devices, &settings, &ConnectionAttributes::reliable(READS))?)
    }
}

/// What messages may be doubted for, as far as a measurement shows it.
fn seen(found: &Found) -> Seen {
    Seen {
        is_different: found.differing_messages > 0,
        without_cpu: found.without_cpu,
        ..Seen::default()
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    fn refused() -> Result<Loopback, FabricError> {
        Err(FabricError::from(io::Error::from(io::ErrorKind::PermissionDenied)))
    }

    #[test]
    fn without_loopback_tcp_is_left_out_unless_it_was_asked_for() {
        assert!(loopback(refused(), false).unwrap().is_none());
        let Err(error) = loopback(refused(), true) else { panic!("it was asked for") };
        assert!(format!("{error:#}").contains("--ways push,pull,combined leaves TCP out"));
        assert!(loopback(Loopback::connect(), false).unwrap().is_some());
    }
}
