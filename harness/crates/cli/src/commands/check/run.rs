//! A run's directory: whether its files are whole, agree with each other, and count.

use std::{collections::BTreeMap, path::Path};

use anyhow::bail;
use onesided_estimate::CollectedRun;
use onesided_results::{
    RunRecord, RunRow,
    directory::RECORD_FILE,
    record::HostLoadRecord,
    series::LoadCount,
    table::{Extra, Row, TableReader},
    vocabulary::ThreadRole,
};

/// A run whose files are whole, whatever it is worth.
pub struct WholeRun {
    /// Its record.
    pub record: RunRecord,
    /// Its row in the table of runs.
    pub row: RunRow,
    /// How many rows it has in the tables of parts of runs.
    pub parts: Parts,
}

/// How many rows a run has in each table of parts of runs.
#[derive(Clone, Copy)]
pub struct Parts {
    /// In the one of clients.
    pub clients: u64,
    /// In the one of windows.
    pub windows: u64,
    /// In the one of latencies.
    pub latency: u64,
}

/// Reads every file of a run, and holds them against each other.
pub fn whole_run(path: &Path) -> anyhow::Result<WholeRun> {
    let record = RunRecord::read(&path.join(RECORD_FILE))?;
    let run = CollectedRun::read(path)?;
    let parts = Parts {
        clients: run.clients.len() as u64,
        windows: run.windows().count() as u64,
        latency: run.latency().count() as u64,
    };
    if let Some(load) = record.server.as_ref().and_then(|server| server.load.as_ref())
        && record.totals.is_some()
    {
        examine_load(path, load)?;
    }
    Ok(WholeRun { record, row: run.row, parts })
}

/// The same, of a run that counts.
pub fn examine_run(path: &Path) -> anyhow::Result<String> {
    let record = RunRecord::read(&path.join(RECORD_FILE))?;
    let Some(totals) = &record.totals else {
        bail!("no counts: {:?}", record.outcome);
    };
    let operations = totals.operations;
    let WholeRun { record, .. } = whole_run(path)?;
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

#[cfg(test)]
mod tests;
