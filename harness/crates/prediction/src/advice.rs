//! Where memory should be for a workload, and whether the model can tell.

use onesided_results::{row::ConditionRow, vocabulary::Locality};
use onesided_sim::{Parameters, Reach, Scenario, SimulateError};
use serde::Serialize;

use crate::{
    calibration::calibrate,
    fit::FitError,
    judge::Point,
    predict::{Effort, Prediction, predict},
    profile::SimulationProfile,
    split::{Split, design_point},
};

/// How far held-out conditions are from what was predicted of them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct HeldOutError {
    /// Points that it is of.
    pub points: usize,
    /// Of 20 held-out points 19 are within this factor of what is predicted.
    pub factor: f64,
    /// Pairs of both localities that the following is of.
    pub pairs: usize,
    /// Of 20 held-out ratios of both localities 19 are within this factor of what is predicted.
    pub ratio_factor: f64,
    /// Pairs of which one place is advised: what is predicted of them is beyond that factor.
    pub advised: usize,
    /// Those of them where the advised place measured better.
    pub advised_right: usize,
}

/// Share of held-out points that an interval covers.
const COVERED: f64 = 0.95;
/// Fewer points say nothing of their 95th percentile.
const LEAST_POINTS: usize = 20;

impl HeldOutError {
    /// From the conditions that `profile` was not fitted to: from those that are `alike` where they
    /// are enough, else from all; absent where all are too few.
    ///
    /// # Errors
    /// When a condition cannot be simulated.
    pub fn of(
        profile: &SimulationProfile,
        conditions: &[ConditionRow],
        split: Split,
        effort: Effort,
        alike: impl Fn(&ConditionRow) -> bool,
    ) -> Result<Option<Self>, FitError> {
        let came = calibrate(profile, conditions, split, None, effort, |_, _| {})?;
        let of_these: Vec<&Point> =
            came.held_out.iter().filter(|point| alike(&point.condition)).collect();
        let all: Vec<&Point> = came.held_out.iter().collect();
        Ok(Self::of_points(&of_these).or_else(|| Self::of_points(&all)))
    }

    fn of_points(points: &[&Point]) -> Option<Self> {
        let errors = points.iter().map(|point| (point.predicted / point.measured).ln());
        // Logarithms of far by near: of what is predicted, and of what was measured.
        let pairs: Vec<(f64, f64)> = pairs(points)
            .map(|[near, far]| {
                ((far.predicted / near.predicted).ln(), (far.measured / near.measured).ln())
            })
            .collect();
        let ratio_factor =
            covering(pairs.iter().map(|(predicted, measured)| predicted - measured))?;
        let told = pairs.iter().filter(|(predicted, _)| predicted.abs() > ratio_factor.ln());
        Some(Self {
            points: points.len(),
            factor: covering(errors)?,
            pairs: pairs.len(),
            ratio_factor,
            advised: told.clone().count(),
            advised_right: told.filter(|(predicted, measured)| predicted * measured > 0.0).count(),
        })
    }
}

/// Points of both localities that differ in nothing else, the local one first.
fn pairs<'a>(points: &'a [&Point]) -> impl Iterator<Item = [&'a Point; 2]> {
    let of = |locality| {
        points.iter().copied().filter(move |point| point.condition.locality == Some(locality))
    };
    of(Locality::RdmaLocal).filter_map(move |near| {
        let name = design_point(&near.condition);
        let far = of(Locality::RdmaRemote).find(|far| design_point(&far.condition) == name)?;
        Some([near, far])
    })
}

/// The factor that covers 19 of 20 errors either way.
fn covering(errors: impl Iterator<Item = f64>) -> Option<f64> {
    let mut errors: Vec<f64> = errors.map(f64::abs).collect();
    if errors.len() < LEAST_POINTS {
        return None;
    }
    errors.sort_by(f64::total_cmp);
    let at = (COVERED * errors.len() as f64).ceil() as usize - 1;
    Some(errors[at].exp())
}

/// A place of the region, and of the client, with what is predicted there.
#[derive(Clone, Debug, PartialEq)]
pub struct Placement {
    /// Of the accessed memory and of its workers.
    pub region: Reach,
    /// Of the client's threads and memory.
    pub client: Reach,
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
        region: Reach,
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

/// Predicts `workload` at every placement, and says which is best if `error` leaves no doubt.
///
/// The workload's own places are not looked at; workers are beside the region wherever it is.
///
/// # Errors
/// When the workload cannot be simulated.
pub fn advise(
    parameters: &Parameters,
    workload: &Scenario,
    alone: &Scenario,
    error: Option<HeldOutError>,
    effort: Effort,
) -> Result<Advice, SimulateError> {
    let mut placements = Vec::new();
    for client in [Reach::Local, Reach::Remote] {
        for region in [Reach::Local, Reach::Remote] {
            let at = |scenario: &Scenario| Scenario { region, client, ..scenario.clone() };
            placements.push(Placement {
                region,
                client,
                predicted: predict(parameters, &at(workload), effort)?,
                unloaded_ns: predict(parameters, &at(alone), effort)?.latency_mean_ns,
            });
        }
    }
    let verdict = verdict(parameters, workload, &placements, error);
    Ok(Advice { placements, verdict })
}

fn verdict(
    parameters: &Parameters,
    workload: &Scenario,
    placements: &[Placement],
    error: Option<HeldOutError>,
) -> Verdict {
    let [near, far] = [&placements[0].predicted, &placements[1].predicted];
    let ratio = far.throughput_ops / near.throughput_ops;
    if near.throughput_ops == 0.0 || far.throughput_ops == 0.0 {
        let reason = "not one operation completes within the time that is simulated".to_owned();
        return Verdict::CannotTell { ratio: 1.0, reason };
    }
    let Some(error) = error else {
        let reason =
            "there are too few measured conditions that the machine was not fitted to, so \
                      nobody knows how far it is off"
                .to_owned();
        return Verdict::CannotTell { ratio, reason };
    };
    if ratio.ln().abs() <= error.ratio_factor.ln() {
        let reason = format!(
            "the far node has {:.3} of the near one's throughput, and such ratios were off by up to \
             a factor of {:.3}",
            ratio, error.ratio_factor
        );
        return Verdict::CannotTell { ratio, reason };
    }
    let region = if ratio > 1.0 { Reach::Remote } else { Reach::Local };
    let reason = reason(parameters, workload, region);
    Verdict::Place { region, factor: ratio.max(1.0 / ratio), reason }
}

/// What makes a place better: the largest of the differences between both.
fn reason(parameters: &Parameters, workload: &Scenario, region: Reach) -> String {
    let other = if region == Reach::Local { Reach::Remote } else { Reach::Local };
    let at = |reach| workload.parts_ns(parameters, reach);
    let parts = at(region).into_iter().zip(at(other));
    let largest = parts.max_by(|a, b| (a.1.1 - a.0.1).total_cmp(&(b.1.1 - b.0.1)));
    match largest {
        Some(((what, here), (_, there))) => {
            format!("{what} takes an operation {here:.0} ns there against {there:.0} ns")
        }
        None => "nothing differs".to_owned(),
    }
}
