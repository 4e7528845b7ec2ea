//! How far the value of a condition can be from what another run would give.
//!
//! The run is the unit, and most conditions of the published data have one. So the variance of a
//! run is estimated from all that have replicates, level by level, each drawn towards the one above:
//! - a *family* is of the conditions of one machine, program and loop;
//! - a *class* is of those of a family that agree in operation, queue pairs and regime, all with
//!   workers or all without: in the published data these tell most of how runs vary;
//! - a *group* is of those of a class that are alike in all else that may set how runs vary: campaign,
//!   locality, access size, MTU, the load, caches and DDIO.
//!
//! The variance of a family is that of all its replicates, pooled. A class has what its own replicates
//! say, with the family's as if it were of 4 more degrees of freedom; a group has its
//! own with the class's in the same way (a scaled inverse χ² prior: Gelman et al., Bayesian Data
//! Analysis, section 2.6). So conditions that are alike have intervals that are alike, whether they
//! were repeated or not: a group that was not repeated has the variance of its class, and few degrees
//! of freedom.
//!
//! Where no condition of the family was repeated, a condition has what its run says by itself,
//! which is too narrow: it knows nothing of how runs differ. Else it has no interval.
//!
//! Logarithms throughout: rates and times vary in proportion.

use std::collections::BTreeMap;

use onesided_estimate::bootstrap::Interval;

use crate::{
    frame::{Record, number, text_of},
    value::{Confidence, Estimate, Origin},
};

/// Columns that say which conditions are of one family.
const FAMILY: [&str; 5] = ["source", "back_end", "profile", "code_generation", "loop"];

/// Columns that say which conditions of a family are of one class, beside whether there are workers.
const CLASS: [&str; 3] = ["operation", "queue_pairs", "regime"];

/// Columns that say which conditions of a class are alike.
const GROUP: [&str; 8] = [
    "campaign",
    "locality",
    "access_bytes",
    "mtu_bytes",
    "load_kind",
    "load_node",
    "cache_state",
    "ddio",
];

/// Least degrees of freedom of a family. Ours: with fewer, no spread is known.
const LEAST_FREEDOM: f64 = 3.0;

/// Degrees of freedom that the level above counts for. Ours: standard deviations at one level are then
/// taken to differ by a factor of up to 2 or so.
const PRIOR_FREEDOM: f64 = 4.0;

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
    /// Of families, classes and groups, by what they agree in.
    pooled: BTreeMap<String, Sample>,
}

/// A variance with its degrees of freedom.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Sample {
    variance: f64,
    freedom: f64,
}

impl Sample {
    /// Both together.
    fn with(self, other: Self) -> Self {
        let freedom = self.freedom + other.freedom;
        let squares = self.variance * self.freedom + other.variance * other.freedom;
        Self { variance: if freedom > 0.0 { squares / freedom } else { 0.0 }, freedom }
    }

    /// As the level above counts.
    fn as_prior(self) -> Self {
        Self { freedom: self.freedom.min(PRIOR_FREEDOM), ..self }
    }
}

impl Spread {
    /// Pools the variances of `conditions`.
    pub fn of<'a>(measured: Measured, conditions: impl IntoIterator<Item = &'a Record>) -> Self {
        let mut pooled: BTreeMap<_, Sample> = BTreeMap::new();
        for condition in conditions {
            let Some(own) = own_variance(&measured, condition) else { continue };
            for level in levels(condition) {
                let all = pooled.entry(level).or_default();
                *all = all.with(own);
            }
        }
        Self { measured, pooled }
    }

    /// The value of `condition` with its interval; `within` is what its only run says of itself.
    pub fn estimate(&self, condition: &Record, within: Option<Interval>) -> Option<Estimate> {
        let point = number(condition, self.measured.value)?;
        let runs = number(condition, "runs")?;
        if let Some(Sample { variance, freedom }) = self.variance(condition) {
            let half = Confidence::USUAL.quantile(freedom) * (variance / runs).sqrt();
            let [low, high] = [-half, half].map(|half| point * libm::exp(half));
            let interval = Some(Interval { low, high });
            return Some(Estimate { point, interval, origin: Origin::LikeConditions, freedom });
        }
        let own = interval(&self.measured, condition).filter(|_| runs > 1.0);
        Some(match (own, within) {
            (Some(own), _) => Estimate {
                point,
                interval: Some(own),
                origin: Origin::Replicates,
                freedom: runs - 1.0,
            },
            (None, Some(_)) => Estimate {
                point,
                interval: within,
                origin: Origin::WithinRun,
                freedom: f64::INFINITY,
            },
            (None, None) => Estimate::bare(point),
        })
    }

    /// The variance of a run of `condition`; absent where too few of its family were repeated.
    fn variance(&self, condition: &Record) -> Option<Sample> {
        let of = |level: &String| self.pooled.get(level).copied().unwrap_or_default();
        let [family, class, group] = &levels(condition);
        let family = of(family);
        (family.freedom >= LEAST_FREEDOM && family.variance > 0.0)
            .then(|| of(class).with(family.as_prior()))
            .map(|class| of(group).with(class.as_prior()))
    }
}

/// What a condition agrees in with its family, its class and its group.
fn levels(condition: &Record) -> [String; 3] {
    let unladen = number(condition, "workers") == Some(0.0);
    let family = text_of(condition, FAMILY);
    let class = format!("{family} {} {unladen}", text_of(condition, CLASS));
    let group = format!("{class} {}", text_of(condition, GROUP));
    [family, class, group]
}

fn interval(measured: &Measured, condition: &Record) -> Option<Interval> {
    let low = number(condition, measured.low)?;
    let high = number(condition, measured.high)?;
    Some(Interval { low, high })
}

/// The variance of a condition's logarithms and its degrees of freedom: read back from the
/// interval, which the table has for every measured column.
fn own_variance(measured: &Measured, condition: &Record) -> Option<Sample> {
    let runs = number(condition, "runs").filter(|&runs| runs > 1.0)?;
    let Interval { low, high } = interval(measured, condition)?;
    let half = (libm::log(high) - libm::log(low)) / 2.0;
    let freedom = runs - 1.0;
    let deviation = half * runs.sqrt() / Confidence::USUAL.quantile(freedom);
    Some(Sample { variance: deviation * deviation, freedom })
}

#[cfg(test)]
mod tests;
