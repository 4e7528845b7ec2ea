//! Least squares over the free parameters of a profile.

mod linear;

use std::num::NonZero;

use onesided_load::Random;
use onesided_results::vocabulary::PredictedQuantity;
use onesided_sim::Field;

use crate::{
    predict::{Effort, predict},
    profile::SimulationProfile,
    standing::Usable,
};

/// A fitted profile.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The profile, with intervals of what was free.
    pub profile: SimulationProfile,
    /// Root of the mean square of the relative errors that are left.
    pub residual: f64,
    /// Steps that were taken.
    pub steps: usize,
}

/// Why nothing could be fitted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// Nothing to change.
    #[error("the profile has no parameter that is free")]
    NothingFree,
    /// Fewer conditions than unknowns.
    #[error("{conditions} conditions cannot tell {free} free parameters")]
    TooFew {
        /// Conditions given.
        conditions: usize,
        /// Parameters that are free.
        free: usize,
    },
    /// A scenario cannot be simulated.
    #[error(transparent)]
    Simulate(#[from] onesided_sim::SimulateError),
}

/// Beyond this an error counts linearly, not by its square: Huber's estimator, so that a run in
/// another regime does not bend the rest.
const HUBER: f64 = 0.08;
/// Relative step of the numerical derivative: large beside the model's noise.
const STEP: f64 = 0.06;
const MOST_STEPS: usize = 20;
/// A random start is at most so many times away from the profile's.
const FURTHEST: f64 = 5.0;

/// What a profile predicts of conditions, in their order.
///
/// # Errors
/// When a scenario is impossible.
pub(crate) fn values(
    profile: &SimulationProfile,
    conditions: &[Usable],
    effort: Effort,
) -> Result<Vec<f64>, FitError> {
    let workers = std::thread::available_parallelism().map_or(1, NonZero::get);
    let share = conditions.len().div_ceil(workers).max(1);
    let of = |one: &Usable| -> Result<f64, FitError> {
        let parameters = profile.parameters(profile.set_up_of(&one.condition));
        let predicted = predict(&parameters, &one.scenario, effort)?;
        Ok(match one.quantity {
            PredictedQuantity::Latency => predicted.latency_mean_ns.unwrap_or(f64::INFINITY),
            PredictedQuantity::Throughput => predicted.throughput_ops,
        })
    };
    std::thread::scope(|scope| {
        let shares: Vec<_> = conditions
            .chunks(share)
            .map(|chunk| scope.spawn(move || chunk.iter().map(of).collect::<Result<Vec<_>, _>>()))
            .collect();
        let mut all = Vec::new();
        for share in shares {
            all.extend(share.join().expect("a prediction does not panic")?);
        }
        Ok(all)
    })
}

/// Errors of a profile on all conditions: logarithms of predicted by measured.
fn errors(
    profile: &SimulationProfile,
    conditions: &[Usable],
    effort: Effort,
) -> Result<Vec<f64>, FitError> {
    let error =
        |(one, value): (&Usable, f64)| (value.max(1e-9) / one.measured).ln().clamp(-5.0, 5.0);
    Ok(conditions.iter().zip(values(profile, conditions, effort)?).map(error).collect())
}

/// Fits the free parameters of `profile` to `conditions`.
///
/// Begins where the profile says that a fit begins. Levenberg and Marquardt's method on the logarithms of the parameters, so that none becomes
/// negative, with the errors weighted after Huber. Of several starts the best end counts: one alone
/// may end beside it. `progress` is told each step.
///
/// # Errors
/// [`FitError`].
pub fn fit(
    profile: &SimulationProfile,
    conditions: &[Usable],
    starts: NonZero<u32>,
    effort: Effort,
    mut progress: impl FnMut(usize, f64),
) -> Result<Fitted, FitError> {
    let mut best: Option<Fitted> = None;
    for start in 0..starts.get() {
        let found = fit_from(moved(profile, start), conditions, effort, &mut progress)?;
        if best.as_ref().is_none_or(|best| found.residual < best.residual) {
            best = Some(found);
        }
    }
    Ok(best.expect("there is a start"))
}

/// The profile with another start for each number: the first is the profile's own, others have
/// every free parameter up to [`FURTHEST`] times more or less.
fn moved(profile: &SimulationProfile, start: u32) -> SimulationProfile {
    let mut moved = profile.clone();
    let mut random = Random::new(u64::from(start), 0);
    for stated in moved.free() {
        let by = FURTHEST.ln() * (2.0 * random.below_one() - 1.0);
        let begin = stated.start.unwrap_or(stated.value);
        let field = Field::of(&stated.name).expect("a profile is checked when it is read");
        let factor = if start == 0 { 1.0 } else { by.exp() };
        stated.value = (begin * factor).clamp(field.least, field.most);
    }
    moved
}

/// Fits from the values that the profile has.
fn fit_from(
    mut profile: SimulationProfile,
    conditions: &[Usable],
    effort: Effort,
    progress: &mut impl FnMut(usize, f64),
) -> Result<Fitted, FitError> {
    let free = profile.free().len();
    if free == 0 {
        return Err(FitError::NothingFree);
    }
    if conditions.len() <= free {
        return Err(FitError::TooFew { conditions: conditions.len(), free });
    }
    let mut values: Vec<f64> = profile.free().iter().map(|one| one.value.max(0.01)).collect();
    set(&mut profile, &values);
    let mut residuals = errors(&profile, conditions, effort)?;
    let mut damping = 0.01;
    let mut steps = 0;
    let mut normal = None;
    while steps < MOST_STEPS {
        steps += 1;
        progress(steps, loss(&residuals).sqrt());
        let jacobian = jacobian(&mut profile, &values, &residuals, conditions, effort)?;
        let (matrix, gradient) = linear::normal_equations(&jacobian, &residuals, HUBER);
        normal = Some(matrix.clone());
        let before = loss(&residuals);
        let mut improved = false;
        for _ in 0..6 {
            let Some(change) = linear::solve(&matrix, &gradient, damping) else { break };
            let tried: Vec<f64> = values
                .iter()
                .zip(&change)
                .map(|(value, by)| value * by.clamp(-1.0, 1.0).exp())
                .collect();
            set(&mut profile, &tried);
            let found = errors(&profile, conditions, effort)?;
            if loss(&found) < before {
                improved = loss(&found) < before * 0.998;
                (values, residuals) = (current(&mut profile), found);
                damping /= 5.0;
                break;
            }
            damping *= 6.0;
        }
        set(&mut profile, &values);
        if !improved {
            break;
        }
    }
    let residual = loss(&residuals).sqrt();
    if let Some(matrix) = normal {
        intervals(&mut profile, &matrix, &residuals, free);
    }
    Ok(Fitted { profile, residual, steps })
}

/// Mean of the squares, or of Huber's instead of large ones.
fn loss(residuals: &[f64]) -> f64 {
    let of = |error: &f64| match error.abs() {
        small if small <= HUBER => small * small,
        large => HUBER * (2.0 * large - HUBER),
    };
    residuals.iter().map(of).sum::<f64>() / residuals.len() as f64
}

fn current(profile: &mut SimulationProfile) -> Vec<f64> {
    profile.free().iter().map(|one| one.value).collect()
}

fn set(profile: &mut SimulationProfile, values: &[f64]) {
    for (stated, value) in profile.free().into_iter().zip(values) {
        let field = Field::of(&stated.name).expect("a profile is checked when it is read");
        stated.value = value.clamp(field.least.max(0.01), field.most);
    }
}

/// Derivatives of the errors by the logarithms of the parameters: a row a condition.
fn jacobian(
    profile: &mut SimulationProfile,
    values: &[f64],
    residuals: &[f64],
    conditions: &[Usable],
    effort: Effort,
) -> Result<Vec<Vec<f64>>, FitError> {
    let mut rows = vec![vec![0.0; values.len()]; residuals.len()];
    for column in 0..values.len() {
        let mut moved = values.to_vec();
        moved[column] *= 1.0 + STEP;
        set(profile, &moved);
        let found = errors(profile, conditions, effort)?;
        for ((row, found), before) in rows.iter_mut().zip(found).zip(residuals) {
            row[column] = (found - before) / STEP.ln_1p();
        }
    }
    set(profile, values);
    Ok(rows)
}

fn intervals(profile: &mut SimulationProfile, matrix: &[Vec<f64>], residuals: &[f64], free: usize) {
    let variance = loss(residuals) * residuals.len() as f64 / (residuals.len() - free) as f64;
    for (at, stated) in profile.free().into_iter().enumerate() {
        let mut unit = vec![0.0; free];
        unit[at] = -1.0;
        let Some(column) = linear::solve(matrix, &unit, 1e-9) else { continue };
        let half = 1.96 * (column[at].max(0.0) * variance).sqrt();
        (stated.low, stated.high) =
            (Some(stated.value / half.exp()), Some(stated.value * half.exp()));
    }
}
