//! A calibration: fitted to some conditions, judged on the others.

use std::{collections::BTreeMap, num::NonZero};

use onesided_results::{
    row::{ConditionRow, PredictionRow},
    vocabulary::{Ddio, PredictedQuantity, PredictionRole},
};

use crate::{
    baseline::{Compared, compared, is_moved},
    fit::{FitError, Fitted, fit, values},
    judge::{Judged, Point, judge, judge_by, pairs},
    noise::Noise,
    predict::Effort,
    profile::SimulationProfile,
    split::{Split, design_point_name},
    standing::{Standing, Usable, standing},
};

/// What came out of a calibration.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// What was held out.
    pub split: Split,
    /// The profile with what was fitted; absent where nothing was to be.
    pub fitted: Option<Fitted>,
    /// On what was fitted to.
    pub on_fitted: Judged,
    /// On what was held out.
    pub on_held_out: Judged,
    /// The same beside what needs no model.
    pub beside: Compared,
    /// Of it what workers or load change by more than a tenth.
    pub moved: Compared,
    /// On what was held out, by the designs of the conditions.
    pub by_experiment: BTreeMap<String, Judged>,
    /// On what was held out, by the state of direct cache access.
    pub by_ddio: BTreeMap<Ddio, Judged>,
    /// Conditions of no use, by the reason.
    pub unused: BTreeMap<String, usize>,
    /// All conditions.
    pub rows: Vec<PredictionRow>,
    /// Those that were held out.
    pub held_out: Vec<Point>,
}

/// Fits `profile` to the conditions that `split` does not hold out and judges it on those that it
/// does. Without `starts`, or where all is held out, the profile is judged as it is. `progress` is
/// told each step and the error that is left.
///
/// # Errors
/// [`FitError`].
pub fn calibrate(
    profile: &SimulationProfile,
    conditions: &[ConditionRow],
    split: Split,
    starts: Option<NonZero<u32>>,
    effort: Effort,
    progress: impl FnMut(usize, f64),
) -> Result<Calibration, FitError> {
    let Sorted { fitted_to, held_out, set_aside, unused, mut rows } =
        Sorted::new(profile, conditions, &split, effort);
    let fitted = match starts {
        Some(starts) if split != Split::All => {
            Some(fit(profile, &fitted_to, starts, effort, progress)?)
        }
        _ => None,
    };
    let profile = fitted.as_ref().map_or(profile, |fitted| &fitted.profile);
    let noise = Noise::of(conditions);
    let log_sd = |condition: &ConditionRow| noise.log_sd(condition);
    let mut points_of = |part: &[Usable], role| -> Result<Vec<Point>, FitError> {
        let points = points(profile, part, effort)?;
        rows.extend(rows_of(part, &points, &split, role, log_sd));
        Ok(points)
    };
    let of_fitted = points_of(&fitted_to, PredictionRole::Fitted)?;
    let of_held_out = points_of(&held_out, PredictionRole::HeldOut)?;
    rows.extend(rows_aside(profile, set_aside, &split, effort)?);
    let both = || held_out.iter().zip(&of_held_out);
    let moved = both().filter(|(usable, _)| is_moved(usable, conditions));
    Ok(Calibration {
        beside: compared(both(), &fitted_to, log_sd),
        moved: compared(moved, &fitted_to, log_sd),
        on_fitted: judge(&of_fitted, log_sd),
        on_held_out: judge(&of_held_out, log_sd),
        by_experiment: judge_by(&of_held_out, |one| one.experiments.clone(), log_sd),
        by_ddio: judge_by(&of_held_out, |one| one.ddio, log_sd),
        split,
        fitted,
        unused,
        rows,
        held_out: of_held_out,
    })
}

/// Conditions by what they are good for.
struct Sorted {
    fitted_to: Vec<Usable>,
    held_out: Vec<Usable>,
    /// What was set aside and the model says something of, with the reason.
    set_aside: Vec<(Usable, String)>,
    unused: BTreeMap<String, usize>,
    rows: Vec<PredictionRow>,
}

impl Sorted {
    fn new(
        profile: &SimulationProfile,
        conditions: &[ConditionRow],
        split: &Split,
        effort: Effort,
    ) -> Self {
        let mut sorted = Self {
            fitted_to: Vec::new(),
            held_out: Vec::new(),
            set_aside: Vec::new(),
            unused: BTreeMap::new(),
            rows: Vec::new(),
        };
        for condition in conditions {
            let (role, why) = match standing(profile, condition, effort.end()) {
                Standing::Usable(usable) if split.holds_out(condition) => {
                    sorted.held_out.push(*usable);
                    continue;
                }
                Standing::Usable(usable) => {
                    sorted.fitted_to.push(*usable);
                    continue;
                }
                Standing::NotCovered(reason) => (PredictionRole::NotCovered, reason.to_string()),
                Standing::SetAside(reason, Some(usable)) => {
                    *sorted.unused.entry(reason.clone()).or_insert(0) += 1;
                    sorted.set_aside.push((*usable, reason));
                    continue;
                }
                Standing::SetAside(reason, None) => (PredictionRole::SetAside, reason),
            };
            *sorted.unused.entry(why.clone()).or_insert(0) += 1;
            sorted.rows.push(PredictionRow { why: Some(why), ..row(condition, split, role) });
        }
        sorted
    }
}

fn points(
    profile: &SimulationProfile,
    part: &[Usable],
    effort: Effort,
) -> Result<Vec<Point>, FitError> {
    let predicted = values(profile, part, effort)?;
    let point = |(usable, predicted): (&Usable, f64)| Point {
        condition: usable.condition.clone(),
        measured: usable.measured,
        predicted,
    };
    Ok(part.iter().zip(predicted).map(point).collect())
}

fn predicted_row(
    usable: &Usable,
    point: &Point,
    split: &Split,
    role: PredictionRole,
) -> PredictionRow {
    PredictionRow {
        quantity: Some(usable.quantity),
        measured: Some(point.measured),
        predicted: Some(rounded(point.predicted, usable.quantity)),
        relative_error: Some((point.relative_error() * 1e6).round() / 1e6),
        ..row(&usable.condition, split, role)
    }
}

/// Rows of what was set aside, with what the model says there.
fn rows_aside(
    profile: &SimulationProfile,
    set_aside: Vec<(Usable, String)>,
    split: &Split,
    effort: Effort,
) -> Result<Vec<PredictionRow>, FitError> {
    let (part, reasons): (Vec<_>, Vec<_>) = set_aside.into_iter().unzip();
    let points = points(profile, &part, effort)?;
    let row = |((usable, point), why): ((&Usable, &Point), String)| PredictionRow {
        why: Some(why),
        ..predicted_row(usable, point, split, PredictionRole::SetAside)
    };
    Ok(part.iter().zip(&points).zip(reasons).map(row).collect())
}

/// Rows of `points`, each with whether its twin on the other node differs.
fn rows_of(
    part: &[Usable],
    points: &[Point],
    split: &Split,
    role: PredictionRole,
    log_sd: impl Fn(&ConditionRow) -> f64,
) -> Vec<PredictionRow> {
    let of = |(usable, point)| predicted_row(usable, point, split, role);
    let mut rows: Vec<_> = part.iter().zip(points).map(of).collect();
    for pair in pairs(&points.iter().collect::<Vec<_>>(), log_sd) {
        for at in pair.places {
            rows[at].significant = Some(pair.is_significant);
        }
    }
    rows
}

/// To as many digits as a simulation of a millisecond has.
fn rounded(predicted: f64, quantity: PredictedQuantity) -> f64 {
    match quantity {
        PredictedQuantity::Throughput => predicted.round(),
        PredictedQuantity::Latency => (predicted * 10.0).round() / 10.0,
    }
}

fn row(condition: &ConditionRow, split: &Split, role: PredictionRole) -> PredictionRow {
    PredictionRow {
        split: split.to_string(),
        role,
        design_point: design_point_name(condition),
        ..PredictionRow::of(condition)
    }
}
