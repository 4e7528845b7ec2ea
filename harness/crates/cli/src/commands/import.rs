//! `onesided import`: measurements that others published, as tables.

use std::{
    io::{Write, stdout},
    num::NonZeroUsize,
    path::PathBuf,
    thread::available_parallelism,
};

use anyhow::Context;
use clap::{Args, Subcommand};
use onesided_published::{import, import::files, oddities::FILES_OF_THE_RELEASE};

use crate::{ending::Ending, progress::Progress};

/// Makes tables of measurements that others published.
#[derive(Args)]
pub struct Arguments {
    #[command(subcommand)]
    release: Release,
}

#[derive(Subcommand)]
enum Release {
    Nurdma(NurdmaArguments),
}

/// Imports the raw results of the study, release sss-lehigh/nurdma.
///
/// Writes runs.csv.gz, clients.csv.gz, conditions.csv.gz, traces.csv.gz and manifest.csv: all of
/// them, or none. Equal files make equal tables, whatever the number of threads. A file that is
/// not as the study's programs write them is an error, unless it is known to be odd.
#[derive(Args)]
#[command(after_help = "Example:
  onesided import nurdma --results nurdma/results --out data/published")]
struct NurdmaArguments {
    /// Folder `results` of the release
    #[arg(long, value_name = "DIRECTORY")]
    results: PathBuf,
    /// Directory for the tables
    #[arg(long, value_name = "DIRECTORY", default_value = "data/published")]
    out: PathBuf,
    /// Threads that read files [default: one for each CPU]
    #[arg(long, value_name = "NUMBER")]
    threads: Option<NonZeroUsize>,
}

/// Writes the tables.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let Release::Nurdma(arguments) = &arguments.release;
    let threads = match arguments.threads {
        Some(threads) => threads,
        None => available_parallelism().context("cannot count the CPUs: give --threads")?,
    };
    let files = files(&arguments.results)?;
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("cannot create {}", arguments.out.display()))?;
    let mut progress = Progress::of(files.len() as u64);
    let summary =
        import(&arguments.results, &files, &arguments.out, threads, |path| progress.step(path));
    progress.end();
    let summary = summary?;
    if summary.files != FILES_OF_THE_RELEASE {
        say!("{} files, the release has {FILES_OF_THE_RELEASE}", summary.files);
    }
    say!(
        "{} files, {} of them odd, empty or missing; {} runs, {} of them not valid; {} conditions",
        summary.files,
        summary.odd,
        summary.runs,
        summary.invalid,
        summary.conditions
    );
    writeln!(stdout(), "{}", arguments.out.display())?;
    Ok(Ending::Valid)
}
