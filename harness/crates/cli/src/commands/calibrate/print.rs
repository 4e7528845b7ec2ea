//! What came out, for people and for machines.

use std::collections::BTreeMap;

use comfy_table::Table;
use onesided_prediction::{Calibration, Compared, Fitted, Judged, SimulationProfile, Stated};
use onesided_results::vocabulary::Ddio;
use serde::Serialize;

use crate::printed;

/// What came out, for machines.
#[derive(Serialize)]
pub struct Json<'a> {
    schema_version: u32,
    profile: &'a str,
    parameters_of: &'a str,
    held_out: String,
    residual: Option<f64>,
    on_fitted: &'a Judged,
    on_held_out: &'a Judged,
    /// What was held out, by the model and by what needs none.
    beside: &'a Compared,
    /// Of it what workers or load change by more than a tenth.
    moved_by_load: &'a Compared,
    by_experiment: &'a BTreeMap<String, Judged>,
    by_ddio: &'a BTreeMap<Ddio, Judged>,
    unused: &'a BTreeMap<String, usize>,
    parameters: Vec<&'a Stated>,
}

/// What came out, for machines.
pub fn json<'a>(
    calibration: &'a Calibration,
    profile: &'a str,
    parameters_of: &'a str,
) -> Json<'a> {
    let fitted = calibration.fitted.as_ref();
    Json {
        schema_version: onesided_results::version::ADVICE.written,
        profile,
        parameters_of,
        held_out: calibration.split.to_string(),
        residual: fitted.map(Fitted::residual),
        on_fitted: &calibration.on_fitted,
        on_held_out: &calibration.on_held_out,
        beside: &calibration.beside,
        moved_by_load: &calibration.moved,
        by_experiment: &calibration.by_experiment,
        by_ddio: &calibration.by_ddio,
        unused: &calibration.unused,
        parameters: fitted.map_or_else(Vec::new, |fitted| {
            fitted.profile.stated().filter(|(_, stated)| stated.free).map(|(_, one)| one).collect()
        }),
    }
}

/// The tables for people.
pub fn tables(calibration: &Calibration, before: &SimulationProfile) -> String {
    let mut text = format!("Held out: {}.\n", calibration.split);
    if let Some(fitted) = &calibration.fitted {
        text += &format!("\n{}\n", parameters(&fitted.profile, before));
    }
    text += &format!("\n{}\n", judged(calibration));
    if !calibration.unused.is_empty() {
        text += "\nNot used:\n";
        for (why, conditions) in &calibration.unused {
            text += &format!("  {conditions:>5}  {why}\n");
        }
    }
    text
}

fn parameters(fitted: &SimulationProfile, before: &SimulationProfile) -> Table {
    let header = ["parameter", "set-up", "before", "fitted", "95 % interval"];
    let mut table = printed::table(header, 2..);
    for ((set_up, stated), (_, old)) in fitted.stated().zip(before.stated()) {
        if !stated.free {
            continue;
        }
        let interval = match (stated.low, stated.high) {
            (Some(low), Some(high)) if stated.is_told() => {
                format!("{} to {}", short(low), short(high))
            }
            _ => "not told by the data".to_owned(),
        };
        let set_up = set_up.unwrap_or("all").to_owned();
        table.add_row([
            stated.name.clone(),
            set_up,
            short(old.value),
            short(stated.value),
            interval,
        ]);
    }
    table
}

fn judged(calibration: &Calibration) -> Table {
    let header = [
        "conditions",
        "points",
        "median error",
        "90th percentile",
        "significant pairs",
        "sign right",
    ];
    let mut table = printed::table(header, 1..);
    let mut add = |name: &str, judged: &Judged| {
        let percent = |value: Option<f64>| {
            value.map_or_else(String::new, |value| format!("{:.1} %", 100.0 * value))
        };
        let right = judged.right_share().map_or_else(String::new, |share| {
            format!("{} ({:.0} %)", judged.right_pairs, 100.0 * share)
        });
        table.add_row([
            name.to_owned(),
            judged.points.to_string(),
            percent(judged.median_error),
            percent(judged.p90_error),
            judged.significant_pairs.to_string(),
            right,
        ]);
    };
    if calibration.on_fitted.points > 0 {
        add("fitted to", &calibration.on_fitted);
    }
    add("held out", &calibration.on_held_out);
    add_without_model(&mut add, &calibration.beside);
    if calibration.moved.model.points > 0 {
        add("moved by workers or load", &calibration.moved.model);
        add_without_model(&mut add, &calibration.moved);
    }
    if calibration.by_ddio.len() > 1 {
        for (ddio, judged) in &calibration.by_ddio {
            add(&format!(" ddio = {ddio}"), judged);
        }
    }
    for (experiment, judged) in &calibration.by_experiment {
        add(&format!("  {experiment}"), judged);
    }
    table
}

/// What needs no model, beside it.
fn add_without_model(add: &mut impl FnMut(&str, &Judged), compared: &Compared) {
    let Some(baselines) = &compared.baselines else { return };
    add("  by the nearest neighbour", &baselines.nearest_neighbour);
    baselines.log_linear.iter().for_each(|judged| add("  by a log-linear fit", judged));
}

fn short(value: f64) -> String {
    if value < 10.0 { format!("{value:.3}") } else { format!("{value:.1}") }
}
