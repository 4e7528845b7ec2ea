//! `onesided simulate`: the runs of a table in virtual time, on the machine of a profile.

mod jobs;
mod machine;
mod standing;

use std::{
    collections::HashMap,
    io::{Stdout, Write, stdout},
    num::NonZeroUsize,
    path::{Path, PathBuf},
    thread::available_parallelism,
};

use anyhow::ensure;
use clap::Args;
use onesided_experiment::Blocks;
use onesided_prediction::{Share, SimulatedMachine, SimulatedRun, simulate_run, simulation_of};
use onesided_results::{
    RunConfiguration,
    record::Outcome,
    table::{Extra, TableReader},
};
use onesided_runner::RunResult;

use super::run::{Summary, complain, prepare_output, runs_of, write};
use crate::{arguments::profile_name, ending::Ending, progress::Progress};

/// Simulates: every run of a table that is not complete yet, in virtual time, with the parameters in
/// PROFILES/NAME/simulation.toml.
///
/// Each run leaves OUT/PROFILE/EXPERIMENT/RUN_ID as those of `onesided run` do, with source
/// `simulated`. The same table and profile give the same bytes, on any machine and with any number
/// of jobs. A run that is there, of the same configuration, parameters and share, is kept. What the
/// model has no notion of is not simulated: such a run's record says which factor, and the exit
/// status is 1. stdout has one CSV line a run, in the order of the table.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided expand experiments/*.toml --profile nurdma-cx3 --out runs.csv
  onesided simulate --table runs.csv --profile nurdma-cx3 --out results/raw
  onesided simulate --table runs.csv --profile nurdma-cx3 --share 0.01 --jobs 2    a quick look
  onesided simulate --table runs.csv --profile nurdma-cx3 --set-up v2 --out results/v2")]
pub struct Arguments {
    /// Run table (runs.csv, see `onesided expand`)
    #[arg(long, value_name = "FILE")]
    table: PathBuf,
    /// Profile of the machine, whose simulation.toml has the parameters; the table is to be of it
    #[arg(long, value_name = "NAME", value_parser = profile_name)]
    profile: String,
    /// Directory of the profiles
    #[arg(long, value_name = "DIRECTORY", default_value = "profiles")]
    profiles: PathBuf,
    /// Set-up of the profile, where it has several [default: what all have in common]
    #[arg(long, value_name = "NAME")]
    set_up: Option<String>,
    /// Directory for results
    #[arg(long, value_name = "DIRECTORY", default_value = "results/raw")]
    out: PathBuf,
    /// Only these blocks of the table, as 1-5
    #[arg(long, value_name = "FIRST-LAST")]
    blocks: Option<Blocks>,
    /// Do also what is complete
    #[arg(long)]
    again: bool,
    /// Runs at once, 1 or more [default: as many as there are CPUs]
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<NonZeroUsize>,
    /// Share of the times and operations asked for to simulate, above 0 and at most 1; whole counting
    /// windows, one at least. It is in the records, and a doubt
    #[arg(long, value_name = "SHARE", default_value = "1")]
    share: Share,
}

/// Simulates what is due.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let machine = machine::read(arguments)?;
    let runs = runs_of(&arguments.table, arguments.blocks)?.runs().to_vec();
    check_profile(arguments, &runs)?;
    let (total, simulation) = (runs.len(), simulation_of(&machine, arguments.share));
    let due = standing::due(&arguments.out, runs, &simulation, arguments.again)?;
    say!("{} of {total} runs are complete, {} to do", total - due.len(), due.len());
    let mut report = Report::of(arguments, due.len())?;
    if due.is_empty() {
        return Ok(Ending::Valid);
    }
    prepare_output(&arguments.out)?;
    let one = |configuration: &RunConfiguration| simulate_one(arguments, &machine, configuration);
    jobs::in_order(jobs_of(arguments), &due, one, |done| report.tell(&done))?;
    report.progress.end();
    Ok(report.ending)
}

fn jobs_of(arguments: &Arguments) -> NonZeroUsize {
    arguments.jobs.or_else(|| available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}

/// Records of one machine under the name of another would be taken for that one's.
fn check_profile(arguments: &Arguments, runs: &[RunConfiguration]) -> anyhow::Result<()> {
    let Arguments { table, profile, .. } = arguments;
    let other = runs.iter().find(|run| run.profile != *profile);
    let named = other.map_or("", |run| &run.profile);
    ensure!(
        other.is_none(),
        "{}: column profile: run {} is of {named}, not of {profile}: expand the designs for it \
         (`onesided expand --profile {profile}`)",
        table.display(),
        other.map_or("", |run| &run.run_id),
    );
    Ok(())
}

/// A run that was tried and written down.
struct Done {
    result: RunResult,
    path: PathBuf,
}

fn simulate_one(
    arguments: &Arguments,
    machine: &SimulatedMachine,
    configuration: &RunConfiguration,
) -> anyhow::Result<Done> {
    let SimulatedRun { record, counts } = simulate_run(machine, configuration, arguments.share);
    let result = RunResult { record, counts, load: Vec::new() };
    let path = write(&arguments.out, &result)?;
    Ok(Done { result, path })
}

/// What is said about the runs.
struct Report<W: Write> {
    summary: Summary<W>,
    progress: Progress,
    ending: Ending,
    table: String,
    lines: Lines,
}

/// Lines of a table by experiment and name of the run.
type Lines = HashMap<(String, String), u64>;

impl Report<Stdout> {
    fn of(arguments: &Arguments, due: usize) -> anyhow::Result<Self> {
        Ok(Self {
            summary: Summary::on(stdout()),
            progress: Progress::of(due as u64),
            ending: Ending::Valid,
            table: arguments.table.display().to_string(),
            lines: lines_of(&arguments.table)?,
        })
    }
}

/// Where each run stands in a table, which may be in another order than the runs.
fn lines_of(table: &Path) -> anyhow::Result<Lines> {
    let mut reader = TableReader::<RunConfiguration>::open(table, Extra::Refused)?;
    let mut lines = Lines::new();
    while let Some(run) = reader.next().transpose()? {
        lines.insert((run.experiment, run.run_id), reader.line());
    }
    Ok(lines)
}

impl<W: Write> Report<W> {
    fn tell(&mut self, done: &Done) -> anyhow::Result<()> {
        let Done { result, path } = done;
        let record = &result.record;
        let configuration = &record.configuration;
        self.summary.line(result, path)?;
        self.progress.step(&configuration.run_id);
        if !record.outcome.is_valid() {
            self.ending = Ending::CheckFailed;
        }
        match &record.outcome {
            Outcome::Failed { message, .. } => {
                let key = (configuration.experiment.clone(), configuration.run_id.clone());
                let (table, line) = (&self.table, self.lines.get(&key).copied().unwrap_or(0));
                let run = &configuration.run_id;
                self.progress.say(&format!("{table}:{line}: run {run} not simulated: {message}"));
            }
            _ => complain(result, &self.progress),
        }
        Ok(())
    }
}
