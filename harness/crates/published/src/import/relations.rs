//! What a run is only beside the others: a copy, a replicate, of a condition.

use std::{collections::HashMap, path::Path};

use onesided_results::{
    Doubt,
    row::{ConditionRow, PublishedRunRow},
    vocabulary::RawStatus,
};

use crate::{
    RawError,
    digits::six_digits,
    doubts,
    oddities::{FILED_RIGHTLY, Oddity},
    run::RawFile,
};

/// A run with what speaks against it so far, and its file.
pub(crate) type Unsettled<'f> = (PublishedRunRow, Vec<Doubt>, &'f RawFile);

/// The rows with their copies, replicates and doubts, in their order.
///
/// # Errors
/// When a run that is known as a copy has no original.
pub(crate) fn settled(
    results: &Path,
    mut runs: Vec<Unsettled<'_>>,
) -> Result<Vec<PublishedRunRow>, RawError> {
    mark_copies(results, &mut runs)?;
    let mut replicates: HashMap<_, u32> = HashMap::new();
    let settle = |(mut row, doubts, _): Unsettled<'_>| {
        row.common.valid = doubts::is_valid(&doubts);
        row.common.doubts = doubts::words(doubts);
        if row.common.valid {
            let place = (row.common.condition_key(), row.own.code_generation, row.own.campaign);
            let replicate = replicates.entry(place).or_default();
            *replicate += 1;
            row.common.replicate = Some(*replicate);
        }
        row
    };
    Ok(runs.into_iter().map(settle).collect())
}

/// Finds runs of one content. The first one that is filed rightly is the original.
fn mark_copies(results: &Path, runs: &mut [Unsettled<'_>]) -> Result<(), RawError> {
    let mut originals: HashMap<String, usize> = HashMap::new();
    // All zeros are alike without being copies, and rows of one Memcached table share its file.
    let is_run = |(row, _, _): &Unsettled<'_>| {
        row.own.status == RawStatus::Ok && row.common.samples.is_some()
    };
    for (index, run) in runs.iter().enumerate() {
        if is_run(run) && run.2.oddity != Some(Oddity::Misfiled) {
            originals.entry(run.0.own.raw_sha256.clone()).or_insert(index);
        }
    }
    for index in 0..runs.len() {
        if !is_run(&runs[index]) {
            continue;
        }
        let misfiled = runs[index].2.oddity == Some(Oddity::Misfiled);
        let original = originals.get(&runs[index].0.own.raw_sha256).copied();
        let rightly = original.filter(|&at| runs[at].0.own.raw_path.starts_with(FILED_RIGHTLY));
        if misfiled && rightly.is_none() {
            let path = results.join(&runs[index].2.raw_path);
            return Err(RawError::NoOriginal { path, original: FILED_RIGHTLY });
        }
        if let Some(original) = original.filter(|&original| original != index) {
            copy_of(runs, index, original, misfiled);
        }
    }
    Ok(())
}

fn copy_of(runs: &mut [Unsettled<'_>], index: usize, original: usize, misfiled: bool) {
    let (first, doubts) = (runs[original].0.clone(), runs[original].1.clone());
    let (row, own_doubts, _) = &mut runs[index];
    if misfiled {
        // Its factors are those of the run that it is, not of the folder that it is in.
        let (run_id, experiment) = (row.common.run_id.clone(), row.common.experiment.clone());
        row.common = first.common.clone();
        (row.common.run_id, row.common.experiment) = (run_id, experiment);
        own_doubts.extend(doubts);
    }
    row.own.duplicate_of = Some(first.common.run_id);
    own_doubts.push(Doubt::Duplicate);
}

/// The condition with its numbers as they are written.
pub(super) fn rounded(row: &ConditionRow) -> ConditionRow {
    let six = |value: Option<f64>| value.map(six_digits);
    ConditionRow {
        throughput_published_ops: six(row.throughput_published_ops),
        throughput_published_low_ops: six(row.throughput_published_low_ops),
        throughput_published_high_ops: six(row.throughput_published_high_ops),
        throughput_ops: six(row.throughput_ops),
        throughput_low_ops: six(row.throughput_low_ops),
        throughput_high_ops: six(row.throughput_high_ops),
        throughput_log_sd: six(row.throughput_log_sd),
        latency_mean_ns: six(row.latency_mean_ns),
        latency_mean_low_ns: six(row.latency_mean_low_ns),
        latency_mean_high_ns: six(row.latency_mean_high_ns),
        ..row.clone()
    }
}
