//! The advice, for people and for machines.

mod json;
mod table;

use onesided_prediction::{Advice, HeldOutError, Placement, Verdict};
use onesided_sim::Locality;

use super::measured::Measured;

pub use json::json;

/// What the advice rests on beside the prediction.
pub struct Evidence {
    /// What it rests on beside what was asked, as a sentence.
    pub assumed: String,
    /// The very workload, measured.
    pub measured: Vec<Measured>,
    /// How far such predictions were off, where that is known.
    pub error: Option<HeldOutError>,
    /// Whether workers use the memory, too.
    pub with_workers: bool,
}

/// The advice, for people.
pub fn text(advice: &Advice, evidence: &Evidence) -> String {
    let Evidence { error, with_workers, .. } = *evidence;
    let table = table::table(&beside(advice, error, with_workers));
    let verdict = match &advice.verdict {
        Verdict::Place { region, factor, reason } => {
            format!(
                "Put the memory on the {} node: {factor:.2} times the throughput, for {reason}.",
                region
            )
        }
        Verdict::CannotTell { reason, .. } => format!("The model cannot tell: {reason}."),
    };
    let basis = error.map_or_else(String::new, |error| {
        format!(
            "Of {} measured pairs like this that nothing was fitted to, {} are told apart by the errors of \
             the others, {} of them right; \"near\" for all of them would be right for {}.\n",
            error.pairs, error.advised, error.advised_right, error.near_right
        )
    });
    let elsewhere = match with_workers {
        true => format!("Other places of the workers are not predicted: {NOT_PREDICTED}.\n"),
        false => String::new(),
    };
    let assumed = &evidence.assumed;
    let measured: String = evidence.measured.iter().map(|pair| pair.told() + "\n").collect();
    let predicted = "Predicted by the simulator, not measured.";
    format!("{measured}{predicted}\n{assumed}\n\n{table}\n{elsewhere}\n{verdict}\n{basis}")
}

/// Why nothing is said of workers on another node than the memory that they use.
const NOT_PREDICTED: &str =
    "no condition was ever measured with workers on another node than their memory";

/// A placement, and what is said of it.
struct Line {
    region: Locality,
    /// Where the workers are, if there are any.
    workers: Option<Locality>,
    client: Locality,
    /// Absent where nothing is.
    predicted: Option<Numbers>,
}

/// What is predicted, with what it may be by the errors of held-out conditions.
struct Numbers {
    throughput_ops: f64,
    throughput_between: Option<[f64; 2]>,
    latency_mean_ns: Option<f64>,
    latency_between: Option<[f64; 2]>,
    unloaded_ns: Option<f64>,
}

/// Every placement of region and client, with workers beside the region, if there are any.
fn beside(advice: &Advice, error: Option<HeldOutError>, with_workers: bool) -> Vec<Line> {
    let line = |placement: &Placement| Line {
        region: placement.region,
        workers: with_workers.then_some(placement.region),
        client: placement.client,
        predicted: Some(Numbers::of(placement, error)),
    };
    advice.placements.iter().map(line).collect()
}

/// Those, and the ones of workers that are apart from the region, of which nothing is predicted.
fn all(advice: &Advice, error: Option<HeldOutError>, with_workers: bool) -> Vec<Line> {
    let apart = advice.placements.iter().filter(|_| with_workers).map(|placement| Line {
        region: placement.region,
        workers: Some(placement.region.other()),
        client: placement.client,
        predicted: None,
    });
    beside(advice, error, with_workers).into_iter().chain(apart).collect()
}

impl Numbers {
    /// As many requests are outstanding all the time, so that latency is off by as much as
    /// throughput, the other way (Little's law).
    fn of(placement: &Placement, error: Option<HeldOutError>) -> Self {
        let between = |value: f64| error.map(|error| [value / error.factor, value * error.factor]);
        let latency_mean_ns = placement.predicted.latency_mean_ns;
        Self {
            throughput_ops: placement.predicted.throughput_ops,
            throughput_between: between(placement.predicted.throughput_ops),
            latency_mean_ns,
            latency_between: latency_mean_ns.and_then(between),
            unloaded_ns: placement.unloaded_ns,
        }
    }
}
