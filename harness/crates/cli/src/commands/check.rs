//! `onesided check`: whether files are what they should be, and a table's runs are all there.

mod bundle;
mod run;

pub use bundle::{BundleCheck, folders_of, in_words};

use std::{
    io::{self, Write, stdout},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use clap::Args;
use onesided_estimate::stored::read_conditions;
use onesided_experiment::{Blocks, Design, RunTable, profile};
use onesided_results::{
    RunConfiguration, RunRecord,
    bundle::{ARCHIVE_ENDING, MANIFEST_FILE},
    directory::RECORD_FILE,
    row::{ClientRow, ConditionRow, PublishedClientRow, PublishedRunRow, RunRow},
    schema::{TABLES, Table},
    table::{Extra, Row, TableError, TableReader},
    vocabulary::Source,
};

use self::{
    bundle::{NoPlace, examine_archive, examine_unpacked},
    run::examine_run,
};
use super::run::{incomplete, runs_of};
use crate::{
    ending::Ending, interruption::leave_nothing_behind, printed::counted, say::in_one_line,
    stored::check_folder,
};

/// Checks files and run directories against their formats, and a run table against its results.
///
/// One line each on stdout; exit status 1 when anything is wrong or missing.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided check experiments/*.toml runs.csv
  onesided check profiles/*/*.toml
  onesided check results/raw/lab/latency-by-queue-pairs/*
  onesided check data/published                           its tables, and one beside the other
  onesided check mycluster.tar.gz                         a bundle: each file and run of it
  onesided check --table runs.csv --raw results/raw       is every run there and valid?")]
pub struct Arguments {
    /// Results bundles (.tar.gz, or the folder of an unpacked one), designs (.toml), profiles (machine.toml, simulation.toml), run tables (runs.csv), tidy tables
    /// (runs.csv.gz ...), the tables of `import`, `claims`, `memory-latency` and `fabric`, run directories,
    /// directories of tables, each of which is also held against the others; a table of another name is
    /// told by its columns
    #[arg(value_name = "PATH", required_unless_present = "table")]
    paths: Vec<PathBuf>,
    /// Run table whose runs should all be complete
    #[arg(long, value_name = "FILE", requires = "raw")]
    table: Option<PathBuf>,
    /// Directory of raw results
    #[arg(long, value_name = "DIRECTORY", requires = "table")]
    raw: Option<PathBuf>,
    /// Only these blocks of the run table, as 1-5
    #[arg(long, value_name = "FIRST-LAST", requires = "table")]
    blocks: Option<Blocks>,
}

/// Checks, and says what is wrong.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let mut wrong = 0_u64;
    leave_nothing_behind()?;
    for path in &arguments.paths {
        match examine(path) {
            Ok(found) => tell(&format!("ok {}: {found}", path.display()))?,
            // Nothing is known of it then.
            Err(error) if error.is::<NoPlace>() => return Err(error),
            Err(error) => {
                wrong += 1;
                tell(&format!("WRONG {}: {error:#}", path.display()))?;
            }
        }
    }
    if let (Some(table), Some(raw)) = (&arguments.table, &arguments.raw) {
        let table = runs_of(table, arguments.blocks)?;
        for run in incomplete(raw, table.runs().to_vec())? {
            wrong += 1;
            tell(&format!("MISSING {} of {}", run.run_id, run.experiment))?;
        }
        say!("{} in the table, {wrong} not complete", counted(table.runs().len(), "run"));
    }
    Ok(if wrong == 0 { Ending::Valid } else { Ending::CheckFailed })
}

/// Prints a line; the verdict does not depend on somebody reading it.
pub fn tell(line: &str) -> io::Result<()> {
    match writeln!(stdout(), "{}", in_one_line(line)) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Reads a file or directory by its strict reader; says what it is.
fn examine(path: &Path) -> anyhow::Result<String> {
    std::fs::metadata(path)?;
    if path.is_dir() {
        return match () {
            () if path.join(MANIFEST_FILE).exists() => examine_unpacked(path),
            () if path.join(RunRow::FILE).exists() => examine_folder(path),
            () => examine_run(path),
        };
    }
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if name == profile::FILE {
        let machine = profile::read(path)?;
        let nics: usize = machine.hosts.iter().map(|host| host.nics.len()).sum();
        let nodes: usize = machine.hosts.iter().map(|host| host.nodes.len()).sum();
        return Ok(format!("profile {}, nodes: {nodes}, NICs: {nics}", machine.profile.name));
    }
    if name.ends_with(ARCHIVE_ENDING) {
        return examine_archive(path);
    }
    if name == onesided_prediction::FILE {
        let parameters = onesided_prediction::read_profile(path)?.parameters.len();
        return Ok(format!("{parameters} parameters of the simulator"));
    }
    if name.ends_with(".toml") {
        let design = Design::read(path)?;
        return Ok(format!("design {}", design.name));
    }
    if name == RECORD_FILE {
        return Ok(format!("record of {}", RunRecord::read(path)?.configuration.run_id));
    }
    if let Some(table) = Table::called(name) {
        return examine_table(table, path);
    }
    if name.ends_with(".csv") || name.ends_with(".csv.gz") {
        return examine_by_columns(path);
    }
    bail!(
        "neither a design (.toml), a profile (machine.toml, simulation.toml), a run table (.csv), a \
         table (.csv, .csv.gz), a run's directory nor a results bundle (.tar.gz, or its folder)"
    )
}

/// Reads every table of a folder, each beside the others; says what they are.
fn examine_folder(folder: &Path) -> anyhow::Result<String> {
    let mut found = Vec::new();
    for table in &TABLES {
        let path = folder.join(table.file);
        // Several kinds of rows may have one name.
        let is_new = !found.iter().any(|(file, _)| *file == table.file);
        if is_new && path.exists() && Table::called(table.file).is_some() {
            found.push((table.file, examine_table(table, &path)?));
        }
    }
    check_folder(folder)?;
    let told: Vec<_> = found.into_iter().map(|(_, told)| told).collect();
    Ok(told.join(", "))
}

/// Reads a table whose name says nothing; says what it is.
fn examine_by_columns(path: &Path) -> anyhow::Result<String> {
    let read =
        || Ok(format!("run table of {}", counted(RunTable::read(path)?.runs().len(), "run")));
    if TableReader::<RunConfiguration>::open(path, Extra::Refused).is_ok() {
        return read();
    }
    match Table::by_columns(path) {
        Some(table) => {
            Ok(format!("{}, by the columns of {}", examine_table(table, path)?, table.file))
        }
        None => read()
            .context("taken for a run table, as its name and columns are those of no other table"),
    }
}

/// Reads a table; says what it is. Of the study's runs and clients it has more columns.
fn examine_table(table: &Table, path: &Path) -> anyhow::Result<String> {
    let count = match table.file {
        RunRow::FILE if any::<RunRow>(path, |run| run.source == Source::Published)? => {
            rows::<PublishedRunRow>(path)?
        }
        RunRow::FILE => rows::<RunRow>(path)?,
        ClientRow::FILE if any::<ClientRow>(path, |client| client.source == Source::Published)? => {
            rows::<PublishedClientRow>(path)?
        }
        ClientRow::FILE => rows::<ClientRow>(path)?,
        ConditionRow::FILE => read_conditions(path)?.len() as u64,
        _ => (table.count)(path)?,
    };
    Ok(format!("{count} {}", table.rows))
}

/// Whether a row is of that kind; the rest of the table is not read.
fn any<T: Row>(path: &Path, is_wanted: impl Fn(&T) -> bool) -> anyhow::Result<bool> {
    for row in TableReader::<T>::open(path, Extra::Skipped)? {
        if is_wanted(&row?) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn rows<T: Row>(path: &Path) -> Result<u64, TableError> {
    let mut rows = TableReader::<T>::open(path, Extra::Skipped)?;
    rows.try_fold(0, |count, row| row.map(|_| count + 1))
}
