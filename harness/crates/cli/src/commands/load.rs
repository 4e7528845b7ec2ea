//! `onesided load`: independent load in a process of its own.

mod plan;
mod print;
mod wait;

use std::{num::NonZeroU32, time::Duration};

use clap::Args;
use onesided_access::threads::{Running, termination::Termination};
use onesided_results::vocabulary::{LoadPattern, Moment, PageSize};

use crate::{
    arguments::{bytes, duration, word},
    ending::Ending,
};

use plan::Prepared;
use wait::Ends;

/// Loads this machine's memory: threads that read and write a buffer of their own.
///
/// stdout has lines of JSON: `ready`, with the proof of where the buffer is, once every thread
/// loads; `proof`, the same again, for each line that comes on stdin with --until-stdin-closes;
/// `report`, with what each thread did in each window, at the end. It ends after --duration, on
/// SIGTERM or SIGINT, or as --until-stdin-closes says.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided load --bytes 1GiB --threads 4 --duration 10s
  onesided load --bytes 8000000000B --threads 128 --write-fraction 0.5 --until-stdin-closes
  onesided load --bytes 1GiB --threads 8 --threads-on 1 --memory interleave:0,1 --pattern stream
  onesided load --bytes 64MiB --threads-on cpus:0 --memory rdma-remote --device-node 0 --rate 1e6")]
pub struct Arguments {
    /// Bytes of the buffer, which all threads share
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    bytes: u64,
    /// Threads [default: 1, or one for each of cpus:LIST]
    #[arg(long, value_name = "NUMBER")]
    threads: Option<NonZeroU32>,
    /// Where they run: any, rdma-local, rdma-remote, a node, shared:NODE, or cpus:LIST; on a node,
    /// each is pinned to one of its CPUs, in turn; on a shared one, to all of them
    #[arg(long, value_name = "PLACE", default_value = "any")]
    threads_on: String,
    /// Pin the threads to the CPUs of cpus:LIST in turn, however many they are
    #[arg(long, hide = true)]
    in_turn: bool,
    /// Pin each thread to all CPUs of cpus:LIST, however many threads they are
    #[arg(long, hide = true, conflicts_with = "in_turn")]
    on_all: bool,
    /// Where the buffer is: any (each thread touches its share first), interleave,
    /// interleave:NODES, preferred:NODE, bind:NODES, rdma-local, rdma-remote, or a node
    #[arg(long, value_name = "PLACE", default_value = "any")]
    memory: String,
    /// Share of writes, 0 to 1
    #[arg(long, value_name = "FRACTION", default_value_t = 0.0)]
    write_fraction: f64,
    /// Which addresses each thread goes to
    #[arg(long, value_name = "PATTERN", value_parser = word::<LoadPattern>(), default_value = "uniform")]
    pattern: LoadPattern,
    /// Bytes of an access: 1, 2, 4, 8, 16, 32 or 64
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value = "8")]
    width: u64,
    /// Accesses of each thread in a second [default: as many as it can]
    #[arg(long, value_name = "PER_SECOND", conflicts_with = "think_time")]
    rate: Option<f64>,
    /// Pause of each thread after an access
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    think_time: Option<Duration>,
    /// Size of the buffer's pages: base, or those of the kernel's pool
    #[arg(long, value_name = "PAGES", value_parser = word::<PageSize>(), default_value = "base")]
    pages: PageSize,
    /// How long to load [default: until stopped]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    duration: Option<Duration>,
    /// End when stdin ends: with the program that started this one
    #[arg(long)]
    until_stdin_closes: bool,
    /// Length of a counting window
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "10ms")]
    window: Duration,
    /// How long windows are told apart, where --duration does not say it
    #[arg(long, value_name = "DURATION", value_parser = duration, default_value = "10min",
        conflicts_with = "duration")]
    count_windows_for: Duration,
    /// Seed of everything random
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// RDMA device that rdma-local and rdma-remote refer to [default: the first]
    #[arg(long, env = "ONESIDED_DEVICE")]
    device: Option<String>,
    /// NUMA node of the device, where the kernel does not know it or is wrong
    #[arg(long, value_name = "NODE")]
    device_node: Option<u32>,
}

/// Loads until it is to end.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    // First of all: threads inherit that signals wait.
    let termination = Termination::hold()?;
    let prepared = Prepared::of(arguments)?;
    let ends = Ends::watch(termination, arguments.duration, arguments.until_stdin_closes);
    let clock = prepared.clock;
    let running = Running::start(prepared.plan())?;
    let started_raw_ns = clock.raw_ns_at(running.started())?;
    let before = prepared.proof(Moment::Before)?;
    print::ready(&prepared, &before)?;
    let why = ends.wait(&running, || print::proof(&prepared.proof(Moment::During)?))?;
    let reports = running.stop()?;
    let after = prepared.proof(Moment::After)?;
    say!("load: {why}");
    print::report(&prepared, started_raw_ns, &after, &reports)?;
    let kept = before.is_kept() && after.is_kept();
    Ok(if kept { Ending::Valid } else { Ending::CheckFailed })
}
