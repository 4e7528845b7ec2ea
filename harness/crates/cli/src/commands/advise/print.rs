//! The advice, for people and for machines.

use comfy_table::{CellAlignment, Table, presets::UTF8_HORIZONTAL_ONLY};
use onesided_prediction::{Advice, HeldOutError, Placement, Verdict};
use onesided_sim::Reach;
use serde::Serialize;

/// The advice, for machines.
#[derive(Serialize)]
pub struct Json {
    schema_version: u32,
    held_out_error: Option<HeldOutError>,
    placements: Vec<PlacementJson>,
    /// `rdma-local`, `rdma-remote` or `cannot-tell`.
    advice: &'static str,
    reason: String,
}

#[derive(Serialize)]
struct PlacementJson {
    region: &'static str,
    client: &'static str,
    throughput_ops: f64,
    throughput_low_ops: Option<f64>,
    throughput_high_ops: Option<f64>,
    latency_mean_ns: Option<f64>,
    unloaded_latency_mean_ns: Option<f64>,
}

fn word(reach: Reach) -> &'static str {
    match reach {
        Reach::Local => "rdma-local",
        Reach::Remote => "rdma-remote",
    }
}

/// The advice, for machines.
pub fn json(advice: &Advice, error: Option<HeldOutError>) -> Json {
    let placement = |placement: &Placement| {
        let throughput_ops = placement.predicted.throughput_ops;
        PlacementJson {
            region: word(placement.region),
            client: word(placement.client),
            throughput_ops,
            throughput_low_ops: error.map(|error| throughput_ops / error.factor),
            throughput_high_ops: error.map(|error| throughput_ops * error.factor),
            latency_mean_ns: placement.predicted.latency_mean_ns,
            unloaded_latency_mean_ns: placement.unloaded_ns,
        }
    };
    let (word, reason) = match &advice.verdict {
        Verdict::Place { region, reason, .. } => (word(*region), reason),
        Verdict::CannotTell { reason, .. } => ("cannot-tell", reason),
    };
    Json {
        schema_version: onesided_results::SCHEMA_VERSION,
        held_out_error: error,
        placements: advice.placements.iter().map(placement).collect(),
        advice: word,
        reason: reason.clone(),
    }
}

/// The advice, for people.
pub fn text(advice: &Advice, error: Option<HeldOutError>) -> String {
    let mut table = Table::new();
    table.load_style(UTF8_HORIZONTAL_ONLY);
    table.set_header([
        "memory and workers",
        "client",
        "operations/s",
        "95 % interval",
        "latency",
        "one at a time",
    ]);
    let ns = |ns: Option<f64>| ns.map_or_else(String::new, |ns| format!("{ns:.0} ns"));
    for placement in &advice.placements {
        let rate = placement.predicted.throughput_ops;
        table.add_row([
            word(placement.region).to_owned(),
            word(placement.client).to_owned(),
            mega(rate),
            error.map_or_else(
                || "not known".to_owned(),
                |error| format!("{} to {}", mega(rate / error.factor), mega(rate * error.factor)),
            ),
            ns(placement.predicted.latency_mean_ns),
            ns(placement.unloaded_ns),
        ]);
    }
    for column in 2..6 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let verdict = match &advice.verdict {
        Verdict::Place { region, factor, reason } => {
            format!(
                "Put the memory on the {} node: {factor:.2} times the throughput, for {reason}.",
                word(*region)
            )
        }
        Verdict::CannotTell { reason, .. } => format!("The model cannot tell: {reason}."),
    };
    let basis = error.map_or_else(String::new, |error| {
        format!(
            "Of {} measured pairs like this that nothing was fitted to, {} are told apart, {} of them right.\n",
            error.pairs, error.advised, error.advised_right
        )
    });
    format!("Predicted by the simulator, not measured.\n\n{table}\n\n{verdict}\n{basis}")
}

fn mega(rate: f64) -> String {
    format!("{:.2} M", rate / 1e6)
}
