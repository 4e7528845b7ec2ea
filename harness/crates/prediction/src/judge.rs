//! How good predictions are.

use std::collections::BTreeMap;

use onesided_results::{row::ConditionRow, vocabulary::Locality};

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
#[derive(Clone, Debug, Default, PartialEq)]
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

/// Judges `points`. `log_sd` is the standard deviation of the logarithm of a measured run from run
/// to run: a difference is significant beyond twice what it makes of a ratio.
pub fn judge<'a>(
    points: impl IntoIterator<Item = &'a Point>,
    log_sd: impl Fn(&ConditionRow) -> f64,
) -> Judged {
    let mut errors = Vec::new();
    let mut pairs: BTreeMap<String, [Option<&Point>; 2]> = BTreeMap::new();
    for point in points {
        errors.push(point.relative_error().abs());
        let side = match point.condition.locality {
            Some(Locality::RdmaLocal) => 0,
            Some(Locality::RdmaRemote) => 1,
            None => continue,
        };
        pairs.entry(design_point(&point.condition)).or_default()[side] = Some(point);
    }
    errors.sort_by(f64::total_cmp);
    let mut judged = Judged {
        points: errors.len(),
        median_error: quantile(&errors, 0.5),
        p90_error: quantile(&errors, 0.9),
        ..Judged::default()
    };
    for (near, far) in pairs.values().filter_map(|[near, far]| Some(((*near)?, (*far)?))) {
        let measured = (far.measured / near.measured).ln();
        let noise =
            |point: &Point| log_sd(&point.condition) / f64::from(point.condition.runs).sqrt();
        if measured.abs() > 1.96 * noise(near).hypot(noise(far)) {
            judged.significant_pairs += 1;
            let predicted = (far.predicted / near.predicted).ln();
            judged.right_pairs += usize::from(predicted * measured > 0.0);
        }
    }
    judged
}

fn quantile(sorted: &[f64], q: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    Some(sorted[(q * last as f64).round() as usize])
}
