//! `onesided simulate`: the runs of a table in virtual time, on the machine of a profile.

mod jobs;
pub(super) mod machine;
mod standing;
mod study;

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
use onesided_prediction::{Share, SimulatedMachine, SimulatedRun, Study, simulate_run};
use onesided_results::{
    RunConfiguration,
    directory::{Claim, path_of},
    record::Outcome,
    table::{Extra, TableReader},
};
use onesided_runner::RunResult;

use self::machine::Machines;
use super::run::{complain, line, prepare_output, runs_of, write};
use crate::{arguments::profile_name, ending::Ending, lines::Lines, progress::Progress};

/// Simulates: every run of a table that is not complete yet, in virtual time, with the parameters in
/// PROFILES/NAME/simulation.toml.
///
/// Each run leaves OUT/PROFILE/EXPERIMENT/RUN_ID as those of `onesided run` do, with source
/// `simulated`. The same table and profile give the same bytes, on any machine and with any number
/// of jobs. A run that is there, of the same configuration, parameters and share, is kept. What the
/// model has no notion of is not simulated: such a run's record says which factor, and the exit
/// status is 1. stdout has one CSV line a run, in the order of the table.
///
/// With --study instead of --table: sweeps of papers, point by point. stdout has one CSV line a
/// point, and OUT the same as shapes.csv.gz.
#[derive(Args)]
#[command(after_help = help())]
pub struct Arguments {
    /// Run table (runs.csv, see `onesided expand`)
    #[arg(long, value_name = "FILE", required_unless_present = "study", conflicts_with = "study")]
    table: Option<PathBuf>,
    /// Sweeps instead of a table, by name
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    study: Vec<String>,
    /// Profile of the machine, whose simulation.toml has the parameters; the table is to be of it
    #[arg(long, value_name = "NAME", value_parser = profile_name)]
    profile: String,
    /// Directory of the profiles
    #[arg(long, value_name = "DIRECTORY", default_value = "profiles")]
    profiles: PathBuf,
    /// Set-ups of the profile to use, one for each state of ddio [default: for each run the last set-up
    /// with its ddio, if there is one]
    #[arg(long, value_name = "NAME+NAME", value_delimiter = '+')]
    set_up: Vec<String>,
    /// Directory for results [default: results/raw; of studies, none but stdout]
    #[arg(long, value_name = "DIRECTORY")]
    out: Option<PathBuf>,
    /// Only these blocks of the table, as 1-5
    #[arg(long, value_name = "FIRST-LAST", conflicts_with = "study")]
    blocks: Option<Blocks>,
    /// Repeat runs that are complete
    #[arg(long, conflicts_with = "study")]
    again: bool,
    /// Runs at once, 1 or more [default: as many as there are CPUs]
    #[arg(long, value_name = "NUMBER")]
    jobs: Option<NonZeroUsize>,
    /// Simulate only this part of each run's time and operations, above 0 and at most 1; rounded to whole
    /// counting windows, one at least. Records have it, and are marked simulated-in-part
    #[arg(long, value_name = "SHARE", default_value = "1", conflicts_with = "study")]
    share: Share,
}

const EXAMPLES: &str = "Examples:
  onesided expand experiments/*.toml --profile nurdma-cx3 --out runs.csv
  onesided simulate --table runs.csv --profile nurdma-cx3 --out results/raw
  onesided simulate --table runs.csv --profile nurdma-cx3 --share 0.01 --jobs 2    a quick look
  onesided simulate --table runs.csv --profile nurdma-cx3 --set-up v2 --out results/v2
  onesided simulate --study size,atomics --profile atc16-cib --out results/tables/atc16-cib
  onesided simulate --study queue-pairs,client-hosts --profile nurdma-cx3

Studies:";

/// Examples, and the studies there are.
fn help() -> String {
    let line = |study: &Study| format!("\n  {:<17}{}", study.name, study.about);
    Study::ALL.iter().fold(EXAMPLES.to_owned(), |help, study| help + &line(study))
}

/// Where the runs of a table go.
const RAW: &str = "results/raw";

/// Simulates what is due.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let Arguments { profiles, profile, set_up, .. } = arguments;
    let machines = Machines::read(profiles, profile, set_up)?;
    match &arguments.table {
        Some(table) => runs_of_table(arguments, table, &machines),
        None => study::run(arguments, machines.first()),
    }
}

fn runs_of_table(
    arguments: &Arguments,
    table: &Path,
    machines: &Machines,
) -> anyhow::Result<Ending> {
    let raw = arguments.out.as_deref().unwrap_or(Path::new(RAW));
    let runs = runs_of(table, arguments.blocks)?.runs().to_vec();
    check_profile(table, &arguments.profile, &runs)?;
    if arguments.set_up.is_empty() {
        machines.tell(&runs);
    }
    let total = runs.len();
    let simulation_of = |run: &RunConfiguration| machines.simulation_of(run, arguments);
    let due = standing::due(raw, runs, simulation_of, arguments.again)?;
    say!("{} of {total} runs are complete, {} to do", total - due.len(), due.len());
    let mut report = Report::of(table, due.len())?;
    if due.is_empty() {
        return Ok(Ending::Valid);
    }
    prepare_output(raw)?;
    let one = |configuration: &RunConfiguration| {
        simulate_one(raw, arguments.share, machines.of(configuration), configuration)
    };
    jobs::in_order(jobs_of(arguments), &due, one, |done| report.tell(&done))?;
    report.progress.end();
    Ok(report.ending)
}

fn jobs_of(arguments: &Arguments) -> NonZeroUsize {
    arguments.jobs.or_else(|| available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
}

/// Records of one machine under the name of another would be taken for that one's.
fn check_profile(table: &Path, profile: &str, runs: &[RunConfiguration]) -> anyhow::Result<()> {
    let other = runs.iter().find(|run| run.profile != profile);
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
    raw: &Path,
    share: Share,
    machine: &SimulatedMachine,
    configuration: &RunConfiguration,
) -> anyhow::Result<Done> {
    let claim = Claim::take(&path_of(raw, configuration))?;
    let SimulatedRun { record, counts } = simulate_run(machine, configuration, share);
    let result = RunResult { record, counts, load: Vec::new() };
    let path = write(claim, &result)?;
    Ok(Done { result, path })
}

/// What is said about the runs.
struct Report<W: Write> {
    lines: Lines<W>,
    progress: Progress,
    ending: Ending,
    table: String,
    places: Places,
}

/// Where a table has its runs: lines by experiment and name of the run.
type Places = HashMap<(String, String), u64>;

impl Report<Stdout> {
    fn of(table: &Path, due: usize) -> anyhow::Result<Self> {
        Ok(Self {
            lines: Lines::on(stdout()),
            progress: Progress::of(due as u64),
            ending: Ending::Valid,
            table: table.display().to_string(),
            places: places_of(table)?,
        })
    }
}

/// Where each run stands in a table, which may be in another order than the runs.
fn places_of(table: &Path) -> anyhow::Result<Places> {
    let mut reader = TableReader::<RunConfiguration>::open(table, Extra::Refused)?;
    let mut places = Places::new();
    while let Some(run) = reader.next().transpose()? {
        places.insert((run.experiment, run.run_id), reader.line());
    }
    Ok(places)
}

impl<W: Write> Report<W> {
    fn tell(&mut self, done: &Done) -> anyhow::Result<()> {
        let Done { result, path } = done;
        let record = &result.record;
        let configuration = &record.configuration;
        self.lines.line(line(result, path))?;
        self.progress.step(&configuration.run_id);
        if !record.outcome.is_valid() {
            self.ending = Ending::CheckFailed;
        }
        match &record.outcome {
            Outcome::Failed { message, .. } => {
                let key = (configuration.experiment.clone(), configuration.run_id.clone());
                let (table, line) = (&self.table, self.places.get(&key).copied().unwrap_or(0));
                let run = &configuration.run_id;
                self.progress.say(&format!("{table}:{line}: run {run} not simulated: {message}"));
            }
            _ => complain(result, &self.progress),
        }
        Ok(())
    }
}
