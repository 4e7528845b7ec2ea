//! What a condition is good for.

use onesided_results::{
    Doubt,
    row::ConditionRow,
    vocabulary::{LoopShape, PredictedQuantity},
};
use onesided_sim::{Moment, Scenario};

use crate::{
    covered::{NotCovered, configuration_of, covered},
    profile::SimulationProfile,
};

/// What a condition is good for.
#[derive(Clone, Debug)]
pub enum Standing {
    /// It can be fitted to, and predicted.
    Usable(Box<Usable>),
    /// The model has no notion of it.
    NotCovered(NotCovered),
    /// What was measured is not what it is called, and why. What the model says there, if anything,
    /// is told beside it and judges nothing.
    SetAside(String, Option<Box<Usable>>),
}

/// A condition that can be predicted.
#[derive(Clone, Debug)]
pub struct Usable {
    /// What was measured.
    pub condition: ConditionRow,
    /// Its set-up of the profile.
    pub set_up: Option<usize>,
    /// Its scenario.
    pub scenario: Scenario,
    /// Which quantity.
    pub quantity: PredictedQuantity,
    /// Its value: operations per second, or nanoseconds.
    pub measured: f64,
}

/// Doubts for which the model is neither fitted to numbers nor judged by them; of several the first
/// is the reason.
const DOUBTS: [&str; 9] = [
    "all-zero",
    "clock-not-closed",
    "oversubscribed",
    "one-at-a-time",
    "stalled",
    "regime-slow",
    "regime-fast",
    "regime-mixed",
    "load-size-unknown",
];

/// Says what `condition` of `profile`'s machine is good for, in a simulation that ends at `end`.
pub fn standing(profile: &SimulationProfile, condition: &ConditionRow, end: Moment) -> Standing {
    let usable = usable(profile, condition, end);
    if let Some(why) = reason_to_set_aside(profile, condition) {
        return Standing::SetAside(why, usable.and_then(Result::ok).map(Box::new));
    }
    match usable {
        None => Standing::SetAside("there is no number".to_owned(), None),
        Some(Ok(usable)) => Standing::Usable(Box::new(usable)),
        Some(Err(reason)) => Standing::NotCovered(reason),
    }
}

/// The condition with its scenario, or why the model has none; absent where there is no number.
fn usable(
    profile: &SimulationProfile,
    condition: &ConditionRow,
    end: Moment,
) -> Option<Result<Usable, NotCovered>> {
    let (quantity, measured) = match condition.loop_shape {
        LoopShape::Closed => (PredictedQuantity::Latency, condition.latency_mean_ns),
        _ => (PredictedQuantity::Throughput, condition.throughput_ops),
    };
    let measured = measured?;
    let of = |(set_up, scenario)| Usable {
        condition: condition.clone(),
        set_up,
        scenario,
        quantity,
        measured,
    };
    let set_up = profile.set_up_of(condition);
    let scenario =
        |set_up| covered(&configuration_of(condition)?, &profile.parameters(set_up), end);
    Some(set_up.and_then(|set_up| Ok((set_up, scenario(set_up)?))).map(of))
}

fn reason_to_set_aside(profile: &SimulationProfile, condition: &ConditionRow) -> Option<String> {
    let doubted = |doubt: &&str| condition.doubts.split(' ').any(|one| one == *doubt);
    if let Some(word) = DOUBTS.into_iter().find(|doubt| doubted(doubt)) {
        return Doubt::meaning(word).map(as_clause);
    }
    profile.set_aside(condition).map(str::to_owned)
}

/// A sentence as a part of one.
fn as_clause(sentence: &str) -> String {
    let mut letters = sentence.trim_end_matches('.').chars();
    letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
}

/// A condition of the published table that the model covers.
#[cfg(test)]
pub(crate) fn any() -> ConditionRow {
    use onesided_results::table::{Extra, TableReader};
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../data/published/conditions.csv.gz");
    let rows = TableReader::<ConditionRow>::open(&path, Extra::Skipped).expect("it is committed");
    let usable = |row: &ConditionRow| {
        let standing = standing(&SimulationProfile::default(), row, Moment(1));
        row.workers == 0 && matches!(standing, Standing::Usable(_))
    };
    rows.map(|row| row.expect("it is whole")).find(usable).expect("there is one")
}

#[cfg(test)]
mod tests {
    use onesided_results::vocabulary::{
        CacheState, CodeGeneration, Ddio, Locality, Operation, WorkerOperation,
    };

    use super::*;
    use crate::profile::{SetAside, SetUp};

    fn told(change: impl Fn(&mut ConditionRow)) -> String {
        told_by(&SimulationProfile::default(), change)
    }

    fn told_by(profile: &SimulationProfile, change: impl Fn(&mut ConditionRow)) -> String {
        let mut condition = any();
        change(&mut condition);
        match standing(profile, &condition, Moment(1)) {
            Standing::Usable(_) => "usable".to_owned(),
            Standing::NotCovered(reason) => format!("not covered: {reason}"),
            Standing::SetAside(why, _) => format!("set aside: {why}"),
        }
    }

    #[test]
    fn what_the_model_has_no_notion_of_is_refused_with_the_reason() {
        assert_eq!(told(|_| ()), "usable");
        assert!(told(|row| row.ddio = Ddio::Off).starts_with("not covered: ddio = off"));
        let flushed = told(|row| row.cache_state = CacheState::Flushed);
        assert!(flushed.starts_with("not covered: cache_state = flushed"), "{flushed}");
        let mixed = told(|row| row.operation = Operation::Mixed);
        assert!(mixed.starts_with("not covered: operation = mixed"), "{mixed}");
        assert_eq!(told(|row| row.locality = None), "not covered: locality is not known");
        let elsewhere = told(|row| {
            row.workers = 2;
            row.worker_operation = WorkerOperation::Write;
            row.locality = Some(Locality::RdmaLocal);
            row.worker_locality = Some(Locality::RdmaRemote);
        });
        let refused = "not covered: worker_threads = shared:rdma-remote: ";
        assert!(elsewhere.starts_with(refused), "{elsewhere}");
    }

    #[test]
    fn without_direct_cache_access_a_condition_needs_a_set_up_that_says_so() {
        let set_up = |ddio| SetUp {
            name: "one".to_owned(),
            code_generation: None,
            campaign: any().campaign,
            ddio,
            parameter: Vec::new(),
        };
        let of = |ddio| SimulationProfile { set_ups: vec![set_up(ddio)], ..Default::default() };
        let off = |row: &mut ConditionRow| row.ddio = Ddio::Off;
        let refused = told_by(&of(Ddio::Default), off);
        assert!(refused.starts_with("not covered: ddio = off"), "{refused}");
        assert_eq!(told_by(&of(Ddio::Off), off), "usable");
        assert_eq!(of(Ddio::Off).set_up_of(&any()), Ok(None), "it is of others only");
    }

    #[test]
    fn what_the_profile_sets_aside_is_with_its_reason() {
        let set_asides = vec![SetAside {
            code_generation: Some(CodeGeneration::V1),
            worker_operation: Some(WorkerOperation::Mixed),
            why: "it is odd".to_owned(),
        }];
        let profile = SimulationProfile { set_asides, ..Default::default() };
        let of = |generation, operation| {
            told_by(&profile, |row| {
                row.code_generation = Some(generation);
                row.worker_operation = operation;
                row.worker_write_fraction = Some(0.5);
                row.worker_locality = row.locality;
            })
        };
        assert_eq!(of(CodeGeneration::V1, WorkerOperation::Mixed), "set aside: it is odd");
        assert_eq!(of(CodeGeneration::V2, WorkerOperation::Mixed), "usable");
        assert_eq!(of(CodeGeneration::V1, WorkerOperation::None), "usable");
    }

    #[test]
    fn doubted_numbers_are_set_aside_with_what_the_doubt_means() {
        assert!(DOUBTS.iter().all(|word| Doubt::meaning(word).is_some()), "{DOUBTS:?}");
        let fast = told(|row| row.doubts = "regime-fast testbed-inferred".to_owned());
        assert!(fast.starts_with("set aside: writes ran in their fast regime"), "{fast}");
        assert_eq!(told(|row| row.doubts = "testbed-inferred".to_owned()), "usable");
        let lacking = told(|row| row.throughput_ops = None);
        assert_eq!(lacking, "set aside: there is no number");
    }
}
