use std::fs;

use onesided_results::{
    row::{ClientRow, LatencyRow, WindowRow},
    table::{Row, with_cell, write_table},
    version,
    vocabulary::{LoadNode, Locality, LoopShape, Operation, Source, WorkerOperation},
};
use tempfile::TempDir;

use super::*;
use crate::conditions::{Stratum, conditions};

/// A run of a condition that has as many queue pairs.
fn run(replicate: u32, queue_pairs: u32, ops: f64) -> RunRow {
    RunRow {
        profile: "lab".to_owned(),
        experiment: "queue-pairs".to_owned(),
        run_id: format!("read-{queue_pairs}-{replicate}"),
        replicate: Some(replicate),
        queue_pairs,
        operations: Some(1000),
        throughput_published_ops: Some(ops * 1.01),
        throughput_ops: Some(ops),
        throughput_low_ops: Some(ops * 0.99),
        throughput_high_ops: Some(ops * 1.02),
        latency_mean_ns: Some(1e9 / ops),
        latency_sd_ns: Some(1.0),
        latency_p50_ns: Some(40),
        latency_p99_ns: Some(52),
        latency_p999_ns: Some(53),
        samples: Some(1000),
        ..RunRow::known_by(Source::Measured, Operation::Read, LoopShape::Saturating)
    }
}

fn runs() -> Vec<RunRow> {
    vec![run(1, 8, 2.0e7), run(2, 8, 2.2e7), run(1, 16, 3.0e7)]
}

fn of_designs(runs: &[RunRow]) -> Vec<ConditionRow> {
    conditions(runs.iter().map(|run| (run, Stratum::of_design(run))))
}

/// What reading these tables of one folder says.
fn read(runs: &[RunRow], conditions: &[ConditionRow]) -> Result<Vec<ConditionRow>, String> {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join(ConditionRow::FILE);
    write_table(&folder.path().join(RunRow::FILE), runs).expect("a table");
    write_table(&path, conditions).expect("a table");
    read_conditions(&path).map_err(|error| error.to_string())
}

/// The row with another text in a column; absent where that cannot stand there, or nothing changes.
fn changed<R: Row>(row: &R, column: &str, change: impl Fn(f64) -> f64) -> Option<R> {
    let (_, cell) = cells(row).into_iter().find(|(name, _)| *name == column)?;
    let number: f64 = cell.parse().ok()?;
    let text = match change(number) {
        changed if changed.is_nan() => String::new(),
        changed if cell.contains('.') => format!("{changed:?}"),
        changed => format!("{}", changed as i64),
    };
    (text != cell).then(|| with_cell(row, column, &text).ok()).flatten()
}

/// What may be done to a number.
type Change = (&'static str, fn(f64) -> f64);

/// NaN stands for nothing.
const CHANGES: [Change; 4] = [
    ("sign", |x| -x),
    ("times 4", |x| 4.0 * x),
    ("times 1.05", |x| 1.05 * x),
    ("emptied", |_| f64::NAN),
];

#[test]
fn conditions_of_the_runs_beside_them_are_read_and_so_are_those_without_runs() {
    assert_eq!(read(&runs(), &of_designs(&runs())).unwrap().len(), 2);
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("some-conditions.csv");
    write_table(&path, &of_designs(&runs())).expect("a table");
    assert_eq!(read_conditions(&path).unwrap().len(), 2);
}

#[test]
fn every_change_of_a_number_of_a_condition_is_refused() {
    let sound = of_designs(&runs());
    let columns = ConditionRow::columns().into_iter().filter(|column| {
        column.contains("throughput")
            || column.contains("latency")
            || ["runs", "queue_pairs"].contains(column)
    });
    let mut tried = 0;
    for column in columns {
        for (name, change) in CHANGES {
            let Some(other) = changed(&sound[0], column, change) else { continue };
            tried += 1;
            let found = read(&runs(), &[other, sound[1].clone()]);
            let message = found.expect_err(&format!("{column}, {name}"));
            assert!(message.contains("conditions.csv.gz:2"), "{column}, {name}: {message}");
        }
    }
    assert!(tried > 30, "{tried} changes were tried");
}

#[test]
fn every_change_of_a_number_that_conditions_are_made_of_is_refused() {
    let sound = of_designs(&runs());
    for column in ["throughput_ops", "throughput_published_ops", "latency_mean_ns", "queue_pairs"] {
        for (name, change) in CHANGES {
            let Some(other) = changed(&runs()[1], column, change) else { continue };
            let table = [runs()[0].clone(), other, runs()[2].clone()];
            read(&table, &sound).expect_err(&format!("{column}, {name}"));
        }
    }
}

#[test]
fn a_message_names_both_tables_the_line_the_column_and_both_values() {
    let mut conditions = of_designs(&runs());
    conditions[1].queue_pairs = 17;
    let message = read(&runs(), &conditions).unwrap_err();
    assert!(message.contains("conditions.csv.gz:3: column \"queue_pairs\" is \"17\""), "{message}");
    assert!(message.contains("runs.csv.gz gives \"16\": one of the two"), "{message}");
    let message = read(&runs(), &conditions[..1]).unwrap_err();
    assert!(message.contains("has 1 conditions, and the runs in"), "{message}");
}

/// A rule that a row breaks by itself.
#[track_caller]
fn refused(change: impl FnOnce(&mut RunRow), column: &str) {
    let mut run = run(1, 8, 2.0e7);
    change(&mut run);
    let message = read(&[run], &[]).unwrap_err();
    assert!(message.contains(&format!("runs.csv.gz:2: column \"{column}\"")), "{message}");
}

#[test]
fn numbers_that_no_run_can_have_are_refused_with_their_column() {
    refused(|run| run.throughput_ops = Some(-2.0e7), "throughput_ops");
    refused(|run| run.latency_mean_ns = Some(0.0), "latency_mean_ns");
    refused(|run| run.latency_sd_ns = Some(-1.0), "latency_sd_ns");
    refused(|run| run.throughput_low_ops = Some(2.1e7), "throughput_low_ops");
    refused(|run| run.throughput_high_ops = Some(1.9e7), "throughput_high_ops");
    refused(|run| run.throughput_high_ops = None, "throughput_high_ops");
    refused(|run| run.latency_p99_ns = Some(39), "latency_p99_ns");
    refused(|run| run.latency_p999_ns = Some(51), "latency_p999_ns");
    refused(|run| run.worker_accesses_per_second = Some(5.0), "worker_accesses_per_second");
    refused(|run| run.operations = Some(0), "operations");
    refused(|run| run.queue_pairs = 0, "queue_pairs");
    refused(|run| run.write_fraction = Some(1.5), "write_fraction");
}

#[test]
fn cells_that_mean_nothing_beside_the_others_are_refused_with_what_decides_it() {
    refused(|run| run.worker_operation = WorkerOperation::Read, "worker_operation");
    refused(|run| run.worker_locality = Some(Locality::RdmaLocal), "worker_locality");
    refused(|run| run.load_bytes = Some(64), "load_bytes");
    refused(|run| run.load_node = LoadNode::Agnostic, "load_node");
    refused(|run| run.rate_ops_per_second = Some(5.0), "rate_ops_per_second");
    let working = |run: &mut RunRow| run.worker_operation = WorkerOperation::Read;
    let mut run = run(1, 8, 2.0e7);
    working(&mut run);
    let message = read(&[run.clone()], &[]).unwrap_err();
    assert!(message.contains("it has no meaning with workers = 0"), "{message}");
    run.workers = 1;
    assert!(read(&[run.clone()], &of_designs(&[run])).is_ok());
}

/// The tables of one run of two queue pairs: two windows and four latencies each.
fn counted() -> (RunRow, Vec<ClientRow>, Vec<WindowRow>, Vec<LatencyRow>) {
    let run = RunRow {
        operations: Some(8),
        samples: Some(8),
        latency_mean_ns: Some(15.0),
        latency_p50_ns: Some(10),
        latency_p99_ns: Some(20),
        latency_p999_ns: Some(20),
        ..run(1, 2, 2.0e7)
    };
    let named = || (run.source, run.profile.clone(), run.experiment.clone(), run.run_id.clone());
    let client = |queue_pair| {
        let (source, profile, experiment, run_id) = named();
        let schema_version = version::CLIENTS.written;
        let (operations, samples) = (4, Some(4));
        let (latency_mean_ns, latency_sd_ns) = (Some(15.0), Some(5.0));
        let [latency_p1_ns, latency_p5_ns, latency_p25_ns, latency_p50_ns] = [Some(10); 4];
        let [latency_p75_ns, latency_p95_ns, latency_p99_ns] = [Some(20); 3];
        ClientRow {
            schema_version,
            source,
            profile,
            experiment,
            run_id,
            queue_pair,
            operations,
            samples,
            latency_mean_ns,
            latency_sd_ns,
            latency_p1_ns,
            latency_p5_ns,
            latency_p25_ns,
            latency_p50_ns,
            latency_p75_ns,
            latency_p95_ns,
            latency_p99_ns,
        }
    };
    let window = |(window, queue_pair)| {
        let (source, profile, experiment, run_id) = named();
        let (schema_version, start_ns) = (version::WINDOWS.written, u64::from(window) * 10);
        WindowRow {
            schema_version,
            source,
            profile,
            experiment,
            run_id,
            window,
            start_ns,
            queue_pair,
            operations: 2,
        }
    };
    let bucket = |(queue_pair, ns)| {
        let (source, profile, experiment, run_id) = named();
        let (lowest_ns, highest_ns, schema_version) = (ns, ns, version::LATENCY.written);
        LatencyRow {
            schema_version,
            source,
            profile,
            experiment,
            run_id,
            queue_pair,
            lowest_ns,
            highest_ns,
            count: 2,
        }
    };
    let both = [(0, 0), (0, 1), (1, 0), (1, 1)].map(window);
    let buckets = [(0, 10), (0, 20), (1, 10), (1, 20)].map(bucket);
    (run.clone(), vec![client(0), client(1)], both.to_vec(), buckets.to_vec())
}

#[test]
fn runs_have_the_counts_of_the_tables_beside_them() {
    type Counted = (RunRow, Vec<ClientRow>, Vec<WindowRow>, Vec<LatencyRow>);
    let told = |change: fn(&mut Counted)| {
        let folder = TempDir::new().expect("a folder");
        let mut all = counted();
        change(&mut all);
        let (run, clients, windows, latencies) = all;
        let path = |name| folder.path().join(name);
        write_table(&path(RunRow::FILE), &[run]).expect("a table");
        write_table(&path(ClientRow::FILE), &clients).expect("a table");
        write_table(&path(WindowRow::FILE), &windows).expect("a table");
        write_table(&path(LatencyRow::FILE), &latencies).expect("a table");
        check_counts(folder.path()).map_err(|error| error.to_string())
    };
    assert_eq!(told(|_| {}), Ok(()));
    // Rows of the run on both sides of another one's are all its own.
    let scattered = |all: &mut Counted| {
        let run_id = "another".to_owned();
        all.1.insert(1, ClientRow { run_id: run_id.clone(), ..all.1[0].clone() });
        all.2.insert(2, WindowRow { run_id: run_id.clone(), ..all.2[0].clone() });
        all.3.insert(2, LatencyRow { run_id, ..all.3[0].clone() });
    };
    assert_eq!(told(scattered), Ok(()));
    let refused = |change, table: &str, column: &str| {
        let message = told(change).unwrap_err();
        assert!(message.contains(&format!("runs.csv.gz:2: column \"{column}\"")), "{message}");
        assert!(message.contains(table), "{message}");
    };
    refused(|(_, clients, ..)| clients[1].operations = 5, ClientRow::FILE, "operations");
    refused(|(_, clients, ..)| clients[1].samples = None, ClientRow::FILE, "samples");
    refused(|(_, clients, ..)| clients.truncate(1), ClientRow::FILE, "queue_pairs");
    refused(|(_, clients, ..)| clients.clear(), ClientRow::FILE, "queue_pairs");
    refused(|(_, _, windows, _)| windows[1].operations = 8, WindowRow::FILE, "operations");
    refused(|(.., latencies)| latencies[1].count = 8, LatencyRow::FILE, "samples");
    refused(|(run, ..)| run.latency_p999_ns = Some(21), LatencyRow::FILE, "latency_p999_ns");
    refused(|(run, ..)| run.latency_mean_ns = Some(16.0), LatencyRow::FILE, "latency_mean_ns");
}

#[test]
fn a_run_that_does_not_count_may_have_measured_nothing() {
    let idle = RunRow {
        valid: false,
        operations: Some(0),
        throughput_ops: Some(0.0),
        throughput_low_ops: None,
        throughput_high_ops: None,
        ..run(1, 8, 2.0e7)
    };
    assert!(read(&[idle], &[]).unwrap().is_empty());
}

#[test]
fn a_run_that_counts_and_has_nothing_in_its_common_windows_can_be_read_again() {
    let sparse = RunRow {
        throughput_ops: Some(0.0),
        throughput_low_ops: Some(0.0),
        throughput_high_ops: Some(0.0),
        ..run(1, 8, 2.0e7)
    };
    let due = of_designs(std::slice::from_ref(&sparse));
    let read = read(&[sparse], &due).unwrap();
    assert_eq!((read[0].throughput_ops, read[0].throughput_low_ops), (None, None));
}

#[test]
fn checksums_beside_the_tables_are_looked_at() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join(ConditionRow::FILE);
    write_table(&path, &of_designs(&runs())).expect("a table");
    fs::write(folder.path().join("SHA256SUMS"), format!("{}  conditions.csv.gz\n", "0".repeat(64)))
        .expect("a list");
    let message = read_conditions(&path).unwrap_err().to_string();
    assert!(message.contains("conditions.csv.gz is not the file that"), "{message}");
}
