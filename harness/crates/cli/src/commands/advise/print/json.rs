//! The advice, for machines.

use onesided_prediction::{Advice, HeldOutError, Verdict};
use serde::Serialize;

use onesided_results::vocabulary::{Locality, Word as _};

use super::{super::measured::Measured, Evidence, Line, NOT_PREDICTED, all};

/// The advice, for machines.
#[derive(Serialize)]
pub struct Json {
    schema_version: u32,
    /// What the prediction rests on beside what was asked.
    assumed: String,
    /// The very workload, where it was measured.
    measured: Vec<Measured>,
    held_out_error: Option<HeldOutError>,
    placements: Vec<PlacementJson>,
    /// `rdma-local`, `rdma-remote` or `cannot-tell`.
    advice: &'static str,
    reason: String,
}

#[derive(Serialize)]
struct PlacementJson {
    region: &'static str,
    workers: Option<&'static str>,
    client: &'static str,
    throughput_ops: Option<f64>,
    throughput_low_ops: Option<f64>,
    throughput_high_ops: Option<f64>,
    latency_mean_ns: Option<f64>,
    latency_mean_low_ns: Option<f64>,
    latency_mean_high_ns: Option<f64>,
    unloaded_latency_mean_ns: Option<f64>,
    /// Why nothing is predicted; absent where something is.
    not_predicted: Option<&'static str>,
}

/// The advice, for machines.
pub fn json(advice: &Advice, evidence: Evidence) -> Json {
    let Evidence { assumed, measured, error, with_workers } = evidence;
    let (word, reason) = match &advice.verdict {
        Verdict::Place { region, reason, .. } => (region.word(), reason),
        Verdict::CannotTell { reason, .. } => ("cannot-tell", reason),
    };
    Json {
        schema_version: onesided_results::version::ADVICE.written,
        assumed,
        measured,
        held_out_error: error,
        placements: all(advice, error, with_workers).iter().map(placement).collect(),
        advice: word,
        reason: reason.clone(),
    }
}

fn placement(line: &Line) -> PlacementJson {
    let numbers = line.predicted.as_ref();
    let throughput = numbers.and_then(|numbers| numbers.throughput_between);
    let latency = numbers.and_then(|numbers| numbers.latency_between);
    PlacementJson {
        region: line.region.word(),
        workers: line.workers.map(Locality::word),
        client: line.client.word(),
        throughput_ops: numbers.map(|numbers| numbers.throughput_ops),
        throughput_low_ops: throughput.map(|[low, _]| low),
        throughput_high_ops: throughput.map(|[_, high]| high),
        latency_mean_ns: numbers.and_then(|numbers| numbers.latency_mean_ns),
        latency_mean_low_ns: latency.map(|[low, _]| low),
        latency_mean_high_ns: latency.map(|[_, high]| high),
        unloaded_latency_mean_ns: numbers.and_then(|numbers| numbers.unloaded_ns),
        not_predicted: numbers.is_none().then_some(NOT_PREDICTED),
    }
}
