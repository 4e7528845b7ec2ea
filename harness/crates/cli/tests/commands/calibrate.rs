//! `onesided calibrate` through the real program, on the study's published conditions.
//!
//! What passing lets us claim: the committed parameters predict the half of the design points that
//! they were not fitted to, within what the project promises; and bad input ends with status 2 and
//! a message that names it.

use std::{collections::BTreeMap, sync::OnceLock};

use onesided_results::{
    row::{ConditionRow, PredictionRow},
    table::{Extra, TableReader, write_table},
    vocabulary::{AddressPattern, PredictionRole, SlotReuse, WorkerPattern},
};
use serde_json::Value;

use crate::program::{Ended, repository, run};

const MACHINES: [&str; 3] = ["nurdma-cx3", "nurdma-cx4", "nurdma-apt"];

fn calibrate(arguments: &str) -> Ended {
    run("calibrate", arguments)
}

#[track_caller]
fn json(arguments: &str) -> Value {
    calibrate(&format!("{arguments} --json")).json()
}

/// What the committed parameters of a machine say of its own conditions; asked once, as that takes seconds.
#[track_caller]
fn as_it_is(machine: &str) -> &'static Value {
    static FOUND: [OnceLock<Value>; 3] = [const { OnceLock::new() }; 3];
    let at = MACHINES.iter().position(|known| *known == machine).unwrap();
    FOUND[at].get_or_init(|| json(&format!("{machine} --as-it-is")))
}

/// What the parameters of another card say of the conditions of the second machine; asked once.
#[track_caller]
fn of_another_card() -> &'static Value {
    static FOUND: OnceLock<Value> = OnceLock::new();
    FOUND.get_or_init(|| json("nurdma-cx4 --hold-out everything --parameters-of nurdma-cx3"))
}

#[track_caller]
fn refused(arguments: &str, fragments: &[&str]) {
    calibrate(arguments).could_not_run(fragments);
}

#[test]
fn held_out_conditions_are_predicted_within_a_tenth_and_the_nearer_place_told_right() {
    let (mut significant, mut right) = (0, 0);
    for machine in MACHINES {
        let found = as_it_is(machine);
        let held_out = &found["on_held_out"];
        let median = held_out["median_error"].as_f64().unwrap();
        assert!(median <= 0.1, "{machine}: {held_out}");
        assert!(held_out["points"].as_u64().unwrap() >= 100, "{machine}: {held_out}");
        significant += held_out["significant_pairs"].as_u64().unwrap();
        right += held_out["right_pairs"].as_u64().unwrap();
    }
    assert!(significant >= 150, "{significant} pairs differ");
    assert!(right as f64 >= 0.95 * significant as f64, "{right} of {significant} are told right");
}

/// A bar that a guess passes as well says nothing of the model: what it adds is asked here.
#[test]
fn the_model_is_ahead_of_what_needs_none_and_most_so_where_load_moves_something() {
    let (mut model, mut nearest) = (0.0, 0.0);
    for machine in MACHINES {
        let found = as_it_is(machine);
        for part in ["beside", "moved_by_load"] {
            if found[part]["model"]["points"] == 0 {
                // Of one machine nothing that load moves was held out.
                assert_eq!((machine, part), ("nurdma-apt", "moved_by_load"));
                continue;
            }
            let of = |way: &str| {
                let judged = &found[part];
                let judged = if way == "model" { &judged[way] } else { &judged["baselines"][way] };
                judged["median_error"].as_f64().unwrap_or_else(|| panic!("{machine}: {judged}"))
            };
            println!("{machine} {part}: {} {}", of("model"), of("nearest_neighbour"));
            if part == "moved_by_load" {
                model += of("model");
                nearest += of("nearest_neighbour");
            }
        }
    }
    assert!(model < nearest, "{model} against {nearest}, sums of the machines' median errors");
}

#[test]
fn so_are_conditions_with_direct_cache_access_and_those_without_apart() {
    let found = as_it_is("nurdma-cx3");
    for (ddio, points) in [("default", 400), ("off", 150)] {
        let judged = &found["by_ddio"][ddio];
        let of = |name: &str| judged[name].as_f64().unwrap();
        assert!(of("points") >= f64::from(points), "{ddio}: {judged}");
        assert!(of("median_error") <= 0.1, "{ddio}: {judged}");
        assert!(of("right_pairs") >= 0.95 * of("significant_pairs"), "{ddio}: {judged}");
        assert!(of("significant_pairs") >= 50.0, "{ddio}: {judged}");
    }
}

#[test]
fn without_a_set_up_of_it_no_condition_without_direct_cache_access_is_predicted() {
    let arguments = "nurdma-cx3 --hold-out everything --parameters-of nurdma-apt";
    let found = json(arguments);
    assert_eq!(found["by_ddio"]["off"], Value::Null);
    let unused = found["unused"].as_object().unwrap();
    let refused = unused.iter().find(|(why, _)| why.starts_with("ddio = off: ")).unwrap();
    assert_eq!(refused.1.as_u64(), Some(420), "{refused:?}");
}

#[test]
fn what_a_machine_s_own_profile_sets_aside_is_with_parameters_of_another_too() {
    let own = as_it_is("nurdma-cx4");
    let other = of_another_card();
    assert_eq!(own["unused"], other["unused"]);
    let unused = own["unused"].as_object().unwrap();
    assert!(unused.keys().any(|why| why.starts_with("mixed workers of these runs")), "{unused:?}");
}

#[test]
fn the_machine_of_another_card_predicts_worse() {
    let own = as_it_is("nurdma-cx4");
    let other = of_another_card();
    let median = |found: &Value| found["on_held_out"]["median_error"].as_f64().unwrap();
    assert!(median(other) > 2.0 * median(own), "{} and {}", median(other), median(own));
}

#[test]
fn every_condition_is_in_the_table_with_its_role_or_the_reason_why_not() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("predictions.csv.gz");
    json(&format!("nurdma-apt --as-it-is --out {}", table.display()));
    let rows: Vec<PredictionRow> =
        TableReader::open(&table, Extra::Refused).unwrap().map(Result::unwrap).collect();
    for role in [PredictionRole::Fitted, PredictionRole::HeldOut, PredictionRole::NotCovered] {
        assert!(rows.iter().any(|row| row.role == role), "{role}");
    }
    for row in &rows {
        let used = matches!(row.role, PredictionRole::Fitted | PredictionRole::HeldOut);
        assert_eq!(used, row.why.is_none());
        let predicted = row.predicted.is_some() && row.relative_error.is_some();
        assert!(predicted == used || row.role == PredictionRole::SetAside, "{row:?}");
        assert!(used || row.significant.is_none(), "{row:?}");
    }
    run("check", table.to_str().unwrap()).valid();
}

/// What `simulate` refuses of a run is no prediction of a condition either.
#[test]
fn conditions_at_levels_that_the_model_does_not_know_are_refused_and_not_predicted_as_others() {
    let committed = repository().join("data/published/conditions.csv.gz");
    let rows: Vec<ConditionRow> = TableReader::open(&committed, Extra::Refused)
        .unwrap()
        .map(Result::unwrap)
        .filter(|row: &ConditionRow| row.profile == "nurdma-apt")
        .collect();
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("conditions.csv.gz");
    let unused = |change: fn(&mut ConditionRow)| {
        let mut rows = rows.clone();
        // Every second one that the factor means something for, so that there is something to judge.
        rows.iter_mut().filter(|row| row.workers > 0).step_by(2).for_each(change);
        write_table(&table, &rows).unwrap();
        let arguments = format!("nurdma-apt --as-it-is --conditions {}", table.display());
        json(&arguments)["unused"].as_object().unwrap().clone()
    };
    let before = unused(|_| ());
    for (reason, change) in [
        ("signal_every = 16: ", (|row| row.signal_every = Some(16)) as fn(&mut ConditionRow)),
        ("slot_reuse = outstanding: ", |row| row.slot_reuse = Some(SlotReuse::Outstanding)),
        ("zipf_exponent is not known", |row| {
            row.address_pattern = Some(AddressPattern::Zipf);
            row.working_set_bytes = Some(1 << 30);
        }),
        ("worker_pattern = shared-line: ", |row| {
            row.worker_pattern = Some(WorkerPattern::SharedLine);
        }),
        ("worker_think_time_ns = 100000: ", |row| row.worker_think_time_ns = Some(100_000)),
        ("worker_rate_per_second = 1000: ", |row| row.worker_rate_per_second = Some(1e3)),
    ] {
        let found = unused(change);
        let counted = found.iter().filter(|(why, _)| why.starts_with(reason));
        let count: u64 = counted.filter_map(|(_, count)| count.as_u64()).sum();
        assert!(count >= 20, "{reason}: {found:?}");
        assert!(before.keys().all(|why| !why.starts_with(reason)), "{reason}");
    }
}

/// Whoever draws or counts the table must find the same pairs.
#[test]
fn the_table_has_the_pairs_that_are_judged_and_what_was_set_aside_with_its_prediction() {
    let folder = tempfile::tempdir().unwrap();
    let table = folder.path().join("predictions.csv.gz");
    let judged = json(&format!("nurdma-cx3 --as-it-is --out {}", table.display()));
    let rows: Vec<PredictionRow> =
        TableReader::open(&table, Extra::Refused).unwrap().map(Result::unwrap).collect();
    let mut pairs: BTreeMap<&str, Vec<&PredictionRow>> = BTreeMap::new();
    let significant =
        |row: &&PredictionRow| row.role == PredictionRole::HeldOut && row.significant == Some(true);
    for row in rows.iter().filter(significant) {
        pairs.entry(&row.design_point).or_default().push(row);
    }
    let better = |pair: &[&PredictionRow], value: fn(&PredictionRow) -> Option<f64>| {
        value(pair[0]).partial_cmp(&value(pair[1]))
    };
    assert!(pairs.values().all(|pair| pair.len() == 2 && pair[0].locality != pair[1].locality));
    let right = pairs
        .values()
        .filter(|pair| better(pair, |row| row.predicted) == better(pair, |row| row.measured));
    assert_eq!(judged["on_held_out"]["significant_pairs"], pairs.len());
    assert_eq!(judged["on_held_out"]["right_pairs"], right.count());
    let aside = rows.iter().filter(|row| row.role == PredictionRole::SetAside);
    assert!(aside.filter(|row| row.predicted.is_some()).count() > 500);
}

#[test]
fn what_is_printed_says_what_was_held_out_and_what_was_not_used() {
    let text = calibrate("nurdma-apt --as-it-is").valid().stdout;
    assert!(text.starts_with("Held out: 50 % of the design points, seed 1.\n"), "{text}");
    assert!(text.contains("held out") && text.contains("flushed-cache"), "{text}");
    assert!(text.contains("14  cache_state = flushed"), "{text}");
}

#[test]
fn bad_input_is_refused_by_name() {
    refused("nobody", &["cannot read profiles/nobody/simulation.toml"]);
    for share in ["1.5", "0", "1"] {
        let expected = format!("--share {share}: a share that is held out is above 0 and below 1");
        refused(&format!("nurdma-cx3 --share {share}"), &[&expected]);
    }
    // What was fitted to cannot be called held out.
    for other in [
        "--as-it-is --seed 2",
        "--as-it-is --share 0.4",
        "--as-it-is --hold-out everything",
        "--hold-out everything",
        "--parameters-of nurdma-cx3 --seed 2",
    ] {
        refused(
            &format!("nurdma-cx3 {other}"),
            &["was fitted with 50 % of the design points, seed 1 held out"],
        );
    }
    refused("nurdma-cx3 --experiment workers", &["--experiment needs --hold-out experiments"]);
    refused("nurdma-cx3 --hold-out experiments", &["needs --experiment"]);
    // A flag that would do nothing.
    let everything = "nurdma-cx4 --parameters-of nurdma-cx3 --hold-out everything";
    refused(&format!("{everything} --seed 2"), &["--seed needs --hold-out design-points"]);
    refused(&format!("{everything} --share 0.2"), &["--share needs --hold-out design-points"]);
    refused(&format!("{everything} --starts 2"), &["cannot be used with"]);
    refused("nurdma-cx3 --hold-out everything --starts 2", &["nothing is fitted"]);
    refused(
        "nurdma-cx3 --hold-out experiments --experiment worker",
        &["--experiment worker: not all of them are experiments of nurdma-cx3"],
    );
    refused("nurdma-cx3 --conditions nowhere.csv", &["nowhere.csv"]);
    refused("nurdma-cx3 --as-it-is --write x.toml", &["cannot be used with"]);
    refused("nurdma-cx3 --microseconds 0", &["--microseconds", "100..=1000000"]);
}
