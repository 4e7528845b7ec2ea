//! What is said about runs: a CSV line each on stdout, sentences for people on stderr.

use std::path::Path;

use onesided_results::record::Outcome;
use onesided_runner::RunResult;
use serde::Serialize;

use crate::progress::Progress;

/// One line a run.
#[derive(Serialize)]
pub struct Line<'a> {
    run_id: &'a str,
    status: &'a str,
    operations: Option<u64>,
    mean_throughput_ops: Option<f64>,
    latency_mean_ns: Option<f64>,
    latency_p50_ns: Option<u64>,
    latency_p99_ns: Option<u64>,
    path: String,
}

/// The line of a run.
pub fn line<'a>(result: &'a RunResult, path: &Path) -> Line<'a> {
    let totals = result.record.totals.as_ref();
    let latency = result.counts.as_ref().map(onesided_measure::RunCounts::latency);
    Line {
        run_id: &result.record.configuration.run_id,
        status: status(&result.record.outcome),
        operations: totals.map(|totals| totals.operations),
        mean_throughput_ops: totals
            .filter(|totals| totals.measured_ns > 0)
            .map(|totals| totals.operations as f64 * 1e9 / totals.measured_ns as f64),
        latency_mean_ns: latency.as_ref().and_then(|latency| latency.mean_ns()),
        latency_p50_ns: latency.as_ref().and_then(|latency| latency.quantile_ns(0.5)),
        latency_p99_ns: latency.as_ref().and_then(|latency| latency.quantile_ns(0.99)),
        path: path.display().to_string(),
    }
}

fn status(outcome: &Outcome) -> &'static str {
    match outcome {
        Outcome::Valid => "valid",
        Outcome::Doubtful => "doubtful",
        Outcome::Invalid => "invalid",
        Outcome::Failed { .. } => "failed",
    }
}

/// Tells people what was agreed, why the GIDs are these, and what to doubt.
pub fn explain(result: &RunResult, progress: &Progress) {
    let record = &result.record;
    let gid = |side: &Option<onesided_results::record::SideRecord>| {
        side.as_ref().and_then(|side| side.gid.clone()).map(|gid| gid.reason)
    };
    for (side, reason) in [("client", gid(&record.client)), ("server", gid(&record.server))] {
        if let Some(reason) = reason {
            progress.say(&format!("{side} GID: {reason}"));
        }
    }
    if let Some(agreed) = &record.negotiated {
        progress.say(&format!(
            "agreed: path MTU {} bytes, max_rd_atomic {}",
            agreed.mtu_bytes, agreed.max_rd_atomic
        ));
    }
    for doubt in record.doubts.iter().filter(|doubt| !doubt.invalidates) {
        progress.say(&format!("doubt ({}): {}", doubt.doubt, doubt.explanation));
    }
}

/// Tells people why a run must not be used.
pub fn complain(result: &RunResult, progress: &Progress) {
    let run_id = &result.record.configuration.run_id;
    if let Outcome::Failed { phase, message } = &result.record.outcome {
        progress.say(&format!("{run_id} failed in {phase}: {message}"));
    }
    for doubt in result.record.doubts.iter().filter(|doubt| doubt.invalidates) {
        progress.say(&format!("{run_id} INVALID ({}): {}", doubt.doubt, doubt.explanation));
    }
}
