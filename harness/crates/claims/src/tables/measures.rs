//! What a row says, with its interval.

use std::collections::BTreeMap;

use onesided_estimate::bootstrap::Interval;
use onesided_results::{
    row::ClientRow,
    vocabulary::{LoopShape, Source},
    word::Word as _,
};
use serde_json::Value;

use crate::{
    columns::{Table, columns},
    frame::{Measures, Record, number, text_of},
    spread::{Measured, Spread},
    value::{Estimate, Origin},
};

/// What 97.5 % of the normal distribution do not exceed; latencies of a run are many.
const NORMAL_975: f64 = 1.959_964;

const THROUGHPUT: Measured =
    Measured { value: "throughput_ops", low: "throughput_low_ops", high: "throughput_high_ops" };
const PUBLISHED: Measured = Measured {
    value: "throughput_published_ops",
    low: "throughput_published_low_ops",
    high: "throughput_published_high_ops",
};
const LATENCY: Measured =
    Measured { value: "latency_mean_ns", low: "latency_mean_low_ns", high: "latency_mean_high_ns" };

/// Measures of one run.
pub fn of_run(run: &Record) -> Measures {
    let fact = |value: Option<f64>| value.filter(|value| value.is_finite()).map(Estimate::fact);
    let get = |name| number(run, name);
    let ratio = |a: Option<f64>, b: Option<f64>| Some(a? / b?);
    let per_queue_pair = |name| fact(ratio(get(name), get("queue_pairs")));
    let throughput = get(THROUGHPUT.value)
        .map(|point| within_run(point, get(THROUGHPUT.low).zip(get(THROUGHPUT.high))));
    let excess = ratio(get(PUBLISHED.value), get(THROUGHPUT.value));
    let sd = ratio(get("latency_sd_ns"), get("latency_mean_ns"));
    let operations = ratio(get("operations"), get("queue_pairs"));
    let percent = |value: Option<f64>| fact(value.map(|value| 100.0 * value));
    vec![
        ("throughput_ops", throughput),
        ("throughput_published_ops", get(PUBLISHED.value).map(Estimate::bare)),
        ("request_time_ns", request_time(run, throughput, latency(run))),
        ("latency_mean_ns", latency(run)),
        ("objects_bytes", objects(run)),
        ("latency_sd_percent", percent(sd)),
        ("printed_sd_percent", percent(sd.zip(operations).map(|(sd, n)| sd / n.sqrt()))),
        ("estimator_excess_percent", percent(excess.map(|excess| excess - 1.0))),
        ("operations_per_queue_pair", per_queue_pair("operations")),
        ("samples_per_queue_pair", per_queue_pair("samples")),
        ("closure", fact(get("closure"))),
        ("window_fraction", fact(get("window_fraction"))),
        ("fast_regime_fraction", fact(get("fast_regime_fraction"))),
    ]
}

/// Measures of one queue pair of a run.
pub fn of_client(client: &ClientRow) -> Measures {
    let (mean, sd) = (client.latency_mean_ns, client.latency_sd_ns);
    let fact = |count: u64| Estimate::fact(whole(count));
    let percent = mean.zip(sd).map(|(mean, sd)| Estimate::fact(100.0 * sd / mean));
    vec![
        ("latency_mean_ns", mean_latency(mean, sd, client.samples.map(whole))),
        ("latency_sd_percent", percent),
        ("operations_per_queue_pair", Some(fact(client.operations))),
        ("samples_per_queue_pair", client.samples.map(fact)),
    ]
}

/// A count as a number.
#[expect(clippy::cast_precision_loss, reason = "operations are far below 2^53")]
fn whole(count: u64) -> f64 {
    count as f64
}

fn within_run(point: f64, ends: Option<(f64, f64)>) -> Estimate {
    let interval = ends.map(|(low, high)| Interval { low, high });
    let origin = if interval.is_some() { Origin::WithinRun } else { Origin::None };
    Estimate { point, interval, origin, freedom: f64::INFINITY }
}

fn latency(record: &Record) -> Option<Estimate> {
    let get = |name| number(record, name);
    mean_latency(get("latency_mean_ns"), get("latency_sd_ns"), get("samples"))
}

/// The mean latency with the interval of its standard error.
fn mean_latency(mean: Option<f64>, sd: Option<f64>, samples: Option<f64>) -> Option<Estimate> {
    let mean = mean?;
    let half = sd.zip(samples).map(|(sd, samples)| NORMAL_975 * sd / samples.sqrt());
    Some(within_run(mean, half.map(|half| (mean - half, mean + half))))
}

/// The time of a request if a queue pair has one in flight.
fn request_time(
    record: &Record,
    throughput: Option<Estimate>,
    latency: Option<Estimate>,
) -> Option<Estimate> {
    if record["loop"] == LoopShape::Closed.word() {
        return latency;
    }
    let queue_pairs = number(record, "queue_pairs")?;
    Some(throughput?.map(|rate| 1e9 * queue_pairs / rate))
}

/// Measures of a row of `source`: what a model's run says of itself is what its next one would say.
pub fn of_source(source: Source, mut measures: Measures) -> Measures {
    if source == Source::Simulated {
        for estimate in measures.iter_mut().filter_map(|(_, estimate)| estimate.as_mut()) {
            let Estimate { point, interval, .. } = *estimate;
            if !estimate.origin.is_over_runs() {
                let interval = interval.or(Some(Interval { low: point, high: point }));
                *estimate = Estimate { interval, origin: Origin::Model, ..*estimate };
            }
        }
    }
    measures
}

/// Memory for an object of each queue pair.
fn objects(record: &Record) -> Option<Estimate> {
    let bytes = number(record, "queue_pairs")? * number(record, "access_bytes")?;
    Some(Estimate::fact(bytes))
}

/// Measures of conditions: their runs say how far to trust them.
pub struct OfConditions {
    throughput: Spread,
    published: Spread,
    latency: Spread,
    /// Of conditions with one run: what its latencies say.
    within: BTreeMap<String, Vec<Option<Interval>>>,
}

impl OfConditions {
    /// Prepares for `conditions`, which are of `runs`.
    pub fn new(conditions: &[(Source, Record)], runs: &[(Source, Record)]) -> Self {
        let records = || conditions.iter().map(|(_, record)| record);
        let mut within: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (_, run) in runs.iter().filter(|(_, run)| run["valid"] == Value::Bool(true)) {
            let interval = latency(run).and_then(|latency| latency.interval);
            within.entry(factors(run)).or_default().push(interval);
        }
        Self {
            throughput: Spread::of(THROUGHPUT, records()),
            published: Spread::of(PUBLISHED, records()),
            latency: Spread::of(LATENCY, records()),
            within,
        }
    }

    /// Measures of `condition`.
    pub fn measures(&self, condition: &Record) -> Measures {
        let ends = number(condition, THROUGHPUT.low).zip(number(condition, THROUGHPUT.high));
        let windows = ends.map(|(low, high)| Interval { low, high });
        let throughput = self.throughput.estimate(condition, windows);
        let within = match self.within.get(&factors(condition)).map(Vec::as_slice) {
            Some([only]) => *only,
            _ => None,
        };
        let latency = self.latency.estimate(condition, within);
        vec![
            ("throughput_ops", throughput),
            ("throughput_published_ops", self.published.estimate(condition, None)),
            ("request_time_ns", request_time(condition, throughput, latency)),
            ("latency_mean_ns", latency),
            ("objects_bytes", objects(condition)),
        ]
    }
}

/// Everything in which runs of a condition agree and that runs and conditions both have.
fn factors(record: &Record) -> String {
    let of_runs = columns(Table::Runs);
    let shared = columns(Table::Conditions)
        .iter()
        .filter(|column| column.matched && of_runs.iter().any(|other| other.name == column.name));
    text_of(record, ["source"].into_iter().chain(shared.map(|column| column.name)))
}
