//! What predicts without any notion of hardware, on the same split: beside each judgement of the model,
//! so that it is seen what the model adds.
//!
//! - The nearest neighbour: the measured value of the condition that was not held out and differs
//!   least; of several the geometric mean.
//! - A log-linear fit: least squares on the logarithm of what was measured, by the factors' levels, the
//!   logarithms of their numbers, and for each place of the memory again by the operation and the number
//!   of workers.

use onesided_results::{
    row::ConditionRow,
    vocabulary::PredictedQuantity::{self, Latency, Throughput},
};
use serde::Serialize;

use crate::{
    fit::linear::{normal_equations, solve},
    judge::{Judged, Point, judge},
    standing::Usable,
};

/// How a condition would be predicted without the model.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Baselines {
    /// By the nearest neighbour.
    pub nearest_neighbour: Judged,
    /// By the log-linear fit; absent where it has no solution.
    pub log_linear: Option<Judged>,
}

/// Judgements of the same conditions by the model and without it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// By the model.
    pub model: Judged,
    /// Without it; absent where nothing was left to learn from.
    pub baselines: Option<Baselines>,
}

/// A change by workers or load from which on a condition counts as moved by them. Ours: the smallest
/// effect that the study speaks of is 5 to 10 %.
const MOVED: f64 = 0.1;

/// How far two levels of a factor are apart, in doublings of a number. Ours: another operation, machine
/// program or place is more than another number of anything.
const ANOTHER_KIND: f64 = 16.0;

/// The same of factors that matter less.
const ANOTHER_LEVEL: f64 = 2.0;

/// Of what is added to the normal equations' diagonal, so that factors which say the same are no
/// trouble. Ours: far below any coefficient that matters.
const RIDGE: f64 = 1e-6;

/// Judges `points`, the held-out ones of `held_out`, by the model and by what `fitted_to` alone would
/// have told of them.
pub(crate) fn compared<'a>(
    held_out: impl Iterator<Item = (&'a Usable, &'a Point)>,
    fitted_to: &[Usable],
    log_sd: impl Fn(&ConditionRow) -> f64 + Copy,
) -> Compared {
    let (asked, points): (Vec<_>, Vec<_>) = held_out.unzip();
    let model = judge(points.iter().copied(), log_sd);
    if fitted_to.is_empty() || asked.is_empty() {
        return Compared { model, baselines: None };
    }
    let judged = |predicted: Vec<f64>| {
        let point = |(usable, predicted): (&&Usable, f64)| Point {
            condition: usable.condition.clone(),
            measured: usable.measured,
            predicted,
        };
        judge(&asked.iter().zip(predicted).map(point).collect::<Vec<_>>(), log_sd)
    };
    let nearest: Option<Vec<f64>> = asked.iter().map(|one| nearest(one, fitted_to)).collect();
    let linear = LogLinear::fits(fitted_to);
    let linear: Option<Vec<f64>> = asked
        .iter()
        .map(|one| linear.iter().find(|fit| fit.quantity == one.quantity)?.predicted(one))
        .collect();
    let baselines = nearest.map(|nearest| Baselines {
        nearest_neighbour: judged(nearest),
        log_linear: linear.map(judged),
    });
    Compared { model, baselines }
}

/// Whether workers or load change a condition by more than a tenth: against the same one without them,
/// among `conditions`.
pub(crate) fn is_moved(usable: &Usable, conditions: &[ConditionRow]) -> bool {
    let own = &usable.condition;
    if own.workers == 0 && own.load_bytes.is_none() {
        return false;
    }
    let alike = |one: &&ConditionRow| {
        one.workers == 0
            && one.load_bytes.is_none()
            && kinds(one)[..UNLOADED_KINDS] == kinds(own)[..UNLOADED_KINDS]
            && (one.queue_pairs, one.access_bytes, one.mtu_bytes)
                == (own.queue_pairs, own.access_bytes, own.mtu_bytes)
    };
    let value = |one: &ConditionRow| match usable.quantity {
        Throughput => one.throughput_ops,
        Latency => one.latency_mean_ns,
    };
    let unloaded = conditions.iter().filter(alike).find_map(value);
    unloaded.is_some_and(|unloaded| (usable.measured / unloaded).ln().abs() > MOVED.ln_1p())
}

/// How many of [`kinds`] an unloaded condition shares with the loaded one.
const UNLOADED_KINDS: usize = 9;

/// Levels of the factors that are words, those of load and workers last.
fn kinds(condition: &ConditionRow) -> [String; 12] {
    [
        format!("{:?}", condition.operation),
        format!("{:?}", condition.loop_shape),
        format!("{:?}", condition.locality),
        format!("{:?}", condition.client_locality),
        format!("{:?}", condition.ddio),
        format!("{:?}", condition.code_generation),
        format!("{:?}", condition.campaign),
        format!("{:?}", condition.cache_state),
        format!("{:?}", condition.slot_layout),
        format!("{:?}", condition.worker_operation),
        format!("{:?}", condition.load_kind),
        format!("{:?}", condition.load_node),
    ]
}

/// Which of [`kinds`] are another thing altogether.
const IS_ANOTHER_KIND: [bool; 12] =
    [true, true, true, true, true, false, false, false, false, false, false, false];

/// Logarithms of the factors that are numbers, to the base of 2.
fn numbers(condition: &ConditionRow) -> [f64; 6] {
    let log = |number: f64| (1.0 + number).log2();
    [
        log(f64::from(condition.queue_pairs)),
        log(f64::from(condition.access_bytes)),
        log(f64::from(condition.workers)),
        log(condition.load_bytes.unwrap_or(0) as f64),
        log(f64::from(condition.mtu_bytes.unwrap_or(0))),
        2.0 * condition.worker_write_fraction.unwrap_or(0.0),
    ]
}

fn distance(one: &ConditionRow, other: &ConditionRow) -> f64 {
    let words = kinds(one).into_iter().zip(kinds(other)).zip(IS_ANOTHER_KIND);
    let words = words.filter(|((one, other), _)| one != other);
    let words = words.map(|(_, another)| if another { ANOTHER_KIND } else { ANOTHER_LEVEL });
    let numbers = numbers(one).into_iter().zip(numbers(other));
    words.sum::<f64>() + numbers.map(|(one, other)| (one - other).abs()).sum::<f64>()
}

fn nearest(asked: &Usable, known: &[Usable]) -> Option<f64> {
    let known = known.iter().filter(|known| known.quantity == asked.quantity);
    let known: Vec<_> =
        known.map(|known| (distance(&asked.condition, &known.condition), known.measured)).collect();
    let least = known.iter().map(|(distance, _)| *distance).min_by(f64::total_cmp)?;
    let at_least = known.iter().filter(|(distance, _)| *distance <= least);
    let logarithms: Vec<f64> = at_least.map(|(_, measured)| measured.ln()).collect();
    Some((logarithms.iter().sum::<f64>() / logarithms.len() as f64).exp())
}

/// A fit of one quantity.
struct LogLinear {
    quantity: PredictedQuantity,
    levels: Vec<(usize, String)>,
    coefficients: Vec<f64>,
}

impl LogLinear {
    /// One for each quantity that there is.
    fn fits(known: &[Usable]) -> Vec<Self> {
        [Throughput, Latency].into_iter().filter_map(|quantity| Self::of(known, quantity)).collect()
    }

    fn of(known: &[Usable], quantity: PredictedQuantity) -> Option<Self> {
        let known: Vec<_> = known.iter().filter(|known| known.quantity == quantity).collect();
        let mut levels: Vec<(usize, String)> = Vec::new();
        for known in &known {
            for level in kinds(&known.condition).into_iter().enumerate() {
                if !levels.contains(&level) {
                    levels.push(level);
                }
            }
        }
        let rows: Vec<_> = known.iter().map(|known| terms(&known.condition, &levels)).collect();
        // The solution takes away what the residuals are: those of a fit of nothing are all.
        let residuals: Vec<_> = known.iter().map(|known| -known.measured.ln()).collect();
        let (matrix, gradient) = normal_equations(&rows, &residuals, f64::INFINITY);
        let coefficients = solve(&matrix, &gradient, RIDGE)?;
        Some(Self { quantity, levels, coefficients })
    }

    fn predicted(&self, asked: &Usable) -> Option<f64> {
        let terms = terms(&asked.condition, &self.levels);
        let logarithm: f64 = terms
            .iter()
            .zip(&self.coefficients)
            .map(|(term, coefficient)| term * coefficient)
            .sum();
        Some(logarithm.exp()).filter(|predicted| predicted.is_finite())
    }
}

/// What a condition has of each term of the fit.
fn terms(condition: &ConditionRow, levels: &[(usize, String)]) -> Vec<f64> {
    let kinds = kinds(condition);
    let numbers = numbers(condition);
    let has = |(at, level): &(usize, String)| f64::from(u8::from(kinds[*at] == *level));
    let mut terms = vec![1.0];
    terms.extend(numbers);
    terms.extend(levels.iter().map(has));
    // Each place by the operation, and by the operation and the workers.
    for place in levels.iter().filter(|(at, _)| *at == 2) {
        for operation in levels.iter().filter(|(at, _)| *at == 0) {
            let both = has(place) * has(operation);
            terms.extend([both, both * numbers[0], both * numbers[2]]);
        }
    }
    terms
}

#[cfg(test)]
mod tests {
    use onesided_results::vocabulary::Locality;
    use onesided_sim::Moment;

    use super::*;
    use crate::{
        profile::SimulationProfile,
        standing::{Standing, any, standing},
    };

    fn usable(locality: Locality, workers: u32, measured: f64) -> Usable {
        static ANY: std::sync::OnceLock<Usable> = std::sync::OnceLock::new();
        let any =
            ANY.get_or_init(|| match standing(&SimulationProfile::default(), &any(), Moment(1)) {
                Standing::Usable(usable) => *usable,
                other => panic!("{other:?}"),
            });
        let own = any.condition.clone();
        let condition = ConditionRow { locality: Some(locality), workers, runs: 1, ..own };
        Usable { condition, quantity: Throughput, measured, ..any.clone() }
    }

    fn judged(known: &[Usable], asked: &[Usable]) -> Baselines {
        let point = |usable: &Usable| Point {
            condition: usable.condition.clone(),
            measured: usable.measured,
            predicted: usable.measured,
        };
        let points: Vec<_> = asked.iter().map(point).collect();
        compared(asked.iter().zip(&points), known, |_| 0.01).baselines.expect("something is known")
    }

    #[test]
    fn the_nearest_neighbour_says_what_was_measured_there() {
        let (near, far) = (Locality::RdmaLocal, Locality::RdmaRemote);
        let known = [usable(near, 2, 100.0), usable(near, 16, 50.0), usable(far, 2, 90.0)];
        let found = judged(&known, &[usable(near, 4, 110.0), usable(far, 4, 45.0)]);
        // 100 of 110, and 90 of 45.
        let nearest = found.nearest_neighbour;
        assert!((nearest.p90_error.unwrap() - 1.0).abs() < 1e-9, "{nearest:?}");
        assert_eq!((nearest.significant_pairs, nearest.right_pairs), (1, 1));
    }

    #[test]
    fn the_log_linear_fit_finds_a_power_law() {
        let (near, far) = (Locality::RdmaLocal, Locality::RdmaRemote);
        let law = |place: Locality, workers: u32| {
            let factor = if place == near { 1.0 } else { 0.5 };
            1e6 * factor * f64::from(1 + workers).powf(-0.5)
        };
        let of = |counts: &[u32]| {
            let both = |&workers: &u32| [near, far].map(|at| usable(at, workers, law(at, workers)));
            counts.iter().flat_map(both).collect::<Vec<_>>()
        };
        let found = judged(&of(&[0, 1, 3, 7, 15]), &of(&[2, 31])).log_linear.expect("it has one");
        assert!(found.p90_error.unwrap() < 1e-3, "{found:?}");
        assert_eq!((found.significant_pairs, found.right_pairs), (2, 2));
    }

    #[test]
    fn only_what_load_changes_by_a_tenth_is_moved() {
        let alone = usable(Locality::RdmaLocal, 0, 100.0);
        let row = ConditionRow { throughput_ops: Some(100.0), ..alone.condition.clone() };
        let moved = |measured| {
            is_moved(&usable(Locality::RdmaLocal, 4, measured), std::slice::from_ref(&row))
        };
        assert!(moved(85.0) && moved(115.0) && !moved(95.0));
        assert!(!is_moved(&alone, std::slice::from_ref(&row)));
    }
}
