//! `onesided run`: one run from flags, or the runs of a table that are not done yet.

mod factors;
mod summary;

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use anyhow::Context;
use clap::Args;
use onesided_control::{Channel, ChannelError, WhenRefused, connect};
use onesided_experiment::RunTable;
use onesided_results::{
    RunConfiguration, RunRecord,
    directory::{Existing, RECORD_FILE, RunDirectory, path_of},
    record::Outcome,
    series::{LatencyBucket, WindowCount},
};
use onesided_runner::{RunResult, Site, run as run_once};
use onesided_verbs::VerbsDevice;

use crate::{
    arguments::{DeviceArguments, TokenArguments, duration},
    back_end,
    ending::Ending,
    progress::Progress,
};

use factors::Factors;
use summary::Summary;

/// Measures: one run described by flags, or every run of a table that is not complete yet.
///
/// Each run leaves OUT/PROFILE/EXPERIMENT/RUN_ID with run.json (configuration, machines, proofs,
/// doubts), windows.csv and latency.csv, whole or not at all. A run of a table that is there
/// already, valid and with the same configuration, is skipped, so an interrupted table is
/// continued by the same command. stdout has one CSV line a run.
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
    #[arg(long, value_name = "FILE", conflicts_with = "Factors")]
    table: Option<PathBuf>,
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
        Some(path) => RunTable::read(path)?.runs().to_vec(),
        None => vec![arguments.factors.configuration(started)?],
    };
    let total = runs.len();
    let due: Vec<_> = runs.into_iter().filter(|run| is_due(arguments, run)).collect();
    if arguments.table.is_some() {
        say!("{} of {total} runs are complete, {} to do", total - due.len(), due.len());
    }
    let due = &due[..due.len().min(arguments.at_most.map_or(usize::MAX, NonZeroUsize::get))];
    let mut summary = Summary::start()?;
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
    let mut progress = Progress::of(due.len() as u64);
    let ended = all(&site, &channel, arguments, due, &mut summary, &mut progress);
    progress.end();
    ended
}

/// Does the runs in order. Ends early only when no later run could succeed.
fn all(
    site: &Site<'_, VerbsDevice>,
    channel: &Channel,
    arguments: &Arguments,
    due: &[RunConfiguration],
    summary: &mut Summary,
    progress: &mut Progress,
) -> anyhow::Result<Ending> {
    let mut ending = Ending::Valid;
    let source = back_end::source(site.transport);
    for (done, configuration) in due.iter().enumerate() {
        let started_at = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
        let result = run_once(site, channel, configuration, source, started_at);
        let path = keep(&arguments.out, &result)?;
        summary.line(&result, &path)?;
        progress.step(&configuration.run_id);
        summary::complain(&result, progress);
        if let Outcome::Failed { .. } = &result.record.outcome {
            // A run that could not be done at all, alone: could not run.
            ending = if due.len() == 1 { Ending::CouldNotRun } else { Ending::CheckFailed };
        } else if !result.record.outcome.is_valid() {
            ending = Ending::CheckFailed;
        }
        // Of a table, what the first run says holds for the others, or is in their records.
        if done == 0 {
            summary::explain(&result, progress);
        }
        if let Some(death) = channel.peer().death() {
            let left = due.len() - done - 1;
            return Err(lost(death, done + 1, left, arguments));
        }
    }
    Ok(ending)
}

fn lost(death: ChannelError, done: usize, left: usize, arguments: &Arguments) -> anyhow::Error {
    let server = &arguments.server;
    anyhow::Error::new(death).context(format!(
        "the server at {server} is gone; {done} runs are kept, {left} are left: start it again and \
         repeat this command"
    ))
}

/// Whether a run is to be done: everything is, but runs of a table that are there and valid.
fn is_due(arguments: &Arguments, configuration: &RunConfiguration) -> bool {
    if arguments.table.is_none() || arguments.again {
        return true;
    }
    !is_complete(&arguments.out, configuration)
}

/// Whether a valid record of exactly this configuration is there.
pub fn is_complete(raw: &Path, configuration: &RunConfiguration) -> bool {
    let record = RunRecord::read(&path_of(raw, configuration).join(RECORD_FILE));
    record.is_ok_and(|record| record.outcome.is_valid() && record.configuration == *configuration)
}

/// Finds out before anything is measured whether results can be kept.
fn prepare_output(out: &Path) -> anyhow::Result<()> {
    let advice = || format!("results cannot be kept in {}: choose another --out", out.display());
    std::fs::create_dir_all(out).with_context(advice)?;
    let probe = out.join(".onesided-writable");
    std::fs::write(&probe, [0]).with_context(advice)?;
    std::fs::remove_file(&probe).with_context(advice)
}

/// Writes a run's directory; returns its path. A valid run that is there is kept when trying it
/// again came to nothing.
fn keep(out: &Path, result: &RunResult) -> anyhow::Result<PathBuf> {
    let path = path_of(out, &result.record.configuration);
    if !result.record.outcome.is_valid() && is_complete(out, &result.record.configuration) {
        return Ok(path);
    }
    let directory = RunDirectory::create(&path, Existing::Replace)?;
    directory.write_record(&result.record)?;
    if let Some(counts) = &result.counts {
        let mut windows = Vec::new();
        let mut buckets = Vec::new();
        for (queue_pair, counted) in counts.queue_pairs() {
            let queue_pair = queue_pair as u32;
            for (window, operations) in counted.windows.iter().enumerate() {
                let start_ns = window as u64 * counts.window_ns();
                let (window, operations) = (window as u32, *operations);
                windows.push(WindowCount { window, start_ns, queue_pair, operations });
            }
            buckets.extend(counted.latency.buckets.iter().map(|bucket| LatencyBucket {
                queue_pair,
                lowest_ns: bucket.lowest_ns,
                highest_ns: bucket.highest_ns,
                count: bucket.count,
            }));
        }
        windows.sort_by_key(|count| (count.window, count.queue_pair));
        directory.write_windows(&windows)?;
        directory.write_latency(&buckets)?;
    }
    Ok(directory.commit()?)
}
