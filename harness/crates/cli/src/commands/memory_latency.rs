//! `onesided memory-latency`: how far apart caches, memory and nodes of this machine are.

mod cells;
mod choices;
mod host;
mod load;
mod outcome;
mod print;
mod rows;

use std::num::{NonZeroU32, NonZeroU64};

use clap::Args;
use onesided_access::chase::Order;
use onesided_measure::Clock;
use onesided_placement::{NodeId, Topology};
use onesided_results::{row::MemoryLatencyRow, vocabulary::LatencyPlacement};

use self::{
    choices::{PagesChoice, SweepChoice, pages},
    host::Host,
    load::LoadArguments,
    outcome::Outcome,
};
use crate::{
    arguments::{RowsArguments, bytes, profile_name, word},
    ending::Ending,
    measuring::MeasuringArguments,
};

/// Measures the latency of dependent loads from every node's CPUs to every node's memory.
///
/// A thread pinned to a CPU of one node follows a chain of pointers through memory bound to
/// another, far beyond the last-level cache: the matrix. A sweep of working sets shows what each
/// cache takes. Where memory really was is proven page by page; where that fails, the exit status
/// is 1. Nothing else should run meanwhile; what does lengthens the quartiles first.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided memory-latency
  onesided memory-latency --profile rome-7402 --out results/tables/memory-latency.csv.gz
  onesided memory-latency --load-threads 8 --load-node 1 --load-write-fraction 0.5")]
pub struct Arguments {
    /// Nodes whose CPUs load, such as 0,2 [default: all that have CPUs]
    #[arg(long, value_name = "NODES", value_delimiter = ',')]
    cpu_node: Vec<NodeId>,
    /// Nodes whose memory is loaded from [default: all that have memory]
    #[arg(long, value_name = "NODES", value_delimiter = ',')]
    memory_node: Vec<NodeId>,
    /// Bytes that the matrix's chase goes through, such as 1GiB [default: 16 times the largest
    /// last-level cache, or what half of the smallest node's free memory holds of that]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    working_set: Option<u64>,
    /// Which pairs of nodes to sweep working sets for: each CPU node with the nearest memory, all,
    /// or none
    #[arg(long, value_name = "PAIRS", default_value = "local")]
    sweep: SweepChoice,
    /// Pages of the memory; auto: 2 MiB of the pool, else transparent ones, else base pages
    #[arg(long, default_value = "auto", value_parser = pages())]
    pages: PagesChoice,
    /// Order of the lines; blocks: random within 256 KiB, then the next, so that translation
    /// hardly counts; whole-range: random over everything
    #[arg(long, default_value = "blocks", value_parser = word::<Order>())]
    order: Order,
    /// How often to measure the whole matrix and the sweeps, each time with memory and orders of their own
    #[arg(long, value_name = "NUMBER", default_value = "3")]
    replicates: NonZeroU32,
    /// How often to time the loads of each pair and working set
    #[arg(long, value_name = "NUMBER", default_value = "15")]
    repetitions: NonZeroU32,
    /// Loads to time at once
    #[arg(long, value_name = "NUMBER", default_value = "262144")]
    loads: NonZeroU64,
    /// Seed of the orders of lines and cells
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Name of the hardware profile that rows are filed under
    #[arg(long, default_value = "unnamed", value_parser = profile_name)]
    profile: String,
    #[command(flatten)]
    measuring: MeasuringArguments,
    #[command(flatten)]
    load: LoadArguments,
    #[command(flatten)]
    rows: RowsArguments,
}

/// Measures, prints, and writes the table.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let topology = Topology::discover()?;
    let host = Host::chosen(arguments, &topology)?;
    arguments.rows.check()?;
    host.skipped.iter().for_each(|line| say!("{line}"));
    let begun = arguments.measuring.begin("memory-latency")?;
    let clock = Clock::calibrate()?;
    let mut rows = cells::measured(arguments, &host, &clock)?;
    rows::take_back_levels(&mut rows);
    let unsteady = rows::doubt_the_unsteady(&mut rows);
    if unsteady > 0 {
        say!(
            "{unsteady} of {} rows took another time than most of the same loads, by more than a tenth: \
             they are marked (latency-unsteady)",
            rows.len()
        );
    }
    begun.mark(rows.iter_mut().map(|row| &mut row.doubts));
    let outcome = Outcome::of(arguments, &host, &rows);
    arguments.rows.show(&rows, &outcome, || print::tables(&outcome))?;
    Ok(ending(&rows))
}

/// Numbers of memory that was not proven to be where they say are marked, and the status tells.
fn ending(rows: &[MemoryLatencyRow]) -> Ending {
    let doubted = |row: &&MemoryLatencyRow| row.placement != Some(LatencyPlacement::Proven);
    let Some(first) = rows.iter().find(doubted) else { return Ending::Valid };
    say!(
        "{} of {} rows are of memory that is not proven to be on its node, the first from node {} \
         to node {}: they are marked in the column placement",
        rows.iter().filter(doubted).count(),
        rows.len(),
        first.cpu_node,
        first.memory_node
    );
    Ending::CheckFailed
}
