//! `onesided collect`: raw runs to the tidy tables that figures and claims read.

use std::{
    io::{Write, stdout},
    path::PathBuf,
};

use anyhow::{Context, ensure};
use clap::Args;
use onesided_estimate::{Collector, collect::run_directories};
use onesided_experiment::RunTable;
use onesided_results::directory::path_of;

use crate::{ending::Ending, printed::counted, progress::Progress};

/// Collects run directories into runs.csv.gz, clients.csv.gz, windows.csv.gz and latency.csv.gz.
///
/// Runs that are invalid or failed are rows, too, marked as such: nothing is dropped in silence.
#[derive(Args)]
#[command(after_help = "Example:
  onesided collect --raw results/raw --table runs.csv --out results/tables")]
pub struct Arguments {
    /// Directory that is searched for runs
    #[arg(long, value_name = "DIRECTORY", default_value = "results/raw")]
    raw: PathBuf,
    /// Only the runs of this run table; may be repeated [default: every run there is]
    #[arg(long, value_name = "FILE")]
    table: Vec<PathBuf>,
    /// Directory for the tables
    #[arg(long, value_name = "DIRECTORY", default_value = "results/tables")]
    out: PathBuf,
}

/// Writes the tables.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let directories = match &arguments.table[..] {
        [] => run_directories(&arguments.raw)?,
        tables => {
            let tables = tables.iter().map(|table| RunTable::read(table));
            let table = RunTable::joined(tables.collect::<Result<_, _>>()?)?;
            let wanted = table.runs().iter().map(|run| path_of(&arguments.raw, run));
            let there: Vec<_> = wanted.filter(|directory| directory.exists()).collect();
            say!("{} of the {} runs asked for are there", there.len(), table.runs().len());
            there
        }
    };
    ensure!(!directories.is_empty(), "there is no run in {}", arguments.raw.display());
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("cannot create {}", arguments.out.display()))?;
    let mut collector = Collector::create(&arguments.out)?;
    let mut progress = Progress::of(directories.len() as u64);
    let mut invalid = 0_u64;
    for directory in &directories {
        let row = collector.add(directory)?;
        invalid += u64::from(!row.valid);
        progress.step(&row.run_id);
    }
    collector.finish()?;
    progress.end();
    say!("{} collected, {invalid} of them not valid", counted(directories.len(), "run"));
    writeln!(stdout(), "{}", arguments.out.display())?;
    Ok(Ending::Valid)
}
