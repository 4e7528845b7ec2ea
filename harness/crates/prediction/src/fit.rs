//! Least squares over the free parameters of a profile.

mod descent;
pub(crate) mod linear;

use std::num::NonZero;

use onesided_load::Random;
use onesided_results::{
    vocabulary::{Ddio, PredictedQuantity},
    word::Word,
};
use onesided_sim::Field;

use crate::{
    predict::{Effort, predict},
    profile::{SimulationProfile, Stated},
    standing::Usable,
};
use descent::Descent;

/// A fitted profile.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The profile, with intervals of what was free.
    pub profile: SimulationProfile,
    /// What was fitted, in this order.
    pub parts: Vec<FittedPart>,
}

/// A part of a fit: the parameters of conditions with one state of direct cache access.
#[derive(Clone, Copy, Debug)]
pub struct FittedPart {
    /// That state.
    pub ddio: Ddio,
    /// Conditions that it was fitted to.
    pub conditions: usize,
    /// Root of the mean square of the relative errors that are left on them.
    pub residual: f64,
}

impl Fitted {
    /// Root of the mean square of the relative errors that are left, over all parts.
    pub fn residual(&self) -> f64 {
        let conditions: usize = self.parts.iter().map(|part| part.conditions).sum();
        let squares = |part: &FittedPart| part.residual.powi(2) * part.conditions as f64;
        (self.parts.iter().map(squares).sum::<f64>() / conditions as f64).sqrt()
    }
}

/// Why nothing could be fitted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// Nothing to change.
    #[error("the profile has no parameter that is free")]
    NothingFree,
    /// Fewer conditions than unknowns.
    #[error("too few conditions ({conditions}) to tell the free parameters ({free})")]
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
        let parameters = profile.parameters(one.set_up);
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

/// Fits the free parameters of `profile` to `conditions`, part by part.
///
/// First what all set-ups have in common and what is of those with direct cache access as the
/// machine has it, to conditions of that; then what is of set-ups without it, to theirs, with all
/// else kept: what a run without says of the card, one with it says better. A part begins where the
/// profile says that a fit begins, and stays there without conditions.
///
/// Levenberg and Marquardt's method on the logarithms of the parameters, so that none becomes
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
    let mut fitted = Fitted { profile: profile.clone(), parts: Vec::new() };
    for &part in Ddio::ALL {
        let of_part = |one: &&Usable| one.condition.ddio == part;
        let conditions: Vec<Usable> = conditions.iter().filter(of_part).cloned().collect();
        fitted.profile = moved(&fitted.profile, part, 0);
        let has_free = !fitted.profile.free(part).is_empty();
        if has_free && (part == Ddio::Default || !conditions.is_empty()) {
            let profile = &fitted.profile;
            let best = fit_part(profile, part, &conditions, starts, effort, &mut progress)?;
            fitted.profile = best.0;
            fitted.parts.push(best.1);
        } else {
            fitted.profile.attribute_start(part);
        }
    }
    if fitted.parts.is_empty() { Err(FitError::NothingFree) } else { Ok(fitted) }
}

/// The best of several fits of a part.
fn fit_part(
    profile: &SimulationProfile,
    part: Ddio,
    conditions: &[Usable],
    starts: NonZero<u32>,
    effort: Effort,
    progress: &mut impl FnMut(usize, f64),
) -> Result<(SimulationProfile, FittedPart), FitError> {
    let mut best: Option<(SimulationProfile, FittedPart)> = None;
    for start in 0..starts.get() {
        let found = fit_from(moved(profile, part, start), part, conditions, effort, progress)?;
        if best.as_ref().is_none_or(|(_, best)| found.1.residual < best.residual) {
            best = Some(found);
        }
    }
    Ok(best.expect("there is a start"))
}

/// The profile with another start for each number: the first is the profile's own, others have
/// every free parameter of the part up to [`FURTHEST`] times more or less.
fn moved(profile: &SimulationProfile, part: Ddio, start: u32) -> SimulationProfile {
    let mut moved = profile.clone();
    let mut random = Random::new(u64::from(start), 0);
    for stated in moved.free(part) {
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
    part: Ddio,
    conditions: &[Usable],
    effort: Effort,
    progress: &mut impl FnMut(usize, f64),
) -> Result<(SimulationProfile, FittedPart), FitError> {
    let free = profile.free(part).len();
    if conditions.len() <= free {
        return Err(FitError::TooFew { conditions: conditions.len(), free });
    }
    let mut descent = Descent::new(&mut profile, part, conditions, effort)?;
    let mut steps = 0;
    let mut going_down = true;
    while going_down && steps < MOST_STEPS {
        steps += 1;
        progress(steps, loss(&descent.residuals).sqrt());
        going_down = descent.step()?;
    }
    let Descent { residuals, matrix, .. } = descent;
    intervals(profile.free(part), &matrix, &residuals);
    let residual = loss(&residuals).sqrt();
    Ok((profile, FittedPart { ddio: part, conditions: conditions.len(), residual }))
}

/// Mean of the squares, or of Huber's instead of large ones.
fn loss(residuals: &[f64]) -> f64 {
    let of = |error: &f64| match error.abs() {
        small if small <= HUBER => small * small,
        large => HUBER * (2.0 * large - HUBER),
    };
    residuals.iter().map(of).sum::<f64>() / residuals.len() as f64
}

fn intervals(parameters: Vec<&mut Stated>, matrix: &[Vec<f64>], residuals: &[f64]) {
    let free = parameters.len();
    let variance = loss(residuals) * residuals.len() as f64 / (residuals.len() - free) as f64;
    for (at, stated) in parameters.into_iter().enumerate() {
        let mut unit = vec![0.0; free];
        unit[at] = -1.0;
        let Some(column) = linear::solve(matrix, &unit, 1e-9) else { continue };
        let half = 1.96 * (column[at].max(0.0) * variance).sqrt();
        (stated.low, stated.high) =
            (Some(stated.value / half.exp()), Some(stated.value * half.exp()));
    }
}
