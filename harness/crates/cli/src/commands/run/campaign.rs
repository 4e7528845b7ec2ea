//! Runs one after another over one channel, each kept as soon as it has ended.

use std::{
    io::Write,
    path::{Path, PathBuf},
    time::SystemTime,
};

use onesided_control::{Channel, ChannelError, message::LoadSeries};
use onesided_measure::RunCounts;
use onesided_results::{
    RunConfiguration,
    atomic::WriteError,
    directory::{Claim, Existing, path_of},
    record::Outcome,
    series::{LatencyBucket, WindowCount},
    vocabulary::Source,
};
use onesided_runner::{RunResult, Site, run};
use onesided_transport::Transport;

use super::{is_complete, summary};
use crate::{ending::Ending, lines::Lines, progress::Progress};

/// What the runs have in common.
pub struct Campaign<'a, T> {
    /// This side.
    pub site: &'a Site<'a, T>,
    /// To the server.
    pub channel: &'a Channel,
    /// Where the numbers come from.
    pub source: Source,
    /// Directory for results.
    pub out: &'a Path,
    /// The server, as the user named it.
    pub server: &'a str,
}

impl<T: Transport + Sync> Campaign<'_, T> {
    /// Does the runs in order. Ends early only when no later run could succeed.
    pub fn run(
        &self,
        due: &[RunConfiguration],
        lines: &mut Lines<impl Write>,
        progress: &mut Progress,
    ) -> anyhow::Result<Ending> {
        let mut ending = Ending::Valid;
        let mut complete = 0;
        for (done, configuration) in due.iter().enumerate() {
            let claim = match Claim::take(&path_of(self.out, configuration)) {
                Ok(claim) => claim,
                Err(owned @ WriteError::Owned { .. }) => {
                    progress.say(&format!("{}: {owned}", configuration.run_id));
                    ending = Ending::CheckFailed;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let started_at = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
            let result = run(self.site, self.channel, configuration, self.source, started_at);
            let path = keep(self.out, claim, &result)?;
            lines.line(summary::line(&result, &path))?;
            progress.step(&configuration.run_id);
            summary::complain(&result, progress);
            if let Outcome::Failed { .. } = &result.record.outcome {
                // A run that could not be done at all, alone: could not run.
                ending = if due.len() == 1 { Ending::CouldNotRun } else { Ending::CheckFailed };
            } else if !result.record.outcome.is_valid() {
                ending = Ending::CheckFailed;
            }
            complete += usize::from(result.record.outcome.is_valid());
            // Of a table, what the first run says holds for the others, or is in their records.
            if done == 0 {
                summary::explain(&result, progress);
                if due.iter().any(|run| run.client_rings != "any" || run.server_rings != "any") {
                    self.site.rings_elsewhere().iter().for_each(|told| progress.say(told));
                }
            }
            if let Some(death) = self.channel.peer().death() {
                return Err(self.lost(death, complete, due.len() - complete));
            }
        }
        Ok(ending)
    }

    /// `left` are runs that failed, are not valid, or were not tried.
    fn lost(&self, death: ChannelError, complete: usize, left: usize) -> anyhow::Error {
        let server = self.server;
        anyhow::Error::new(death).context(format!(
            "the server at {server} is gone; {complete} of {} runs are complete, {left} to do: start it \
             again and repeat this command",
            complete + left
        ))
    }
}

/// Writes a run's directory; returns its path. A valid run that is there is kept when trying it
/// again came to nothing.
fn keep(out: &Path, claim: Claim, result: &RunResult) -> anyhow::Result<PathBuf> {
    let path = path_of(out, &result.record.configuration);
    if !result.record.outcome.is_valid() && is_complete(out, &result.record.configuration) {
        return Ok(path);
    }
    write(claim, result)
}

/// Writes a run's directory, in the place of what is there; returns its path.
pub fn write(claim: Claim, result: &RunResult) -> anyhow::Result<PathBuf> {
    let directory = claim.directory(Existing::Replace)?;
    directory.write_record(&result.record)?;
    if let Some(counts) = &result.counts {
        let (windows, buckets) = series(counts);
        directory.write_windows(&windows)?;
        directory.write_latency(&buckets)?;
        let load: Vec<_> = result.load.iter().flat_map(LoadSeries::rows).collect();
        if !load.is_empty() {
            directory.write_load(&load)?;
        }
    }
    Ok(directory.commit()?)
}

/// The counts as the rows that are written down.
fn series(counts: &RunCounts) -> (Vec<WindowCount>, Vec<LatencyBucket>) {
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
    (windows, buckets)
}

#[cfg(test)]
mod tests;
