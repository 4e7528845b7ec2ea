//! What a condition is good for.

use onesided_results::{
    row::ConditionRow,
    vocabulary::{CodeGeneration, LoopShape, PredictedQuantity, WorkerOperation},
};
use onesided_sim::{Moment, Scenario};

use crate::covered::{NotCovered, covered};

/// What a condition is good for.
#[derive(Clone, Debug)]
pub enum Standing {
    /// It can be fitted to, and predicted.
    Usable(Box<Usable>),
    /// The model has no notion of it.
    NotCovered(NotCovered),
    /// What was measured is not what it is called.
    SetAside(&'static str),
}

/// A condition that can be predicted.
#[derive(Clone, Debug)]
pub struct Usable {
    /// What was measured.
    pub condition: ConditionRow,
    /// Its scenario.
    pub scenario: Scenario,
    /// Which quantity.
    pub quantity: PredictedQuantity,
    /// Its value: operations per second, or nanoseconds.
    pub measured: f64,
}

/// Doubts for which numbers are not used, with what they mean (published-data's own words are
/// those of `onesided import`).
const DOUBTS: [(&str, &str); 7] = [
    ("all-zero", "nothing was completed"),
    ("clock-not-closed", "the release's estimator does not add up to the operations done"),
    ("oversubscribed", "more client threads than CPUs: what was measured is an upper bound"),
    ("one-at-a-time", "queue pairs ran one after the other"),
    (
        "regime-fast",
        "writes ran in their fast regime, which nothing in the set-up tells beforehand",
    ),
    ("regime-mixed", "writes changed their regime within the run"),
    ("load-size-unknown", "the size of the load is not recorded"),
];

/// Says what `condition` is good for, in a simulation that ends at `end`.
pub fn standing(condition: &ConditionRow, end: Moment) -> Standing {
    let doubted = |(doubt, _): &&(&str, &str)| condition.doubts.split(' ').any(|one| one == *doubt);
    if let Some((_, why)) = DOUBTS.iter().find(doubted) {
        return Standing::SetAside(why);
    }
    if labels_contradict_the_data(condition) {
        return Standing::SetAside(
            "mixed workers of these runs slow nothing that writing and swapping workers slow \
             threefold: their share of writes cannot be what the release's other runs have",
        );
    }
    let (quantity, measured) = match condition.loop_shape {
        LoopShape::Closed => (PredictedQuantity::Latency, condition.latency_mean_ns),
        _ => (PredictedQuantity::Throughput, condition.throughput_ops),
    };
    let Some(measured) = measured else { return Standing::SetAside("there is no number") };
    match covered(condition, end) {
        Ok(scenario) => Standing::Usable(Box::new(Usable {
            condition: condition.clone(),
            scenario,
            quantity,
            measured,
        })),
        Err(reason) => Standing::NotCovered(reason),
    }
}

/// The first program's runs on ConnectX-4: at 8 queue pairs, 8 or 16 mixed workers leave writes at
/// 8.5 M/s as none do, where writing ones leave 3.6 M/s.
fn labels_contradict_the_data(condition: &ConditionRow) -> bool {
    condition.profile == "nurdma-cx4"
        && condition.code_generation == Some(CodeGeneration::V1)
        && condition.worker_operation == WorkerOperation::Mixed
}

/// A condition of the published table that the model covers.
#[cfg(test)]
pub(crate) fn any() -> ConditionRow {
    use onesided_results::table::{Extra, TableReader};
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../data/published/conditions.csv.gz");
    let rows = TableReader::<ConditionRow>::open(&path, Extra::Skipped).expect("it is committed");
    let usable = |row: &ConditionRow| {
        row.workers == 0 && matches!(standing(row, Moment(1)), Standing::Usable(_))
    };
    rows.map(|row| row.expect("it is whole")).find(usable).expect("there is one")
}

#[cfg(test)]
mod tests {
    use onesided_results::vocabulary::{CacheState, Ddio, Locality, Operation};

    use super::*;

    fn told(change: impl Fn(&mut ConditionRow)) -> String {
        let mut condition = any();
        change(&mut condition);
        match standing(&condition, Moment(1)) {
            Standing::Usable(_) => "usable".to_owned(),
            Standing::NotCovered(reason) => format!("not covered: {reason}"),
            Standing::SetAside(why) => format!("set aside: {why}"),
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
        assert!(elsewhere.starts_with("not covered: worker_locality = rdma-remote"), "{elsewhere}");
    }

    #[test]
    fn doubted_numbers_are_set_aside_with_what_the_doubt_means() {
        let fast = told(|row| row.doubts = "regime-fast testbed-inferred".to_owned());
        assert!(fast.starts_with("set aside: writes ran in their fast regime"), "{fast}");
        assert_eq!(told(|row| row.doubts = "testbed-inferred".to_owned()), "usable");
        let lacking = told(|row| row.throughput_ops = None);
        assert_eq!(lacking, "set aside: there is no number");
    }
}
