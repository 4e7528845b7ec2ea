//! Runs that differ in nothing but chance, pooled into conditions.
//!
//! The run is the unit: windows of one run share its placement and its luck, so that their
//! interval is no interval of the condition. It is given, and named so, only where there is one
//! run. Rates are pooled as logarithms: they vary in proportion, and are compared as ratios.

mod factors;
mod interval;

pub use factors::{Factors, factors};
pub use interval::{Pooled, pooled};

use std::collections::BTreeMap;

use onesided_results::{
    RunRow, SCHEMA_VERSION,
    row::ConditionRow,
    vocabulary::{Campaign, CodeGeneration, IntervalOrigin, Regime},
};

/// What beside its factors tells a run from those that it must not be pooled with.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stratum {
    /// Runs of different designs may differ in what is no column; absent where designs of equal
    /// factors are known to be equal. Within a design they do not: [`crate::Collector`] refuses that.
    pub experiment: Option<String>,
    /// Which of the study's programs.
    pub code_generation: Option<CodeGeneration>,
    /// Which group of the study's runs.
    pub campaign: Option<Campaign>,
    /// Which of two speeds.
    pub regime: Option<Regime>,
}

impl Stratum {
    /// The stratum of a run of our own: its design.
    pub fn of_design(run: &RunRow) -> Self {
        Self { experiment: Some(run.experiment.clone()), ..Self::default() }
    }
}

/// The conditions of `runs`, each with its stratum, in the order of their first runs.
///
/// Runs that are not valid are left out, whatever the reason.
pub fn conditions<'a>(runs: impl IntoIterator<Item = (&'a RunRow, Stratum)>) -> Vec<ConditionRow> {
    let mut places = BTreeMap::new();
    let mut groups: Vec<(Stratum, Vec<&RunRow>)> = Vec::new();
    for (run, stratum) in runs.into_iter().filter(|(run, _)| run.valid) {
        let key = (factors(run), stratum);
        let place = *places.entry(key).or_insert_with_key(|(_, stratum)| {
            groups.push((stratum.clone(), Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push(run);
    }
    groups.iter().map(|(stratum, runs)| condition(stratum, runs)).collect()
}

fn condition(stratum: &Stratum, runs: &[&RunRow]) -> ConditionRow {
    let first = runs[0];
    let over = |value: fn(&RunRow) -> Option<f64>| {
        pooled(&runs.iter().filter_map(|run| value(run)).collect::<Vec<_>>())
    };
    let published = over(|run| run.throughput_published_ops);
    let robust = over(|run| run.throughput_ops);
    let latency = over(|run| run.latency_mean_ns);
    let low = |pooled: Option<Pooled>| pooled.and_then(|pooled| pooled.interval).map(|i| i.low);
    let high = |pooled: Option<Pooled>| pooled.and_then(|pooled| pooled.interval).map(|i| i.high);
    // Of the only run, where it is the only one.
    let window_low = first.throughput_low_ops.filter(|_| runs.len() == 1);
    let window_high = first.throughput_high_ops.filter(|_| runs.len() == 1);
    ConditionRow {
        schema_version: SCHEMA_VERSION,
        source: first.source,
        back_end: first.back_end.clone(),
        profile: first.profile.clone(),
        nic: first.nic.clone(),
        code_generation: stratum.code_generation,
        campaign: stratum.campaign,
        regime: stratum.regime,
        experiments: words(runs.iter().map(|run| run.experiment.as_str())),
        operation: first.operation,
        worker_operation: first.worker_operation,
        locality: first.locality,
        client_locality: first.client_locality,
        worker_locality: first.worker_locality,
        queue_pairs: first.queue_pairs,
        threads: first.threads,
        access_bytes: first.access_bytes,
        mtu_bytes: first.mtu_bytes,
        max_rd_atomic: first.max_rd_atomic,
        window: first.window,
        loop_shape: first.loop_shape,
        workers: first.workers,
        worker_write_fraction: first.worker_write_fraction,
        load_kind: first.load_kind,
        load_bytes: first.load_bytes,
        load_node: first.load_node,
        slot_layout: first.slot_layout,
        cache_state: first.cache_state,
        ddio: first.ddio,
        runs: u32::try_from(runs.len()).expect("a table has fewer than 2^32 rows"),
        doubts: words(runs.iter().flat_map(|run| run.doubts.split(' '))),
        throughput_published_ops: published.map(|pooled| pooled.mean),
        throughput_published_low_ops: low(published),
        throughput_published_high_ops: high(published),
        throughput_ops: robust.map(|pooled| pooled.mean),
        throughput_low_ops: low(robust).or(window_low),
        throughput_high_ops: high(robust).or(window_high),
        throughput_interval: match (low(robust), window_low) {
            (Some(_), _) => IntervalOrigin::Replicates,
            (None, Some(_)) => IntervalOrigin::Windows,
            (None, None) => IntervalOrigin::None,
        },
        throughput_log_sd: robust.and_then(|pooled| pooled.log_sd),
        latency_mean_ns: latency.map(|pooled| pooled.mean),
        latency_mean_low_ns: low(latency),
        latency_mean_high_ns: high(latency),
        address_pattern: first.address_pattern,
        working_set_bytes: first.working_set_bytes,
        think_time_ns: first.think_time_ns,
        post_list: first.post_list,
        signal_every: first.signal_every,
        inline_bytes: first.inline_bytes,
        client_memory_locality: first.client_memory_locality,
        client_ring_locality: first.client_ring_locality,
        server_ring_locality: first.server_ring_locality,
        worker_threads: first.worker_threads.clone(),
        worker_pattern: first.worker_pattern,
        worker_access_bytes: first.worker_access_bytes,
        worker_think_time_ns: first.worker_think_time_ns,
        worker_rate_per_second: first.worker_rate_per_second,
        load_process: first.load_process,
        load_thread_count: first.load_thread_count,
        load_threads: first.load_threads.clone(),
        load_memory: first.load_memory.clone(),
        load_write_fraction: first.load_write_fraction,
        load_pattern: first.load_pattern,
        client_hosts: first.client_hosts,
    }
}

/// Each word once, in the order of the alphabet, separated by spaces.
fn words<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let mut words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words.dedup();
    words.join(" ")
}

#[cfg(test)]
mod tests;
