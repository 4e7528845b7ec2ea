//! A number with what is known about its uncertainty, and arithmetic that keeps both.
//!
//! Intervals of sums, differences and ratios are made from the intervals of their terms by the
//! method of variance estimates recovery (Zou & Donner 2008, doi:10.1002/sim.3095), which keeps
//! them asymmetric where the terms' are. Terms are taken as independent: runs of their own. Of the
//! two sides of a contrast they are; but where several contrasts share one base, as many loads do
//! one run without, their results vary together, and the interval of a mean of them, [`mean`], is
//! too narrow.

use std::collections::BTreeMap;

use onesided_estimate::bootstrap::Interval;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// What an interval is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A fact without uncertainty: a setting, a count.
    Fact,
    /// Runs of the same condition.
    Replicates,
    /// How runs of like conditions vary among themselves.
    LikeConditions,
    /// One run, by itself.
    WithinRun,
    /// How the cells that were averaged vary.
    Cells,
    /// Nothing.
    None,
}

impl Origin {
    /// As it is told.
    pub fn told(self) -> &'static str {
        match self {
            Self::Fact => "facts",
            Self::Replicates => "replicates",
            Self::LikeConditions => "runs of like conditions",
            Self::WithinRun => "within single runs",
            Self::Cells => "spread of cells",
            Self::None => "no interval",
        }
    }
}

/// How many conditions have which kind of interval.
pub type Origins = BTreeMap<Origin, u32>;

/// A value with its 95 % interval, where there is one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The value; finite.
    pub point: f64,
    /// Its interval.
    pub interval: Option<Interval>,
    /// What that is made from.
    pub origin: Origin,
}

impl Estimate {
    /// A fact: the interval is the value.
    pub fn fact(point: f64) -> Self {
        Self { point, interval: Some(Interval { low: point, high: point }), origin: Origin::Fact }
    }

    /// A value about which nothing else is known.
    pub fn bare(point: f64) -> Self {
        Self { point, interval: None, origin: Origin::None }
    }

    /// `f` of it, `f` strictly monotonic.
    pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
        let interval = self.interval.map(|Interval { low, high }| {
            let (a, b) = (f(low), f(high));
            Interval { low: a.min(b), high: a.max(b) }
        });
        Self { point: f(self.point), interval, ..self }
    }

    /// `self - other`.
    pub fn minus(self, other: Self) -> Self {
        let point = self.point - other.point;
        let interval = self.interval.zip(other.interval).map(|(a, b)| Interval {
            low: point - libm::hypot(self.point - a.low, b.high - other.point),
            high: point + libm::hypot(a.high - self.point, other.point - b.low),
        });
        Self { point, interval, origin: self.origin.max(other.origin) }
    }

    /// `self / other`, on logarithms; absent if either is not positive.
    pub fn over(self, other: Self) -> Option<Self> {
        let positive = |estimate: &Self| estimate.point > 0.0;
        // An interval that reaches 0 has no logarithm there: it bounds nothing from below.
        let log = |value: f64| libm::log(value.max(f64::MIN_POSITIVE));
        if !positive(&self) || !positive(&other) {
            return None;
        }
        let point = self.point / other.point;
        if self.origin == Origin::Fact && other.origin == Origin::Fact {
            return Some(Self::fact(point));
        }
        Some(Self { point, ..self.map(log).minus(other.map(log)).map(libm::exp) })
    }
}

/// The mean of `estimates`; its interval from theirs, or where they have none, from how they vary.
///
/// Absent if there is none.
pub fn mean(estimates: &[Estimate]) -> Option<Estimate> {
    if estimates.is_empty() {
        return None;
    }
    let count = number(estimates.len());
    let point = estimates.iter().map(|estimate| estimate.point).sum::<f64>() / count;
    let intervals: Option<Vec<_>> =
        estimates.iter().map(|e| Some((e.point, e.interval?))).collect();
    let Some(intervals) = intervals else { return Some(mean_by_spread(estimates)) };
    let (mut below, mut above) = (0.0, 0.0);
    for (point, interval) in intervals {
        below += (point - interval.low) * (point - interval.low);
        above += (interval.high - point) * (interval.high - point);
    }
    let interval =
        Interval { low: point - below.sqrt() / count, high: point + above.sqrt() / count };
    let origin = estimates.iter().map(|estimate| estimate.origin).max()?;
    Some(Estimate { point, interval: Some(interval), origin })
}

/// The mean of `estimates`, not empty, with Student's interval from how they vary.
pub fn mean_by_spread(estimates: &[Estimate]) -> Estimate {
    let count = number(estimates.len());
    let point = estimates.iter().map(|estimate| estimate.point).sum::<f64>() / count;
    if estimates.len() < 2 {
        return Estimate::bare(point);
    }
    let square = |estimate: &Estimate| (estimate.point - point) * (estimate.point - point);
    let variance = estimates.iter().map(square).sum::<f64>() / (count - 1.0);
    let half = t_975(count - 1.0) * (variance / count).sqrt();
    let interval = Interval { low: point - half, high: point + half };
    Estimate { point, interval: Some(interval), origin: Origin::Cells }
}

/// What 97.5 % of Student's distribution with that many degrees of freedom do not exceed.
///
/// # Panics
/// When the degrees of freedom are not positive.
pub fn t_975(freedom: f64) -> f64 {
    StudentsT::new(0.0, 1.0, freedom).expect("degrees of freedom are positive").inverse_cdf(0.975)
}

/// A count as a number.
#[expect(clippy::cast_precision_loss, reason = "rows are counted in thousands")]
pub fn number(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests;
