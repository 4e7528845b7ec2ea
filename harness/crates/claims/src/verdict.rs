//! What the data says to a claim: the one place where a verdict is made.
//!
//! Cell by cell, a value `v` with its 95 % interval `[l, h]` is held against the expectation:
//!
//! | outcome | when |
//! |---|---|
//! | agrees | `v` is as expected, and the interval is sure enough of it |
//! | point only | `v` is as expected, but its interval is not sure, or there is none |
//! | interval only | `v` is not as expected, but the interval reaches what is |
//! | direction only | the interval excludes what is expected, but lies on the claimed side of no effect |
//! | disagrees | the interval excludes it, and the claimed direction if there is one |
//!
//! Sure enough: of a stated range of effects, that the whole interval lies on the claimed side of
//! no effect, because the range is that of the study's points; else, as for "no difference" and
//! "more than", that the whole interval is as expected. A value without an interval is taken at
//! its word only where it disagrees.
//!
//! Then the claim: *supported* if there are cells and all agree; *contradicted* if there are cells
//! and all disagree; *not-testable* if there are none; else *partly*. A part of a claim without
//! cells leaves it partly at best.

use std::fmt;

use onesided_results::vocabulary::Verdict;

use crate::{
    expectation::{Expectation, Side},
    value::Estimate,
};

/// What one value says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// It is as expected.
    Agrees,
    /// Its point is; its interval is not sure of it.
    PointOnly,
    /// Its point is not; its interval reaches what is.
    IntervalOnly,
    /// Only the direction is.
    DirectionOnly,
    /// It is not.
    Disagrees,
}

impl Outcome {
    /// How a value agrees.
    pub fn told(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::PointOnly => "by the point only",
            Self::IntervalOnly => "by the interval only",
            Self::DirectionOnly => "by direction only",
            Self::Disagrees => "not at all",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.told())
    }
}

/// Holds a value against an expectation.
pub fn judge(estimate: &Estimate, expectation: &Expectation) -> Outcome {
    let point_holds = expectation.holds(estimate.point);
    let Some(interval) = estimate.interval else {
        return match (point_holds, on_side(expectation, estimate.point, estimate.point)) {
            (true, _) => Outcome::PointOnly,
            (false, true) => Outcome::DirectionOnly,
            (false, false) => Outcome::Disagrees,
        };
    };
    let on_side = on_side(expectation, interval.low, interval.high);
    if point_holds {
        let is_range_of_effects = expectation.no_effect.is_some()
            && expectation.low.is_some()
            && expectation.high.is_some();
        let sure = if is_range_of_effects {
            on_side
        } else {
            expectation.holds(interval.low) && expectation.holds(interval.high)
        };
        return if sure { Outcome::Agrees } else { Outcome::PointOnly };
    }
    let reaches = expectation.low.is_none_or(|low| interval.high >= low)
        && expectation.high.is_none_or(|high| interval.low <= high);
    match (reaches, on_side) {
        (true, _) => Outcome::IntervalOnly,
        (false, true) => Outcome::DirectionOnly,
        (false, false) => Outcome::Disagrees,
    }
}

/// Whether everything from `low` to `high` is on the claimed side of no effect.
fn on_side(expectation: &Expectation, low: f64, high: f64) -> bool {
    let Some(none) = expectation.no_effect else { return false };
    match expectation.side() {
        Some(Side::Above) => low > none,
        Some(Side::Below) => high < none,
        None => false,
    }
}

/// The verdict of a claim whose parts have these outcomes.
pub fn verdict(parts: &[Vec<Outcome>]) -> Verdict {
    let every = |wanted| parts.iter().flatten().all(|&outcome| outcome == wanted);
    if parts.iter().all(Vec::is_empty) {
        Verdict::NotTestable
    } else if every(Outcome::Agrees) && !parts.iter().any(Vec::is_empty) {
        Verdict::Supported
    } else if every(Outcome::Disagrees) {
        Verdict::Contradicted
    } else {
        Verdict::Partly
    }
}

#[cfg(test)]
mod tests;
