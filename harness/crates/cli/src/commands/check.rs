//! `onesided check`: whether files are what they should be, and a table's runs are all there.

mod columns;

use std::{
    collections::BTreeMap,
    io::{self, Write, stdout},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use clap::Args;
use onesided_estimate::stored::read_conditions;
use onesided_experiment::{Blocks, Design, RunTable, profile};
use onesided_results::{
    RunRecord,
    directory::RECORD_FILE,
    record::HostLoadRecord,
    row::{
        ClaimRow, ClientRow, ConditionRow, FabricMessagesRow, FabricPagerankRow, FabricReadsRow,
        LatencyRow, ManifestRow, MemoryLatencyRow, PcieOperationRow, PcieTransferRow,
        PredictionRow, PublishedClientRow, PublishedRunRow, RunRow, ShapeRow, TraceRow, WindowRow,
    },
    series::{LatencyBucket, LoadCount, WindowCount},
    table::{Extra, Row, TableReader},
    vocabulary::{Source, ThreadRole},
};

use super::run::{incomplete, runs_of};
use crate::ending::Ending;

/// Checks files and run directories against their formats, and a run table against its results.
///
/// One line each on stdout; exit status 1 when anything is wrong or missing.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided check experiments/*.toml runs.csv
  onesided check profiles/*/machine.toml
  onesided check results/raw/lab/latency-by-queue-pairs/*
  onesided check --table runs.csv --raw results/raw       is every run there and valid?")]
pub struct Arguments {
    /// Designs (.toml), hardware profiles (machine.toml), run tables (runs.csv), tidy tables
    /// (runs.csv.gz ...), the tables of `import`, `claims`, `memory-latency` and `fabric`, run directories;
    /// a table of another name is told by its columns
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
    for path in &arguments.paths {
        match examine(path) {
            Ok(found) => tell(&format!("ok {}: {found}", path.display()))?,
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
        say!("{} runs in the table, {wrong} not complete", table.runs().len());
    }
    Ok(if wrong == 0 { Ending::Valid } else { Ending::CheckFailed })
}

/// Prints a line; the verdict does not depend on somebody reading it.
fn tell(line: &str) -> io::Result<()> {
    match writeln!(stdout(), "{line}") {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// Reads a file or directory by its strict reader; says what it is.
fn examine(path: &Path) -> anyhow::Result<String> {
    std::fs::metadata(path)?;
    if path.is_dir() {
        return examine_run(path);
    }
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if name == profile::FILE {
        let machine = profile::read(path)?;
        let nics: usize = machine.hosts.iter().map(|host| host.nics.len()).sum();
        let nodes: usize = machine.hosts.iter().map(|host| host.nodes.len()).sum();
        return Ok(format!("profile {}, nodes: {nodes}, NICs: {nics}", machine.profile.name));
    }
    if name.ends_with(".toml") {
        let design = Design::read(path)?;
        return Ok(format!("design {}", design.name));
    }
    if name == RECORD_FILE {
        return Ok(format!("record of {}", RunRecord::read(path)?.configuration.run_id));
    }
    if let Some(found) = examine_table(name, path)? {
        return Ok(found);
    }
    if name.ends_with(".csv") || name.ends_with(".csv.gz") {
        return examine_by_columns(path);
    }
    bail!(
        "neither a design (.toml), a hardware profile (machine.toml), a run table (.csv), a table \
         (.csv, .csv.gz) nor a run's directory"
    )
}

/// Reads a table whose name says nothing; says what it is.
fn examine_by_columns(path: &Path) -> anyhow::Result<String> {
    let read = || Ok(format!("run table of {} runs", RunTable::read(path)?.runs().len()));
    if columns::are_a_run_tables(path) {
        return read();
    }
    if let Some(usual) = columns::usual_name(path)
        && let Some(found) = examine_table(usual, path)?
    {
        return Ok(format!("{found}, by the columns of {usual}"));
    }
    read().context("taken for a run table, as its name and columns are those of no other table")
}

/// Reads a table of a known name; says what it is.
fn examine_table(name: &str, path: &Path) -> anyhow::Result<Option<String>> {
    let found = match name {
        RunRow::FILE => format!("{} rows of runs", run_rows(path)?),
        ClientRow::FILE => format!("{} rows of clients", client_rows(path)?),
        ConditionRow::FILE => format!("{} rows of conditions", read_conditions(path)?.len()),
        TraceRow::FILE => format!("{} rows of traces", rows::<TraceRow>(path)?),
        ManifestRow::FILE => format!("manifest of {} files", rows::<ManifestRow>(path)?),
        ClaimRow::FILE => format!("{} rows of claims", rows::<ClaimRow>(path)?),
        WindowRow::FILE => format!("{} rows of windows", rows::<WindowRow>(path)?),
        LatencyRow::FILE => format!("{} rows of latencies", rows::<LatencyRow>(path)?),
        WindowCount::FILE => format!("{} windows", rows::<WindowCount>(path)?),
        LatencyBucket::FILE => format!("{} buckets", rows::<LatencyBucket>(path)?),
        LoadCount::FILE => format!("{} windows of load", rows::<LoadCount>(path)?),
        MemoryLatencyRow::FILE | "memory-latency.csv" => {
            format!("{} rows of memory latencies", rows::<MemoryLatencyRow>(path)?)
        }
        FabricReadsRow::FILE | "fabric-reads.csv" => {
            format!("{} rows of remote reads", rows::<FabricReadsRow>(path)?)
        }
        FabricMessagesRow::FILE | "fabric-messages.csv" => {
            format!("{} rows of messages", rows::<FabricMessagesRow>(path)?)
        }
        FabricPagerankRow::FILE | "fabric-pagerank.csv" => {
            format!("{} rows of PageRank", rows::<FabricPagerankRow>(path)?)
        }
        PcieOperationRow::FILE | "pcie-operations.csv.gz" => {
            format!("{} rows of operations on PCI Express", rows::<PcieOperationRow>(path)?)
        }
        PcieTransferRow::FILE | "pcie-transfers.csv.gz" => {
            format!("{} rows of transfers on PCI Express", rows::<PcieTransferRow>(path)?)
        }
        PredictionRow::FILE | "predictions.csv" => {
            format!("{} rows of predictions", rows::<PredictionRow>(path)?)
        }
        ShapeRow::FILE | "shapes.csv" => {
            format!("{} rows of shapes", rows::<ShapeRow>(path)?)
        }
        _ => return Ok(None),
    };
    Ok(Some(found))
}

fn examine_run(path: &Path) -> anyhow::Result<String> {
    let record = RunRecord::read(&path.join(RECORD_FILE))?;
    let Some(totals) = &record.totals else {
        bail!("no counts: {:?}", record.outcome);
    };
    let mut operations = 0;
    for row in TableReader::<WindowCount>::open(&path.join(WindowCount::FILE), Extra::Refused)? {
        operations += row?.operations;
    }
    if operations != totals.operations {
        bail!("windows add up to {operations} operations, the record has {}", totals.operations);
    }
    let mut samples = 0;
    for row in TableReader::<LatencyBucket>::open(&path.join(LatencyBucket::FILE), Extra::Refused)?
    {
        samples += row?.count;
    }
    if samples != totals.samples {
        bail!("buckets add up to {samples} latencies, the record has {}", totals.samples);
    }
    if let Some(load) = record.server.as_ref().and_then(|server| server.load.as_ref()) {
        examine_load(path, load)?;
    }
    if !record.outcome.is_valid() {
        bail!("{:?}", record.outcome);
    }
    Ok(format!("run of {operations} operations"))
}

/// The windows of workers and load against what the record says they did in all, which is more by
/// what the first and the last window cut off.
fn examine_load(path: &Path, load: &HostLoadRecord) -> anyhow::Result<()> {
    let mut accesses: BTreeMap<(ThreadRole, u32), u64> = BTreeMap::new();
    for row in TableReader::<LoadCount>::open(&path.join(LoadCount::FILE), Extra::Refused)? {
        let row = row?;
        *accesses.entry((row.role, row.worker)).or_default() += row.accesses;
    }
    for thread in &load.threads {
        let (role, index) = (thread.role, thread.thread);
        let counted = accesses.remove(&(role, index)).unwrap_or(0);
        if counted > thread.accesses {
            let all = thread.accesses;
            bail!("windows of {role} {index} add up to {counted} accesses, the record has {all}");
        }
    }
    if let Some((role, index)) = accesses.keys().next() {
        bail!("there are windows of {role} {index}, whom the record does not know");
    }
    Ok(())
}

/// Rows of runs; imported ones, told by their source, need the columns that only they have.
fn run_rows(path: &Path) -> anyhow::Result<u64> {
    if any::<RunRow>(path, |run| run.source == Source::Published)? {
        return rows::<PublishedRunRow>(path);
    }
    rows::<RunRow>(path)
}

/// The same of clients.
fn client_rows(path: &Path) -> anyhow::Result<u64> {
    if any::<ClientRow>(path, |client| client.source == Source::Published)? {
        return rows::<PublishedClientRow>(path);
    }
    rows::<ClientRow>(path)
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

fn rows<T: Row>(path: &Path) -> anyhow::Result<u64> {
    let mut count = 0;
    for row in TableReader::<T>::open(path, Extra::Skipped)? {
        row?;
        count += 1;
    }
    Ok(count)
}

#[cfg(test)]
mod tests;
