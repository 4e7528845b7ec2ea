//! `onesided run`: one run from flags, or the runs of a table that are not done yet.

mod campaign;
mod factors;
mod flag_names;
mod summary;

use std::{
    io::stdout,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use anyhow::Context;
use clap::Args;
use onesided_control::{WhenRefused, connect};
use onesided_experiment::{Blocks, RunTable};
use onesided_results::{
    RunConfiguration, RunRecord,
    directory::{RECORD_FILE, path_of},
    record::ReadRecordError,
    series::{LatencyBucket, WindowCount},
    table::Row as _,
};

use crate::{
    arguments::{DeviceArguments, TokenArguments, duration},
    back_end,
    ending::Ending,
    progress::Progress,
};

use campaign::Campaign;
use factors::Factors;
use summary::Summary;

/// Measures: one run described by flags, or every run of a table that is not complete yet.
///
/// Each run leaves OUT/PROFILE/EXPERIMENT/RUN_ID with run.json (configuration, machines, proofs,
/// doubts), windows.csv, latency.csv and, with workers or a load, load.csv, whole or not at all. A
/// run of a table that is there already, valid and with the same configuration, is skipped, so an
/// interrupted table is continued by the same command. stdout has one CSV line a run.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided run --operation write --queue-pairs 8 --threads 2 --server-region rdma-remote
  onesided run --loop open --arrivals poisson --rate 10000 --address-pattern zipf \\
      --zipf-exponent 0.99 --working-set 1MiB
  onesided run --server 10.0.0.2:18515 --table runs.csv --out results/raw")]
pub struct Arguments {
    /// Control address of the server
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:18515")]
    server: String,
    /// How long to wait for a server that is not up yet
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = duration)]
    wait_for_server: Duration,
    #[command(flatten)]
    device: DeviceArguments,
    #[command(flatten)]
    token: TokenArguments,
    /// Directory for results
    #[arg(long, value_name = "DIRECTORY", default_value = "results/raw")]
    out: PathBuf,
    /// Run table (runs.csv, see `onesided expand`) instead of flags
    #[arg(long, value_name = "FILE")]
    table: Option<PathBuf>,
    /// Only these blocks of the table, as 1-5
    #[arg(long, value_name = "FIRST-LAST", requires = "table")]
    blocks: Option<Blocks>,
    /// Do also what is complete
    #[arg(long, requires = "table")]
    again: bool,
    /// Do so many runs of the table at the most, 1 or more; the same command goes on later
    #[arg(long, value_name = "NUMBER", requires = "table")]
    at_most: Option<NonZeroUsize>,
    #[command(flatten)]
    factors: Factors,
}

/// Runs what was asked for.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let started = SystemTime::now();
    let runs = match &arguments.table {
        Some(path) => runs_of(path, arguments.blocks)?.runs().to_vec(),
        None => vec![arguments.factors.configuration(started)?],
    };
    if arguments.table.is_some() && !arguments.again {
        refuse_other_versions(&arguments.out, &runs)?;
    }
    let total = runs.len();
    let due: Vec<_> = runs.into_iter().filter(|run| is_due(arguments, run)).collect();
    if arguments.table.is_some() {
        say!("{} of {total} runs are complete, {} to do", total - due.len(), due.len());
    }
    let due = &due[..due.len().min(arguments.at_most.map_or(usize::MAX, NonZeroUsize::get))];
    let mut summary = Summary::on(stdout());
    if due.is_empty() {
        return Ok(Ending::Valid);
    }
    prepare_output(&arguments.out)?;
    let device = back_end::open(&arguments.device)?;
    let site = back_end::site(&device, &arguments.device)?;
    let token = arguments.token.for_client(arguments.wait_for_server)?;
    let settings = back_end::control_settings();
    let channel = connect(
        &arguments.server,
        &token,
        arguments.wait_for_server,
        WhenRefused::Retry,
        &settings,
    )?;
    let campaign = Campaign {
        site: &site,
        channel: &channel,
        source: back_end::source(&device),
        out: &arguments.out,
        server: &arguments.server,
    };
    let mut progress = Progress::of(due.len() as u64);
    let ended = campaign.run(due, &mut summary, &mut progress);
    progress.end();
    ended
}

/// The runs of a table, of all its blocks or some.
pub fn runs_of(path: &Path, blocks: Option<Blocks>) -> anyhow::Result<RunTable> {
    let table = RunTable::read(path)?;
    let Some(blocks) = blocks else { return Ok(table) };
    blocks.of(table).with_context(|| path.display().to_string())
}

/// Whether a run is to be done: everything is, but runs of a table that are there and valid.
fn is_due(arguments: &Arguments, configuration: &RunConfiguration) -> bool {
    if arguments.table.is_none() || arguments.again {
        return true;
    }
    !is_complete(&arguments.out, configuration)
}

/// Whether a valid record of this configuration is there, with the tables beside it: a directory
/// that was copied in part has the one without the others.
///
/// Its place in the run order does not count: a level that is added to the design moves the others.
pub fn is_complete(raw: &Path, configuration: &RunConfiguration) -> bool {
    let directory = path_of(raw, configuration);
    let beside = [WindowCount::FILE, LatencyBucket::FILE];
    let is_it = |record: RunRecord| {
        let (block, order) = (configuration.block, configuration.order);
        let found = RunConfiguration { block, order, ..record.configuration };
        record.outcome.is_valid() && found == *configuration
    };
    RunRecord::read(&directory.join(RECORD_FILE)).is_ok_and(is_it)
        && beside.iter().all(|file| directory.join(file).exists())
}

/// Refuses to take for missing, and so to replace, what another version of this program measured.
pub fn refuse_other_versions(raw: &Path, runs: &[RunConfiguration]) -> anyhow::Result<()> {
    let of_another = |run: &RunConfiguration| {
        let record = RunRecord::read(&path_of(raw, run).join(RECORD_FILE));
        record.err().filter(|error| matches!(error, ReadRecordError::UnknownVersion { .. }))
    };
    let mut others = runs.iter().filter_map(of_another);
    let Some(first) = others.next() else { return Ok(()) };
    let (count, raw) = (1 + others.count(), raw.display());
    Err(anyhow::Error::new(first).context(format!(
        "{count} runs in {raw} are another version's and would be replaced: move {raw} elsewhere \
         to keep them, or remove them"
    )))
}

/// Finds out before anything is measured whether results can be kept.
fn prepare_output(out: &Path) -> anyhow::Result<()> {
    let advice = || format!("results cannot be kept in {}: choose another --out", out.display());
    std::fs::create_dir_all(out).with_context(advice)?;
    let probe = out.join(".onesided-writable");
    std::fs::write(&probe, [0]).with_context(advice)?;
    std::fs::remove_file(&probe).with_context(advice)
}
