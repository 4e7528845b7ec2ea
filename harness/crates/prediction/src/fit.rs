//! Least squares over the free parameters of a profile.

mod descent;
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
use descent::Descent;

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
    let mut descent = Descent::new(&mut profile, conditions, effort)?;
    let mut steps = 0;
    let mut going_down = true;
    while going_down && steps < MOST_STEPS {
        steps += 1;
        progress(steps, loss(&descent.residuals).sqrt());
        going_down = descent.step()?;
    }
    let Descent { residuals, matrix, .. } = descent;
    intervals(&mut profile, &matrix, &residuals, free);
    Ok(Fitted { profile, residual: loss(&residuals).sqrt(), steps })
}

/// Mean of the squares, or of Huber's instead of large ones.
fn loss(residuals: &[f64]) -> f64 {
    let of = |error: &f64| match error.abs() {
        small if small <= HUBER => small * small,
        large => HUBER * (2.0 * large - HUBER),
    };
    residuals.iter().map(of).sum::<f64>() / residuals.len() as f64
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
