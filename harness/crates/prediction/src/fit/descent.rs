//! The way down to the least squares.

use onesided_results::vocabulary::Ddio;
use onesided_sim::Field;

use super::{FitError, HUBER, errors, linear, loss};
use crate::{predict::Effort, profile::SimulationProfile, standing::Usable};

/// Relative step of the numerical derivative: large beside the model's noise.
const STEP: f64 = 0.06;
/// Times that a step is tried, each shorter than the one before.
const TRIES: usize = 6;
/// What a step is worth at least: it leaves less than this share of the loss.
const WORTH: f64 = 0.998;

/// Where a fit has come to.
pub(super) struct Descent<'a> {
    profile: &'a mut SimulationProfile,
    part: Ddio,
    conditions: &'a [Usable],
    effort: Effort,
    values: Vec<f64>,
    damping: f64,
    /// Errors with the values.
    pub(super) residuals: Vec<f64>,
    /// Of the normal equations of the last step.
    pub(super) matrix: Vec<Vec<f64>>,
}

impl<'a> Descent<'a> {
    /// At the values that the profile has.
    pub(super) fn new(
        profile: &'a mut SimulationProfile,
        part: Ddio,
        conditions: &'a [Usable],
        effort: Effort,
    ) -> Result<Self, FitError> {
        let values: Vec<f64> = profile.free(part).iter().map(|one| one.value.max(0.01)).collect();
        set(profile, part, &values);
        let residuals = errors(profile, conditions, effort)?;
        let matrix = Vec::new();
        Ok(Self { profile, part, conditions, effort, values, damping: 0.01, residuals, matrix })
    }

    /// Takes a step, the longest that leaves less; whether it was worth it.
    pub(super) fn step(&mut self) -> Result<bool, FitError> {
        let jacobian = jacobian(self)?;
        let (matrix, gradient) = linear::normal_equations(&jacobian, &self.residuals, HUBER);
        self.matrix = matrix;
        let before = loss(&self.residuals);
        let mut worth = false;
        for _ in 0..TRIES {
            let Some(change) = linear::solve(&self.matrix, &gradient, self.damping) else { break };
            let by = |(value, by): (&f64, &f64)| value * by.clamp(-1.0, 1.0).exp();
            let tried: Vec<f64> = self.values.iter().zip(&change).map(by).collect();
            set(self.profile, self.part, &tried);
            let found = errors(self.profile, self.conditions, self.effort)?;
            let after = loss(&found);
            if after < before {
                worth = after < before * WORTH;
                (self.values, self.residuals) = (current(self.profile, self.part), found);
                self.damping /= 5.0;
                break;
            }
            self.damping *= 6.0;
        }
        set(self.profile, self.part, &self.values);
        Ok(worth)
    }
}

fn current(profile: &mut SimulationProfile, part: Ddio) -> Vec<f64> {
    profile.free(part).iter().map(|one| one.value).collect()
}

fn set(profile: &mut SimulationProfile, part: Ddio, values: &[f64]) {
    for (stated, value) in profile.free(part).into_iter().zip(values) {
        let field = Field::of(&stated.name).expect("a profile is checked when it is read");
        stated.value = value.clamp(field.least.max(0.01), field.most);
    }
}

/// Derivatives of the errors by the logarithms of the parameters: a row a condition.
fn jacobian(descent: &mut Descent<'_>) -> Result<Vec<Vec<f64>>, FitError> {
    let Descent { profile, part, conditions, effort, values, residuals, .. } = descent;
    let mut rows = vec![vec![0.0; values.len()]; residuals.len()];
    for column in 0..values.len() {
        let mut moved = values.clone();
        moved[column] *= 1.0 + STEP;
        set(profile, *part, &moved);
        let found = errors(profile, conditions, *effort)?;
        for ((row, found), before) in rows.iter_mut().zip(found).zip(residuals.iter()) {
            row[column] = (found - before) / STEP.ln_1p();
        }
    }
    set(profile, *part, values);
    Ok(rows)
}
