//! What the numbers of a row must be, whoever wrote them.

use super::{ConditionRow, RunRow};

/// A column, and what would be right there.
type Broken = (&'static str, String);

/// A column with its value, where there is one.
type Column = (&'static str, Option<f64>);

impl RunRow {
    /// The first rule that the row breaks.
    pub(crate) fn broken(&self) -> Option<Broken> {
        let whole = |value: Option<u64>| value.map(|value| value as f64);
        let throughput = ("throughput_ops", self.throughput_ops);
        let published = ("throughput_published_ops", self.throughput_published_ops);
        let (low, high) = (self.throughput_low_ops, self.throughput_high_ops);
        let mean = ("latency_mean_ns", self.latency_mean_ns);
        let quantiles = [
            ("latency_p50_ns", whole(self.latency_p50_ns)),
            ("latency_p99_ns", whole(self.latency_p99_ns)),
            ("latency_p999_ns", whole(self.latency_p999_ns)),
        ];
        // A run that counts has measured something; one that does not may have zeros. Of the robust
        // estimator also one that counts: its few operations may all be outside the common windows.
        let least = if self.valid { above_zero } else { not_negative };
        [published, mean]
            .into_iter()
            .find_map(least)
            .or_else(|| not_negative(throughput))
            .or_else(|| not_negative(("latency_sd_ns", self.latency_sd_ns)))
            .or_else(|| {
                between(("throughput_low_ops", low), throughput, ("throughput_high_ops", high))
            })
            .or_else(|| ascending(&quantiles))
            .or_else(|| accesses(self))
            .or_else(|| counted(self))
    }
}

impl ConditionRow {
    /// The first rule that the row breaks.
    pub(crate) fn broken(&self) -> Option<Broken> {
        let throughput = ("throughput_ops", self.throughput_ops);
        let published = ("throughput_published_ops", self.throughput_published_ops);
        let latency = ("latency_mean_ns", self.latency_mean_ns);
        let ends = |low, value: Column, high| between(low, value, high);
        if self.runs == 0 {
            return Some(("runs", "a condition has a run or more".to_owned()));
        }
        [throughput, published, latency]
            .into_iter()
            .find_map(above_zero)
            .or_else(|| not_negative(("throughput_log_sd", self.throughput_log_sd)))
            .or_else(|| {
                ends(
                    ("throughput_low_ops", self.throughput_low_ops),
                    throughput,
                    ("throughput_high_ops", self.throughput_high_ops),
                )
            })
            .or_else(|| {
                ends(
                    ("throughput_published_low_ops", self.throughput_published_low_ops),
                    published,
                    ("throughput_published_high_ops", self.throughput_published_high_ops),
                )
            })
            .or_else(|| {
                ends(
                    ("latency_mean_low_ns", self.latency_mean_low_ns),
                    latency,
                    ("latency_mean_high_ns", self.latency_mean_high_ns),
                )
            })
    }
}

fn above_zero((column, value): Column) -> Option<Broken> {
    let wrong = value.is_some_and(|value| value.is_nan() || value <= 0.0);
    wrong.then(|| (column, "allowed: above 0, or nothing where it is not known".to_owned()))
}

fn not_negative((column, value): Column) -> Option<Broken> {
    let wrong = value.is_some_and(|value| value.is_nan() || value < 0.0);
    wrong.then(|| (column, "allowed: 0 or more, or nothing where it is not known".to_owned()))
}

/// Both ends of an interval are there or none, and its value is between them.
fn between(low: Column, value: Column, high: Column) -> Option<Broken> {
    match (low.1, value.1, high.1) {
        (None, _, None) => None,
        (Some(_), _, None) => Some((high.0, format!("{} is there, so this must be", low.0))),
        (None, _, Some(_)) => Some((low.0, format!("{} is there, so this must be", high.0))),
        (_, None, _) => Some((value.0, format!("{} is there, so this must be", low.0))),
        (Some(start), Some(middle), Some(end)) => {
            if !(0.0..=middle).contains(&start) {
                return Some((low.0, format!("allowed: 0 to {middle}, the {}", value.0)));
            }
            (end < middle).then(|| (high.0, format!("allowed: from {middle}, the {}", value.0)))
        }
    }
}

/// Those that are there ascend.
fn ascending(columns: &[Column]) -> Option<Broken> {
    let known: Vec<_> =
        columns.iter().filter_map(|(name, value)| Some((name, (*value)?))).collect();
    let falls = known.windows(2).find(|pair| pair[1].1 < pair[0].1)?;
    let ((before, least), (column, _)) = (falls[0], falls[1]);
    Some((column, format!("allowed: from {least}, the {before}")))
}

/// Accesses of workers and load, where there are some of them.
fn accesses(run: &RunRow) -> Option<Broken> {
    let worked = ("worker_accesses_per_second", run.worker_accesses_per_second);
    let loaded = ("load_accesses_per_second", run.load_accesses_per_second);
    if worked.1.is_some() && run.workers == 0 {
        return Some((worked.0, "the run has no workers".to_owned()));
    }
    [worked, loaded].into_iter().find_map(not_negative)
}

/// Who has a rate has completed something.
fn counted(run: &RunRow) -> Option<Broken> {
    let has_rate = run.valid && run.throughput_ops.is_some();
    let none = has_rate && run.operations == Some(0);
    none.then(|| ("operations", "the run has a throughput, so it has completed some".to_owned()))
}
