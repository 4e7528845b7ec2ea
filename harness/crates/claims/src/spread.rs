//! How far the value of a condition can be from what another run would give.
//!
//! The run is the unit, and most conditions of the published data have one. So
//! 1. of three runs or more, the interval is that of the condition's own replicates;
//! 2. of fewer, Student's interval with the variance of *like conditions*: those of the same
//!    machine, program, campaign, regime, operation, locality, loop and number of queue pairs, all
//!    with workers or all without (contention varies more), pooled over all of them that have
//!    replicates (two runs of their own say little: t is 12.7);
//! 3. where like conditions have no replicates either, what the run says by itself, which is too
//!    narrow: it knows nothing of how runs differ;
//! 4. else there is none.
//!
//! Logarithms throughout: rates and times vary in proportion.

use std::collections::BTreeMap;

use onesided_estimate::bootstrap::Interval;

use crate::{
    frame::{Record, number, text_of},
    value::{Estimate, Origin, t_975},
};

/// Degrees of freedom from which a pooled variance is used. Ours: t is 3.2 there.
const ENOUGH_FREEDOM: f64 = 3.0;

/// Columns that say which conditions are alike.
const ALIKE: [&str; 10] = [
    "source",
    "back_end",
    "profile",
    "code_generation",
    "campaign",
    "regime",
    "operation",
    "locality",
    "loop",
    "queue_pairs",
];

/// A measured column of conditions and the ends of its interval.
pub struct Measured {
    /// The value.
    pub value: &'static str,
    /// Lower end.
    pub low: &'static str,
    /// Upper end.
    pub high: &'static str,
}

/// Variances of like conditions, of one measured column.
pub struct Spread {
    measured: Measured,
    /// Sum of squares and degrees of freedom.
    pooled: BTreeMap<String, (f64, f64)>,
}

impl Spread {
    /// Pools the variances of `conditions`.
    pub fn of<'a>(measured: Measured, conditions: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut pooled = BTreeMap::new();
        for condition in conditions {
            if let Some((squares, freedom)) = squares(&measured, condition) {
                let sums = pooled.entry(group(condition)).or_insert((0.0, 0.0));
                *sums = (sums.0 + squares, sums.1 + freedom);
            }
        }
        Self { measured, pooled }
    }

    /// The value of `condition` with its interval; `within` is what its only run says of itself.
    pub fn estimate(&self, condition: &Record, within: Option<Interval>) -> Option<Estimate> {
        let point = number(condition, self.measured.value)?;
        let runs = number(condition, "runs")?;
        let with = |interval, origin| Some(Estimate { point, interval: Some(interval), origin });
        let own = interval(&self.measured, condition).filter(|_| runs > 1.0);
        if let Some(own) = own.filter(|_| runs > 2.0) {
            return with(own, Origin::Replicates);
        }
        if let Some(&(squares, freedom)) = self.pooled.get(&group(condition))
            && freedom >= ENOUGH_FREEDOM
        {
            let half = t_975(freedom) * (squares / freedom / runs).sqrt();
            let ends = [-half, half].map(|half| point * libm::exp(half));
            return with(Interval { low: ends[0], high: ends[1] }, Origin::LikeConditions);
        }
        match (own, within) {
            (Some(own), _) => with(own, Origin::Replicates),
            (None, Some(within)) => with(within, Origin::WithinRun),
            (None, None) => Some(Estimate::bare(point)),
        }
    }
}

fn group(condition: &Record) -> String {
    let unladen = number(condition, "workers") == Some(0.0);
    format!("{} {unladen}", text_of(condition, ALIKE))
}

fn interval(measured: &Measured, condition: &Record) -> Option<Interval> {
    let low = number(condition, measured.low)?;
    let high = number(condition, measured.high)?;
    Some(Interval { low, high })
}

/// Sum of squares of a condition's logarithms about their mean, and its degrees of freedom: read
/// back from the interval, which the table has for every measured column.
fn squares(measured: &Measured, condition: &Record) -> Option<(f64, f64)> {
    let runs = number(condition, "runs").filter(|&runs| runs > 1.0)?;
    let Interval { low, high } = interval(measured, condition)?;
    let half = (libm::log(high) - libm::log(low)) / 2.0;
    let freedom = runs - 1.0;
    let deviation = half * runs.sqrt() / t_975(freedom);
    Some((deviation * deviation * freedom, freedom))
}

#[cfg(test)]
mod tests;
