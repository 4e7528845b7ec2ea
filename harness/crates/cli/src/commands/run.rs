//! `onesided run`: one run from flags, or the runs of a table that are not done yet.

mod campaign;
mod factors;
mod standing;
mod summary;

use std::{
    io::{Stdout, stdout},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::SystemTime,
};

use anyhow::Context;
use clap::Args;
use onesided_experiment::{Blocks, RunTable};
use onesided_results::{RunConfiguration, vocabulary::Source};
use onesided_runner::Site;
use onesided_transport::Transport;

use crate::{
    arguments::{DeviceArguments, ServerArguments},
    back_end::{OnDevice, on_device},
    ending::Ending,
    interruption::leave_nothing_behind,
    lines::Lines,
    measuring::MeasuringArguments,
    progress::Progress,
};

use campaign::Campaign;
pub use campaign::write;
use factors::Factors;
pub use standing::incomplete;
use standing::is_complete;
pub use summary::{complain, line};

/// Measures: one run described by flags, or every run of a table that is not complete yet.
///
/// Each run leaves OUT/PROFILE/EXPERIMENT/RUN_ID with run.json (configuration, machines, proofs,
/// doubts), windows.csv, latency.csv and, with workers or a load, load.csv, whole or not at all. A
/// run of a table that is there already, valid and with the same configuration, is skipped, so an
/// interrupted table is continued by the same command. stdout has one CSV line a run.
#[derive(Args)]
#[command(
    after_help = "PLACE is one of: any, a node's number, rdma-local, rdma-remote. For threads also cpus:LIST (one CPU
each) or shared:NODE (any CPU of the node). For the load's memory also bind:LIST (of nodes),
interleave (all nodes), interleave:LIST or preferred:NODE.

Examples:
  onesided run --operation write --queue-pairs 8 --threads 2 --server-region rdma-remote
  onesided run --loop open --arrivals poisson --rate 10000 --address-pattern zipf \\
      --zipf-exponent 0.99 --working-set 1MiB
  onesided run --back-end rmc --operation write --queue-pairs 2
  onesided run --server 10.0.0.2:18515 --table runs.csv --out results/raw"
)]
pub struct Arguments {
    #[command(flatten)]
    server: ServerArguments,
    #[command(flatten)]
    device: DeviceArguments,
    /// Directory for results
    #[arg(long, value_name = "DIRECTORY", default_value = "results/raw")]
    out: PathBuf,
    /// Run table (runs.csv, see `onesided expand`) instead of flags
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Only these blocks of the table, as 1-5
    #[arg(long, value_name = "FIRST-LAST", requires = "table")]
    blocks: Option<Blocks>,
    /// Repeat runs that are complete
    #[arg(long, requires = "table")]
    again: bool,
    /// Stop after so many runs of the table, 1 or more; the same command goes on later
    #[arg(long, value_name = "NUMBER", requires = "table")]
    at_most: Option<NonZeroUsize>,
    #[command(flatten)]
    measuring: MeasuringArguments,
    #[command(flatten)]
    factors: Factors,
}

/// Runs what was asked for.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    leave_nothing_behind()?;
    let started = SystemTime::now();
    let runs = match &arguments.table {
        Some(path) => runs_of(path, arguments.blocks)?.runs().to_vec(),
        None => {
            let run = arguments.factors.configuration(started)?;
            arguments.device.check_losses(run.service)?;
            vec![run]
        }
    };
    let total = runs.len();
    // Everything is to be done, but runs of a table that are there and valid.
    let due = if arguments.table.is_none() || arguments.again {
        runs
    } else {
        incomplete(&arguments.out, runs)?
    };
    if arguments.table.is_some() {
        say!("{} of {total} runs are complete, {} to do", total - due.len(), due.len());
    }
    let due = &due[..due.len().min(arguments.at_most.map_or(usize::MAX, NonZeroUsize::get))];
    let lines = Lines::on(stdout());
    if due.is_empty() {
        return Ok(Ending::Valid);
    }
    prepare_output(&arguments.out)?;
    on_device(&arguments.device, Doing { arguments, due, lines })
}

/// Runs that are due.
struct Doing<'a> {
    arguments: &'a Arguments,
    due: &'a [RunConfiguration],
    lines: Lines<Stdout>,
}

impl OnDevice for Doing<'_> {
    type Output = Ending;

    fn on<T: Transport + Sync>(
        mut self,
        mut site: Site<'_, T>,
        source: Source,
    ) -> anyhow::Result<Ending> {
        let Arguments { server, out, measuring, .. } = self.arguments;
        site.turn = Some(measuring.take_turn("run")?);
        let channel = server.connect()?;
        let campaign =
            Campaign { site: &site, channel: &channel, source, out, server: &server.server };
        let mut progress = Progress::of(self.due.len() as u64);
        let ended = campaign.run(self.due, &mut self.lines, &mut progress);
        progress.end();
        ended
    }
}

/// The runs of a table, of all its blocks or some.
pub fn runs_of(path: &Path, blocks: Option<Blocks>) -> anyhow::Result<RunTable> {
    let table = RunTable::read(path)?;
    let Some(blocks) = blocks else { return Ok(table) };
    blocks.of(table).with_context(|| path.display().to_string())
}

/// Finds out before anything is measured whether results can be kept.
pub fn prepare_output(out: &Path) -> anyhow::Result<()> {
    let advice = || format!("results cannot be kept in {}: choose another --out", out.display());
    std::fs::create_dir_all(out).with_context(advice)?;
    // Others may find it out at the same moment.
    let probe = out.join(format!(".onesided-writable-{}", std::process::id()));
    std::fs::write(&probe, [0]).with_context(advice)?;
    std::fs::remove_file(&probe).with_context(advice)
}
