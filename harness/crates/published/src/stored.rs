//! What the study's tables must be beside each other, and beside the paths of its files.
//!
//! Everything in them is of one release, so they say much of it twice: a path says all factors of its
//! runs, the manifest their checksums and lines, clients what runs are estimated from, traces what
//! clients did. A number or a level that was changed in one of them is so found, whatever checksums
//! say. What neither another table nor the path knows is what the file alone holds.
//!
//! `cli/tests/mutations.rs` changes cells by the hundred and asks for them.

mod clients;
mod paths;

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
};

use onesided_estimate::stored::{Place, StoredError};
use onesided_results::{
    RunRow,
    row::{ManifestRow, PublishedClientRow, PublishedRunRow, TraceRow},
    table::{Extra, Row, TableError, TableReader, read_rows},
    vocabulary::Source,
};

/// Refuses tables of the study in `folder` of which one says something else than another does, or
/// than the paths of its files; nothing is said of a folder with none.
///
/// # Errors
/// [`StoredError`]
pub fn check(folder: &Path) -> Result<(), StoredError> {
    let path = folder.join(RunRow::FILE);
    if !path.exists() {
        return Ok(());
    }
    let first = TableReader::<RunRow>::open(&path, Extra::Skipped)?.next().transpose()?;
    if first.is_none_or(|run| run.source != Source::Published) {
        return Ok(());
    }
    let runs = read_rows::<PublishedRunRow>(&path)?;
    paths::check(&path, &runs)?;
    if let Some((path, manifest)) = beside::<ManifestRow>(folder)? {
        paths::check_manifest(&path, &manifest, &runs)?;
    }
    let Some((clients_path, clients)) = beside::<PublishedClientRow>(folder)? else {
        return Ok(());
    };
    let mut of_runs: BTreeMap<&str, Vec<(usize, &PublishedClientRow)>> = BTreeMap::new();
    for (index, client) in clients.iter().enumerate() {
        of_runs.entry(&client.common.run_id).or_default().push((index + 2, client));
    }
    let traces = beside::<TraceRow>(folder)?;
    let mut traced: HashMap<&str, Vec<(usize, &TraceRow)>> = HashMap::new();
    for (index, row) in traces.iter().flat_map(|(_, rows)| rows).enumerate() {
        traced.entry(&row.run_id).or_default().push((index + 2, row));
    }
    for (index, run) in runs.iter().enumerate() {
        let told = clients::Told { runs: &path, line: index + 2, run, clients: &clients_path };
        let run_id = run.common.run_id.as_str();
        let of_run = of_runs.remove(run_id).unwrap_or_default();
        told.check(&of_run)?;
        if let (Some((path, _)), Some(trace)) = (&traces, traced.remove(run_id)) {
            told.check_trace(path, &trace, &of_run)?;
        }
    }
    // Whatever is left is of no run.
    let stray =
        of_runs.into_iter().next().map(|(run_id, of_run)| (&clients_path, of_run[0].0, run_id));
    let of_traces = traces.as_ref().zip(traced.into_iter().next());
    let trace = of_traces.map(|((path, _), (run_id, rows))| (path, rows[0].0, run_id));
    match stray.or(trace) {
        None => Ok(()),
        Some((table, line, run_id)) => {
            let place = Place { path: table, line, beside: &path };
            place.refuse("run_id", run_id, "no such run")
        }
    }
}

/// The table beside others, where there is one.
fn beside<R: Row>(folder: &Path) -> Result<Option<(PathBuf, Vec<R>)>, TableError> {
    let path = folder.join(R::FILE);
    if !path.exists() {
        return Ok(None);
    }
    read_rows(&path).map(|rows| Some((path, rows)))
}
