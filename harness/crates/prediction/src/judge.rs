//! How good predictions are.

use std::collections::BTreeMap;

use onesided_results::{row::ConditionRow, vocabulary::Locality};
use serde::Serialize;

use crate::split::design_point;

/// A condition with what was measured and what is predicted, in the same unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The condition.
    pub condition: ConditionRow,
    /// Operations per second, or mean latency in nanoseconds for closed loops.
    pub measured: f64,
    /// The same of the model.
    pub predicted: f64,
}

impl Point {
    /// Error relative to what was measured: 0.1 is 10 % too much.
    pub fn relative_error(&self) -> f64 {
        self.predicted / self.measured - 1.0
    }
}

/// What predictions amount to.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Judged {
    /// Points.
    pub points: usize,
    /// Median of the absolute relative errors; absent without points.
    pub median_error: Option<f64>,
    /// Their 90th percentile.
    pub p90_error: Option<f64>,
    /// Pairs of both localities whose measured difference is significant.
    pub significant_pairs: usize,
    /// Those of them where the model says the same is better.
    pub right_pairs: usize,
}

impl Judged {
    /// Share of the significant pairs whose sign is right; absent without any.
    pub fn right_share(&self) -> Option<f64> {
        let pairs = self.significant_pairs;
        (pairs > 0).then(|| self.right_pairs as f64 / pairs as f64)
    }
}

/// Both places of a design point.
pub(crate) struct Pair {
    /// Where they are among the points: RDMA-local, RDMA-remote.
    pub places: [usize; 2],
    /// Whether the measured difference is beyond what runs of one condition differ by.
    pub is_significant: bool,
    is_right: bool,
}

/// Pairs of `points`. `log_sd` is the standard deviation of the logarithm of a measured run from run
/// to run: a difference is significant beyond twice what it makes of a ratio.
pub(crate) fn pairs(points: &[&Point], log_sd: impl Fn(&ConditionRow) -> f64) -> Vec<Pair> {
    let mut twins: BTreeMap<String, [Option<usize>; 2]> = BTreeMap::new();
    for (at, point) in points.iter().enumerate() {
        let side = match point.condition.locality {
            Some(Locality::RdmaLocal) => 0,
            Some(Locality::RdmaRemote) => 1,
            None => continue,
        };
        twins.entry(design_point(&point.condition)).or_default()[side] = Some(at);
    }
    let noise = |point: &Point| log_sd(&point.condition) / f64::from(point.condition.runs).sqrt();
    let whole = twins.values().filter_map(|[near, far]| Some([(*near)?, (*far)?]));
    let pair = |places: [usize; 2]| {
        let [near, far] = places.map(|at| points[at]);
        let measured = (far.measured / near.measured).ln();
        let predicted = (far.predicted / near.predicted).ln();
        let is_significant = measured.abs() > 1.96 * noise(near).hypot(noise(far));
        Pair { places, is_significant, is_right: predicted * measured > 0.0 }
    };
    whole.map(pair).collect()
}

/// Judges `points`; `log_sd` is the standard deviation of the logarithm of a measured run from run to
/// run.
pub fn judge<'a>(
    points: impl IntoIterator<Item = &'a Point>,
    log_sd: impl Fn(&ConditionRow) -> f64,
) -> Judged {
    let points: Vec<_> = points.into_iter().collect();
    let mut errors: Vec<_> = points.iter().map(|point| point.relative_error().abs()).collect();
    errors.sort_by(f64::total_cmp);
    let mut judged = Judged {
        points: errors.len(),
        median_error: quantile(&errors, 0.5),
        p90_error: quantile(&errors, 0.9),
        ..Judged::default()
    };
    for pair in pairs(&points, log_sd).iter().filter(|pair| pair.is_significant) {
        judged.significant_pairs += 1;
        judged.right_pairs += usize::from(pair.is_right);
    }
    judged
}

fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    Some(sorted[(q * last as f64).round() as usize])
}

/// Judges groups of points apart.
pub(crate) fn judge_by<Group: Ord>(
    points: &[Point],
    group: impl Fn(&ConditionRow) -> Group,
    log_sd: impl Fn(&ConditionRow) -> f64 + Copy,
) -> BTreeMap<Group, Judged> {
    let mut groups: BTreeMap<Group, Vec<&Point>> = BTreeMap::new();
    for point in points {
        groups.entry(group(&point.condition)).or_default().push(point);
    }
    groups.into_iter().map(|(group, points)| (group, judge(points, log_sd))).collect()
}

#[cfg(test)]
mod tests {
    use onesided_results::vocabulary::Locality;

    use super::*;
    use crate::standing::any;

    fn point(locality: Locality, queue_pairs: u32, measured: f64, predicted: f64) -> Point {
        let mut condition = any();
        (condition.locality, condition.queue_pairs) = (Some(locality), queue_pairs);
        condition.runs = 1;
        Point { condition, measured, predicted }
    }

    #[test]
    fn only_differences_beyond_the_noise_count_and_by_their_sign() {
        let (near, far) = (Locality::RdmaLocal, Locality::RdmaRemote);
        let points = [
            // 10 % worse, told so; 10 % better, told the opposite; 1 % is noise.
            point(near, 1, 100.0, 100.0),
            point(far, 1, 90.0, 99.0),
            point(near, 2, 100.0, 100.0),
            point(far, 2, 110.0, 99.0),
            point(near, 3, 100.0, 100.0),
            point(far, 3, 101.0, 50.0),
            // Without its twin.
            point(near, 4, 100.0, 120.0),
        ];
        let judged = judge(&points, |_| 0.02);
        assert_eq!((judged.significant_pairs, judged.right_pairs), (2, 1));
        assert_eq!(judged.points, 7);
        assert_eq!(judged.right_share(), Some(0.5));
        let (median, p90) = (judged.median_error.unwrap(), judged.p90_error.unwrap());
        assert!((median - 0.1).abs() < 1e-12 && (p90 - 0.2).abs() < 1e-12, "{median} {p90}");
    }

    #[test]
    fn a_model_that_sees_no_difference_is_not_right_about_one() {
        let points = [
            point(Locality::RdmaLocal, 1, 100.0, 80.0),
            point(Locality::RdmaRemote, 1, 200.0, 80.0),
        ];
        assert_eq!(judge(&points, |_| 0.01).right_pairs, 0);
    }

    #[test]
    fn without_points_there_is_nothing_to_say() {
        let judged = judge(&[], |_| 0.01);
        assert_eq!((judged.median_error, judged.right_share()), (None, None));
    }
}
