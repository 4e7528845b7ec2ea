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
use statrs::distribution::{ContinuousCDF as _, Normal, StudentsT};

/// What an interval is made from, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// A fact without uncertainty: a setting, a count.
    Fact,
    /// A run of a model, which says the same each time but for its seed.
    Model,
    /// Runs of the same condition.
    Replicates,
    /// How runs of like conditions vary among themselves.
    LikeConditions,
    /// How the cells that were averaged vary: as runs do, and as the cells' settings make them. Not
    /// too narrow, but wider than that of repeated runs.
    Cells,
    /// One run, by itself: too narrow, as it knows nothing of how runs differ.
    WithinRun,
    /// Nothing.
    None,
}

impl Origin {
    /// Whether the interval says how another run would come out.
    pub fn is_over_runs(self) -> bool {
        self <= Self::Cells
    }

    /// As it is told.
    pub fn told(self) -> &'static str {
        match self {
            Self::Fact => "facts",
            Self::Model => "a model's runs",
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
    /// Degrees of freedom of the interval; infinite where it is not Student's.
    pub freedom: f64,
}

impl Estimate {
    /// A fact: the interval is the value.
    pub fn fact(point: f64) -> Self {
        let interval = Some(Interval { low: point, high: point });
        Self { point, interval, origin: Origin::Fact, freedom: f64::INFINITY }
    }

    /// A value about which nothing else is known.
    pub fn bare(point: f64) -> Self {
        Self { point, interval: None, origin: Origin::None, freedom: f64::INFINITY }
    }

    /// The same with an interval of `confidence` for its 95 %: each arm is longer by the ratio of
    /// Student's quantiles, on logarithms where all of it is positive.
    pub fn at(self, confidence: Confidence) -> Self {
        let Some(Interval { low, high }) = self.interval else { return self };
        let ratio = confidence.quantile(self.freedom) / Confidence::USUAL.quantile(self.freedom);
        let (low, high) = if low > 0.0 {
            let arm = |end: f64| self.point * libm::exp(ratio * libm::log(end / self.point));
            (arm(low), arm(high))
        } else {
            let arm = |end: f64| self.point + ratio * (end - self.point);
            (arm(low), arm(high))
        };
        Self { interval: Some(Interval { low, high }), ..self }
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
        let origin = self.origin.max(other.origin);
        Self { point, interval, origin, freedom: self.freedom.min(other.freedom) }
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

/// How sure an interval is meant to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Confidence(f64);

impl Confidence {
    /// 95 %.
    pub const USUAL: Self = Self(0.95);

    /// That of each of `count` intervals which all together are to have 95 % (Bonferroni).
    pub fn of_each(count: usize) -> Self {
        Self(1.0 - 0.05 / number(count.max(1)))
    }

    /// What so much of Student's distribution, on either side of 0, does not exceed; of the normal
    /// one where the degrees of freedom are infinite.
    ///
    /// # Panics
    /// When the degrees of freedom are not positive.
    pub fn quantile(self, freedom: f64) -> f64 {
        let below = 0.5 + self.0 / 2.0;
        if freedom.is_infinite() {
            return Normal::standard().inverse_cdf(below);
        }
        let student = StudentsT::new(0.0, 1.0, freedom);
        student.expect("degrees of freedom are positive").inverse_cdf(below)
    }
}

/// The mean of `estimates`; its interval from theirs where all are over runs, or else from how the
/// estimates vary.
///
/// Absent if there is none.
pub fn mean(estimates: &[Estimate], confidence: Confidence) -> Option<Estimate> {
    if estimates.is_empty() {
        return None;
    }
    let count = number(estimates.len());
    let point = estimates.iter().map(|estimate| estimate.point).sum::<f64>() / count;
    let over_runs = |e: &Estimate| Some((e.point, e.interval.filter(|_| e.origin.is_over_runs())?));
    let intervals: Option<Vec<_>> = estimates.iter().map(over_runs).collect();
    let Some(intervals) = intervals else { return Some(mean_by_spread(estimates, confidence)) };
    let (mut below, mut above) = (0.0, 0.0);
    for (point, interval) in intervals {
        below += (point - interval.low) * (point - interval.low);
        above += (interval.high - point) * (interval.high - point);
    }
    let interval =
        Interval { low: point - below.sqrt() / count, high: point + above.sqrt() / count };
    let origin = estimates.iter().map(|estimate| estimate.origin).max()?;
    let freedom = estimates.iter().map(|estimate| estimate.freedom).fold(f64::INFINITY, f64::min);
    Some(Estimate { point, interval: Some(interval), origin, freedom })
}

/// The mean of `estimates`, not empty, with Student's interval from how they vary; one alone as it
/// is.
pub fn mean_by_spread(estimates: &[Estimate], confidence: Confidence) -> Estimate {
    if let [alone] = estimates {
        return *alone;
    }
    let count = number(estimates.len());
    let point = estimates.iter().map(|estimate| estimate.point).sum::<f64>() / count;
    let square = |estimate: &Estimate| (estimate.point - point) * (estimate.point - point);
    let freedom = count - 1.0;
    let variance = estimates.iter().map(square).sum::<f64>() / freedom;
    let half = confidence.quantile(freedom) * (variance / count).sqrt();
    let interval = Some(Interval { low: point - half, high: point + half });
    Estimate { point, interval, origin: Origin::Cells, freedom }
}

/// A count as a number.
#[expect(clippy::cast_precision_loss, reason = "rows are counted in thousands")]
pub fn number(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests;
