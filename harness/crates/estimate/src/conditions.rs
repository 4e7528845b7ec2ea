//! Runs that differ in nothing but chance, pooled into conditions.
//!
//! The run is the unit: windows of one run share its placement and its luck, so that their
//! interval is no interval of the condition. It is given, and named so, only where there is one
//! run. Rates are pooled as logarithms: they vary in proportion, and are compared as ratios.

mod interval;

pub use interval::{Pooled, pooled};

use std::collections::BTreeMap;

use onesided_results::{
    RunRow,
    row::{ConditionRow, PublishedRunRow},
    vocabulary::{Campaign, CodeGeneration, IntervalOrigin, Regime},
};

/// What beside its factors tells a run from those that it must not be pooled with.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stratum {
    /// Runs of different designs may differ in what a design says beside its factors; absent where
    /// designs of equal factors are known to be equal.
    pub experiment: Option<String>,
    /// Which of the study's programs.
    pub code_generation: Option<CodeGeneration>,
    /// Which group of the study's runs.
    pub campaign: Option<Campaign>,
    /// How the run went where nothing that was set tells.
    pub regime: Option<Regime>,
}

impl Stratum {
    /// The stratum of a run of our own: its design, and whether it stalled.
    pub fn of_design(run: &RunRow) -> Self {
        Self { experiment: Some(run.experiment.clone()), regime: regime(run), ..Self::default() }
    }

    /// The stratum of a run of the study, whose folders of equal factors are one design.
    pub fn of_published(run: &PublishedRunRow) -> Self {
        Self {
            experiment: None,
            code_generation: run.own.code_generation,
            campaign: run.own.campaign,
            regime: regime(&run.common).or(run.own.fast_regime_fraction.map(|_| Regime::Usual)),
        }
    }
}

/// What a run's doubts say of its regime: nothing where it is the usual one, or there is one only.
fn regime(run: &RunRow) -> Option<Regime> {
    let regime = |word| match word {
        "stalled" => Some(Regime::Stalled),
        "regime-mixed" => Some(Regime::Mixed),
        "regime-fast" => Some(Regime::Fast),
        "regime-slow" => Some(Regime::Slow),
        _ => None,
    };
    // That it stopped comes before how fast it was otherwise.
    run.doubts.split(' ').filter_map(regime).max()
}

/// The conditions of `runs`, each with its stratum, in the order of their first runs.
///
/// Runs that are not valid are left out, whatever the reason.
pub fn conditions<'a>(runs: impl IntoIterator<Item = (&'a RunRow, Stratum)>) -> Vec<ConditionRow> {
    let groups = groups(runs);
    let pooled = groups.iter().map(|(stratum, members)| {
        let runs: Vec<_> = members.iter().map(|(_, run)| *run).collect();
        condition(stratum, &runs)
    });
    pooled.collect()
}

/// Which of `runs` each of their [`conditions`] pools, by their places.
pub fn members<'a>(runs: impl IntoIterator<Item = (&'a RunRow, Stratum)>) -> Vec<Vec<usize>> {
    let place = |(place, _): (usize, &RunRow)| place;
    groups(runs).into_iter().map(|(_, runs)| runs.into_iter().map(place).collect()).collect()
}

/// The valid runs of a condition, each with its place among all runs.
type Members<'a> = Vec<(usize, &'a RunRow)>;

fn groups<'a>(
    runs: impl IntoIterator<Item = (&'a RunRow, Stratum)>,
) -> Vec<(Stratum, Members<'a>)> {
    let mut places = BTreeMap::new();
    let mut groups: Vec<(Stratum, Members<'a>)> = Vec::new();
    for (at, (run, stratum)) in runs.into_iter().enumerate().filter(|(_, (run, _))| run.valid) {
        let key = (run.condition_key(), stratum);
        let place = *places.entry(key).or_insert_with_key(|(_, stratum)| {
            groups.push((stratum.clone(), Vec::new()));
            groups.len() - 1
        });
        groups[place].1.push((at, run));
    }
    groups
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
    // Of the only run, where it is the only one and has a rate: one of 0 has no logarithm.
    let is_only = runs.len() == 1 && robust.is_some();
    let window_low = first.throughput_low_ops.filter(|_| is_only);
    let window_high = first.throughput_high_ops.filter(|_| is_only);
    ConditionRow {
        code_generation: stratum.code_generation,
        campaign: stratum.campaign,
        regime: stratum.regime,
        experiments: words(runs.iter().map(|run| run.experiment.as_str())),
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
        ..ConditionRow::of(first)
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
