//! `onesided import`: measurements that others published, as tables.

use std::{
    io::{Write, stdout},
    num::NonZeroUsize,
    path::PathBuf,
    thread::available_parallelism,
};

use anyhow::{Context, ensure};
use clap::{Args, Subcommand};
use onesided_published::{import, import::files, release};

use crate::{ending::Ending, printed::counted, progress::Progress};

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
/// Writes runs.csv.gz, clients.csv.gz, conditions.csv.gz, traces.csv.gz and manifest.csv. They
/// replace those that are there only when all five are on the disk. Equal files make equal tables,
/// whatever the number of threads. A file that is not as the study's programs write them is an
/// error, unless it is known to be odd; so is a release that is not whole.
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
    /// Imports a release that lacks files, too; manifest.csv names them, and the exit status is 1
    #[arg(long, requires = "out")]
    partial: bool,
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
    let missing = release::missing(&files);
    if let Some(first) = missing.first() {
        let lacks = format!(
            "{} lacks {} of the release's {} files, the first is {first}",
            arguments.results.display(),
            missing.len(),
            release::paths().count()
        );
        ensure!(
            arguments.partial,
            "{lacks}: give the whole folder, or import a part by --partial --out DIRECTORY"
        );
        say!("{lacks}");
    }
    std::fs::create_dir_all(&arguments.out)
        .with_context(|| format!("cannot create {}", arguments.out.display()))?;
    let mut progress = Progress::of(files.len() as u64);
    let summary =
        import(&arguments.results, &files, &arguments.out, threads, |path| progress.step(path));
    progress.end();
    let summary = summary?;
    say!(
        "{} read; {} odd, empty or missing; {}, {} of them not valid; {}",
        counted(summary.files, "file"),
        summary.odd,
        counted(summary.runs, "run"),
        summary.invalid,
        counted(summary.conditions, "condition")
    );
    writeln!(stdout(), "{}", arguments.out.display())?;
    Ok(if missing.is_empty() { Ending::Valid } else { Ending::CheckFailed })
}
