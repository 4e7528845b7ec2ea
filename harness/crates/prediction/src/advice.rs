//! Where memory should be for a workload, and whether the model can tell.

mod held_out;

use onesided_sim::{Locality, Parameters, Scenario, SimulateError};

pub use self::held_out::{Basis, HeldOutError};
use crate::predict::{Effort, Prediction, predict};

/// A place of the region, and of the client, with what is predicted there.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// Of the accessed memory and of its workers.
    pub region: Locality,
    /// Of the client's threads and memory.
    pub client: Locality,
    /// Throughput, and latency under that load.
    pub predicted: Prediction,
    /// Mean latency of one operation at a time; absent where nothing completed.
    pub unloaded_ns: Option<f64>,
}

/// What is advised.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// Put the memory there: throughput is by this factor more than on the other side.
    Place {
        /// There.
        region: Locality,
        /// Of the throughputs.
        factor: f64,
        /// Why, in one sentence.
        reason: String,
    },
    /// The model does not tell the places apart.
    CannotTell {
        /// Throughput on the far node by that on the near one.
        ratio: f64,
        /// Why not, in one sentence.
        reason: String,
    },
}

/// What the model says of a workload.
#[derive(Clone, Debug, PartialEq)]
pub struct Advice {
    /// All placements: the region near and far, for the client near and far.
    pub placements: Vec<Placement>,
    /// Where to put the region, for a client on its card's node.
    pub verdict: Verdict,
}

/// Predicts `workload` at every placement, and says which is best if `basis` leaves no doubt.
///
/// The workload's own places are not looked at; workers are beside the region wherever it is.
///
/// # Errors
/// When the workload cannot be simulated.
pub fn advise(
    parameters: &Parameters,
    workload: &Scenario,
    alone: &Scenario,
    basis: &Basis,
    effort: Effort,
) -> Result<Advice, SimulateError> {
    let mut placements = Vec::new();
    for client in [Locality::RdmaLocal, Locality::RdmaRemote] {
        for region in [Locality::RdmaLocal, Locality::RdmaRemote] {
            let at = |scenario: &Scenario| Scenario { region, client, ..scenario.clone() };
            placements.push(Placement {
                region,
                client,
                predicted: predict(parameters, &at(workload), effort)?,
                unloaded_ns: predict(parameters, &at(alone), effort)?.latency_mean_ns,
            });
        }
    }
    let verdict = verdict(parameters, workload, &placements, basis);
    Ok(Advice { placements, verdict })
}

fn verdict(
    parameters: &Parameters,
    workload: &Scenario,
    placements: &[Placement],
    basis: &Basis,
) -> Verdict {
    let [near, far] = [&placements[0].predicted, &placements[1].predicted];
    let ratio = far.throughput_ops / near.throughput_ops;
    if near.throughput_ops == 0.0 || far.throughput_ops == 0.0 {
        let reason = "not one operation completes within the time that is simulated".to_owned();
        return Verdict::CannotTell { ratio: 1.0, reason };
    }
    let error = match basis {
        Basis::Judged(error) => error,
        Basis::TooFew => {
            let reason = "there are too few measured conditions like this, with the client on its \
                          card's node, that the machine was not fitted to, so nobody knows how far \
                          it is off";
            return Verdict::CannotTell { ratio, reason: reason.to_owned() };
        }
        Basis::Beyond { what } => {
            return Verdict::CannotTell { ratio, reason: format!("it has {what}") };
        }
    };
    if ratio.ln().abs() <= error.ratio_factor.ln() {
        let reason = format!(
            "the far node has {:.3} of the near one's throughput, and such ratios were off by up to \
             a factor of {:.3}",
            ratio, error.ratio_factor
        );
        return Verdict::CannotTell { ratio, reason };
    }
    let region = if ratio > 1.0 { Locality::RdmaRemote } else { Locality::RdmaLocal };
    let reason = reason(parameters, workload, region);
    Verdict::Place { region, factor: ratio.max(1.0 / ratio), reason }
}

/// What makes a place better: the largest of the differences between both.
fn reason(parameters: &Parameters, workload: &Scenario, region: Locality) -> String {
    let at = |locality| workload.parts_ns(parameters, locality);
    let parts = at(region).into_iter().zip(at(region.other()));
    let largest = parts.max_by(|a, b| (a.1.1 - a.0.1).total_cmp(&(b.1.1 - b.0.1)));
    match largest {
        Some(((what, here), (_, there))) => {
            format!("{what} takes an operation {here:.0} ns there against {there:.0} ns")
        }
        None => "nothing differs".to_owned(),
    }
}
