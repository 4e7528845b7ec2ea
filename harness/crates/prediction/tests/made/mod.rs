//! Conditions that a known machine made.

use std::path::Path;

use onesided_prediction::{
    Effort, SimulationProfile, configuration_of, covered, predict, read_profile,
};
use onesided_results::{
    row::ConditionRow,
    table::{Extra, TableReader},
    version,
    vocabulary::Locality,
};
use onesided_sim::{Field, Parameters};

/// The machine: what it costs where it costs anything.
const TRUTH: [(&str, f64); 9] = [
    ("memory_ns.read", 700.0),
    ("interconnect_ns.read", 120.0),
    ("request_ns.read", 60.0),
    ("request_ns.write", 165.0),
    ("one_way_ns", 200.0),
    ("transfer_ns.read.local", 35.0),
    ("transfer_ns.read.remote", 15.0),
    ("most_transfers", 8.0),
    ("posted_writes", 32.0),
];

pub fn truth() -> Parameters {
    let mut parameters = Parameters::ideal();
    for (name, value) in TRUTH {
        Field::of(name).unwrap().set(&mut parameters, value).unwrap();
    }
    parameters
}

/// The machine's profile, but for some parameters that are free and start elsewhere.
pub fn profile(free: &[(&str, f64)]) -> SimulationProfile {
    let mut text = String::new();
    for field in Field::ALL {
        let known = field.get(&truth()).min(field.most);
        let started = free.iter().find(|(name, _)| *name == field.name);
        let value = started.map_or(known, |(_, value)| *value);
        let free = started.is_some();
        text += &format!(
            "[[parameter]]\nname = \"{}\"\nvalue = {value:?}\nfree = {free}\nsource = \"test\"\n",
            field.name
        );
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), text).unwrap();
    read_profile(file.path()).unwrap()
}

/// A condition of the published table, to change.
fn any_condition() -> ConditionRow {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../data/published/conditions.csv.gz");
    let rows = TableReader::<ConditionRow>::open(&path, Extra::Skipped).unwrap();
    rows.map(Result::unwrap)
        .find(|row| {
            let slots = row.slot_layout == Some(onesided_results::vocabulary::SlotLayout::Packed);
            slots && row.throughput_ops.is_some() && row.workers == 0 && row.queue_pairs == 8
        })
        .unwrap()
}

/// What `machine` does with reads and writes, without and with workers, near and far.
pub fn conditions(machine: &Parameters, effort: Effort) -> Vec<ConditionRow> {
    let mut conditions = Vec::new();
    for operation in ["read", "write"] {
        for queue_pairs in [1, 2, 4, 8] {
            for workers in [0, 1, 2, 4, 8] {
                for locality in [Locality::RdmaLocal, Locality::RdmaRemote] {
                    let operation = operation.parse().unwrap();
                    let mut condition = ConditionRow {
                        schema_version: version::CONDITIONS.written,
                        operation,
                        queue_pairs,
                        workers,
                        locality: Some(locality),
                        client_locality: Some(Locality::RdmaLocal),
                        worker_locality: (workers > 0).then_some(locality),
                        worker_operation: if workers > 0 { "write" } else { "none" }
                            .parse()
                            .unwrap(),
                        doubts: String::new(),
                        runs: 3,
                        throughput_log_sd: Some(0.001),
                        ..any_condition()
                    };
                    let scenario = configuration_of(&condition)
                        .and_then(|run| covered(&run, machine, effort.end()))
                        .unwrap();
                    let made = predict(machine, &scenario, effort).unwrap();
                    condition.throughput_ops = Some(made.throughput_ops);
                    conditions.push(condition);
                }
            }
        }
    }
    conditions
}
