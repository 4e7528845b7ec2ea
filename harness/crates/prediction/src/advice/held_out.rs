//! How far predictions of conditions like a workload were off, which nothing was fitted to.

use onesided_results::{row::ConditionRow, vocabulary::Locality};
use onesided_sim::Scenario;
use serde::Serialize;

use crate::{
    calibration::calibrate,
    fit::FitError,
    judge::Point,
    predict::Effort,
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
    /// Pairs of which one place is advised by the errors of the others alone: what is predicted of
    /// them is beyond the factor of those.
    pub advised: usize,
    /// Those of them where the advised place measured better.
    pub advised_right: usize,
    /// Those of them where the near place did: what advice that never looks gets right.
    pub near_right: usize,
    /// The most queue pairs of a point.
    pub most_queue_pairs: u32,
    /// The most workers of a point.
    pub most_workers: u32,
    /// The most bytes of an access of a point.
    pub most_access_bytes: u32,
    /// The most reads and atomics in flight of a point's queue pairs.
    pub most_rd_atomic: u32,
}

/// What is known of the model's errors for a workload.
#[derive(Clone, Debug, PartialEq)]
pub enum Basis {
    /// Those of held-out conditions like it.
    Judged(HeldOutError),
    /// There are too few held-out conditions like it.
    TooFew,
    /// It has more of something than any held-out condition like it.
    Beyond {
        /// What it has, and what they have at most, in words.
        what: String,
    },
}

impl Basis {
    /// The error, where it is known.
    pub fn error(&self) -> Option<HeldOutError> {
        match self {
            Self::Judged(error) => Some(*error),
            Self::TooFew | Self::Beyond { .. } => None,
        }
    }
}

/// Share of held-out points that an interval covers.
const COVERED: f64 = 0.95;
/// Fewer points say nothing of their 95th percentile.
const LEAST_POINTS: usize = 20;

impl HeldOutError {
    /// From the conditions that `profile` was not fitted to and that are `alike`; absent where they
    /// are too few.
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
        // Whether a condition is held out follows from itself, so that the others need no simulation.
        let is_asked = |row: &&ConditionRow| split.holds_out(row) && alike(row);
        let asked: Vec<ConditionRow> = conditions.iter().filter(is_asked).cloned().collect();
        let came = calibrate(profile, &asked, split, None, effort, |_, _| {})?;
        let of_these: Vec<&Point> = came.held_out.iter().collect();
        Ok(Self::of_points(&of_these))
    }

    /// What it is worth for `workload`: nothing beyond what the points have.
    pub fn basis(self, workload: &Scenario) -> Basis {
        let asked = [
            ("queue pairs", workload.load.run_queue_pairs as f64, self.most_queue_pairs),
            ("workers", workload.workers.threads, self.most_workers),
            ("bytes an access", f64::from(workload.load.access_bytes), self.most_access_bytes),
            (
                "reads and atomics in flight",
                f64::from(workload.connection.max_rd_atomic),
                self.most_rd_atomic,
            ),
        ];
        match asked.into_iter().find(|(_, asked, most)| *asked > f64::from(*most)) {
            None => Basis::Judged(self),
            Some((name, asked, most)) => Basis::Beyond {
                what: format!(
                    "{asked} {name}, and measured conditions like this have {most} at most"
                ),
            },
        }
    }

    fn of_points(points: &[&Point]) -> Option<Self> {
        let errors = points.iter().map(|point| (point.predicted / point.measured).ln());
        // Logarithms of far by near: of what is predicted, and of what was measured.
        let pairs: Vec<(f64, f64)> = pairs(points)
            .map(|[near, far]| {
                ((far.predicted / near.predicted).ln(), (far.measured / near.measured).ln())
            })
            .collect();
        let ratios = Ratios::of(&pairs)?;
        let most = |of: fn(&ConditionRow) -> u32| {
            points.iter().map(|point| of(&point.condition)).max().unwrap_or(0)
        };
        Some(Self {
            points: points.len(),
            factor: covering(errors)?,
            pairs: pairs.len(),
            ratio_factor: ratios.factor,
            advised: ratios.advised,
            advised_right: ratios.advised_right,
            near_right: ratios.near_right,
            most_queue_pairs: most(|condition| condition.queue_pairs),
            most_workers: most(|condition| condition.workers),
            most_access_bytes: most(|condition| condition.access_bytes),
            most_rd_atomic: most(|condition| condition.max_rd_atomic.map_or(1, u32::from)),
        })
    }
}

/// Points of both localities that differ in nothing else, the local one first. Both have the client on
/// its card's node, which is what advice is for: where it moved with the memory, what it measured is of
/// both moves.
fn pairs<'a>(points: &'a [&Point]) -> impl Iterator<Item = [&'a Point; 2]> {
    let of = |locality| {
        points.iter().copied().filter(move |point| {
            let ConditionRow { locality: region, client_locality, .. } = point.condition;
            region == Some(locality) && client_locality == Some(Locality::RdmaLocal)
        })
    };
    of(Locality::RdmaLocal).filter_map(move |near| {
        let name = design_point(&near.condition);
        let far = of(Locality::RdmaRemote).find(|far| design_point(&far.condition) == name)?;
        Some([near, far])
    })
}

/// How far predicted ratios of both localities are off, and what advice by that is worth.
struct Ratios {
    factor: f64,
    advised: usize,
    advised_right: usize,
    near_right: usize,
}

impl Ratios {
    /// From pairs of what is predicted and what was measured, logarithms of far by near.
    ///
    /// A pair is advised on by the errors of all others, so that its own, however large, does not
    /// keep it from being advised wrongly.
    fn of(pairs: &[(f64, f64)]) -> Option<Self> {
        let errors: Vec<f64> =
            pairs.iter().map(|(predicted, measured)| predicted - measured).collect();
        let is_told = |at: usize| {
            let others = errors.iter().enumerate().filter(|(other, _)| *other != at);
            let factor = covering(others.map(|(_, error)| *error));
            factor.is_some_and(|factor| pairs[at].0.abs() > factor.ln())
        };
        let told: Vec<_> = (0..pairs.len()).filter(|at| is_told(*at)).map(|at| pairs[at]).collect();
        let is_right = |(predicted, measured): &&(f64, f64)| predicted * measured > 0.0;
        Some(Self {
            factor: covering(errors.iter().copied())?,
            advised: told.len(),
            advised_right: told.iter().filter(is_right).count(),
            near_right: told.iter().filter(|(_, measured)| *measured < 0.0).count(),
        })
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_that_is_far_off_is_advised_wrongly_and_counted_so() {
        // All but one are predicted to a hundredth; that one's sign is wrong.
        let mut pairs: Vec<(f64, f64)> =
            (0..30).map(|at| (0.3 + 0.01 * f64::from(at % 2), 0.3)).collect();
        let all_right = Ratios::of(&pairs).unwrap();
        assert_eq!((all_right.advised, all_right.advised_right), (30, 30));
        pairs[7] = (0.3, -0.3);
        let one_wrong = Ratios::of(&pairs).unwrap();
        assert_eq!((one_wrong.advised, one_wrong.advised_right), (30, 29));
        assert_eq!((all_right.near_right, one_wrong.near_right), (0, 1), "far is better but once");
    }

    #[test]
    fn what_differs_by_less_than_others_are_off_is_not_advised_on() {
        let pairs: Vec<(f64, f64)> =
            (0..40).map(|at| (0.01, if at % 2 == 0 { 0.05 } else { -0.05 })).collect();
        let found = Ratios::of(&pairs).unwrap();
        assert_eq!((found.advised, found.advised_right), (0, 0));
        assert!(found.factor > 1.03 && found.factor < 1.07, "{}", found.factor);
        assert!(Ratios::of(&pairs[..19]).is_none(), "too few");
    }
}
