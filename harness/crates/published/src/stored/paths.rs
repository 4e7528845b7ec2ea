//! Runs beside what the paths of their files say, and beside the manifest.

use std::{collections::HashMap, path::Path};

use onesided_estimate::stored::{Place, StoredError};
use onesided_results::{
    Doubt,
    row::{ManifestRow, PublishedRun, PublishedRunRow},
    table::{Row as _, cells},
    vocabulary::RawStatus,
};

use crate::{
    doubts,
    factors::{Content, Factors},
    import::{described, relations::settled, verdict},
    key_value::{PLACEMENTS, Placement},
    run::{RawFile, rows},
};

/// Refuses a run whose factors are not those of its path, that is no copy of what it is said to be a
/// copy of, or that its doubts do not make invalid.
pub(super) fn check(path: &Path, runs: &[PublishedRunRow]) -> Result<(), StoredError> {
    let files: Vec<RawFile> = (runs.iter().enumerate())
        .map(|(index, run)| {
            let raw_path = &run.own.raw_path;
            let file = described(raw_path.clone()).ok().filter(|file| file.factors.is_some());
            let no_run = || {
                Place { path, line: index + 2, beside: Path::new("the release") }
                    .refuse("raw_path", raw_path, "")
            };
            file.map_or_else(no_run, Ok)
        })
        .collect::<Result<_, _>>()?;
    let mut due = Vec::with_capacity(runs.len());
    for (index, (run, file)) in runs.iter().zip(&files).enumerate() {
        let factors = file.factors.as_ref().expect("it is a run");
        let factors = &of_run(path, index + 2, run, file, factors)?;
        due.push((remade(run, file, factors), doubts_of(run, file, factors), file));
    }
    let settled = match settled(path, due) {
        Ok(settled) => settled,
        Err(error) => {
            let place = Place { path, line: 1, beside: path };
            return place.refuse("raw_path", error, "the run that it is a copy of");
        }
    };
    for (index, (found, due)) in runs.iter().zip(&settled).enumerate() {
        // Nearly always; to write both as text takes as long as to read one.
        if found == due {
            continue;
        }
        let source = Path::new(&found.own.raw_path);
        for ((column, found), (_, due)) in cells(found).into_iter().zip(cells(due)) {
            if column != "schema_version" {
                Place { path, line: index + 2, beside: source }.expect(column, found, due)?;
            }
        }
    }
    Ok(())
}

/// The factors of a run: those of its path, and of a cell of a table those of the cell.
fn of_run(
    path: &Path,
    line: usize,
    run: &PublishedRunRow,
    file: &RawFile,
    factors: &Factors,
) -> Result<Factors, StoredError> {
    if factors.content != Content::KeyValue {
        return Ok(factors.clone());
    }
    let run_id = &run.common.run_id;
    let of_cell = |placement: Placement| {
        let factors = rows::factors_of_cell(factors, placement, run.common.queue_pairs);
        let row = rows::of_cell(file, &factors, placement, &run.own.raw_sha256);
        (row.common.run_id == *run_id).then_some(factors)
    };
    let cell = PLACEMENTS.into_iter().find_map(of_cell);
    let no_cell = || {
        Place { path, line, beside: Path::new(&file.raw_path) }.refuse(
            "run_id",
            run_id,
            "no such cell",
        )
    };
    cell.map_or_else(no_cell, Ok)
}

/// The doubts that follow from the factors and the numbers that are stored.
fn doubts_of(run: &PublishedRunRow, file: &RawFile, factors: &Factors) -> Vec<Doubt> {
    let PublishedRun { closure, fast_regime_fraction, status, stalled_ns, .. } = run.own;
    let mut found = doubts::of_factors(factors);
    found.extend(doubts::of_file(status, file.oddity));
    if let Some(closure) = closure.filter(|_| status == RawStatus::Ok) {
        let speeds = doubts::usual_speed(factors).zip(fast_regime_fraction);
        let has_window = run.common.throughput_ops.is_some();
        found.extend(doubts::of_estimate(closure, has_window, speeds));
    }
    // How long each stall was is in the file alone.
    let stalled = Doubt::Stalled { threads: 0, of: 0, longest_ms: 0.0 };
    let said = run.common.doubts.split(' ').any(|word| word == stalled.name());
    if said && stalled_ns.is_some_and(|ns| ns > 0) {
        found.push(stalled);
    }
    found
}

/// The run that its path says, with the numbers that are stored of it.
fn remade(run: &PublishedRunRow, file: &RawFile, factors: &Factors) -> PublishedRunRow {
    let (found, own) = (&run.common, &run.own);
    let mut made = rows::run(file, factors, &own.raw_sha256, own.status);
    if factors.content == Content::KeyValue {
        made.common.run_id = found.run_id.clone();
    }
    let common = &mut made.common;
    common.operations = found.operations;
    common.throughput_published_ops = found.throughput_published_ops;
    common.throughput_ops = found.throughput_ops;
    common.throughput_low_ops = found.throughput_low_ops;
    common.throughput_high_ops = found.throughput_high_ops;
    common.latency_mean_ns = found.latency_mean_ns;
    common.latency_sd_ns = found.latency_sd_ns;
    common.samples = found.samples;
    made.own = PublishedRun {
        closure: own.closure,
        window_fraction: own.window_fraction,
        fast_regime_fraction: own.fast_regime_fraction,
        stalled_ns: own.stalled_ns,
        throughput_running_ops: own.throughput_running_ops,
        ..made.own
    };
    made
}

/// Refuses a manifest that is not of the runs' files.
pub(super) fn check_manifest(
    path: &Path,
    manifest: &[ManifestRow],
    runs: &[PublishedRunRow],
) -> Result<(), StoredError> {
    let mut of_files: HashMap<&str, &PublishedRunRow> = HashMap::new();
    for run in runs {
        of_files.insert(&run.own.raw_path, run);
    }
    for (index, row) in manifest.iter().enumerate() {
        let line = index + 2;
        let of_release = Place { path, line, beside: Path::new("the release") };
        let Ok(file) = described(row.raw_path.clone()) else {
            return of_release.refuse("raw_path", &row.raw_path, "no such file");
        };
        let is_missing = row.sha256.is_none();
        let due = if is_missing { "missing".to_owned() } else { verdict(file.oddity) };
        of_release.expect("verdict", &row.verdict, due)?;
        let (Some(factors), false) = (&file.factors, is_missing) else { continue };
        let of_run = Place { beside: Path::new(PublishedRunRow::FILE), ..of_release };
        let Some(run) = of_files.remove(row.raw_path.as_str()) else {
            return of_run.refuse("raw_path", &row.raw_path, "no run");
        };
        let sha256 = row.sha256.as_deref().unwrap_or_default();
        of_run.expect("sha256", sha256, &run.own.raw_sha256)?;
        let lines = match factors.content {
            Content::Rates => run.common.samples.or(Some(0)),
            Content::Latencies => Some(u64::from(run.common.queue_pairs) + 1),
            Content::KeyValue => None,
        };
        let (found, due) = (row.rows.unwrap_or(0), lines.or(row.rows).unwrap_or(0));
        of_run.expect("rows", found, due)?;
    }
    match of_files.into_values().next() {
        None => Ok(()),
        Some(run) => {
            Place { path, line: 1, beside: path }.refuse("raw_path", "nothing", &run.own.raw_path)
        }
    }
}
