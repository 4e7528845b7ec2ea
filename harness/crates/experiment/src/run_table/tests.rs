use std::fs;

use super::*;

fn table() -> RunTable {
    let runs = (1..=3).map(|order| RunConfiguration {
        run_id: format!("run-{order}"),
        order,
        ..RunConfiguration::default()
    });
    RunTable::new(runs.collect()).unwrap()
}

/// The message about the table's text after `change`, without its directory.
fn message(change: impl FnOnce(String) -> String) -> String {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("runs.csv");
    table().write(&path).unwrap();
    fs::write(&path, change(fs::read_to_string(&path).unwrap())).unwrap();
    let message = RunTable::read(&path).unwrap_err().to_string();
    message.replace(&format!("{}/", directory.path().display()), "")
}

#[test]
fn a_table_comes_back_as_it_was_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("runs.csv");
    table().write(&path).unwrap();
    assert_eq!(RunTable::read(&path).unwrap(), table());
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("run_id,experiment,profile,replicate,seed,block,order,operation,"));
}

#[test]
fn rows_are_run_in_the_order_they_say_and_not_the_one_they_stand_in() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("runs.csv");
    table().write(&path).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<_> = text.lines().collect();
    lines[1..].reverse();
    fs::write(&path, lines.join("\n")).unwrap();
    assert_eq!(RunTable::read(&path).unwrap(), table());
}

#[test]
fn a_misspelt_column_is_named_with_the_nearest() {
    assert_eq!(
        message(|text| text.replacen("queue_pairs", "queuepairs", 1)),
        "runs.csv:1: unknown column \"queuepairs\", did you mean \"queue_pairs\"?"
    );
}

#[test]
fn a_misspelt_level_is_named_by_line_and_column_with_the_nearest() {
    assert_eq!(
        message(|text| text.replacen(",read,", ",raed,", 1)),
        "runs.csv:2: column \"operation\": \"raed\": unknown operation \"raed\", did you mean \
         \"read\"?; allowed: read, write, write-with-immediate, mixed, compare-and-swap, \
         fetch-and-add, send, write-answered-by-send"
    );
}

#[test]
fn a_row_that_cannot_be_run_is_named_by_line_and_run() {
    assert_eq!(
        message(|text| {
            let last = text.rfind("rdma-local").unwrap();
            format!("{}rdma-lokal{}", &text[..last], &text[last + "rdma-local".len()..])
        }),
        "runs.csv:4: run run-3: server_region is \"rdma-lokal\"; allowed: any, rdma-local, \
         rdma-remote, node:N or N"
    );
}

#[test]
fn the_same_run_twice_is_refused_with_both_lines() {
    assert_eq!(
        message(|text| text.replacen("run-3", "run-1", 1)),
        "runs.csv:4: run run-1 is already on line 2"
    );
    let runs = vec![RunConfiguration::default(); 2];
    assert_eq!(RunTable::new(runs).unwrap_err(), "ad-hoc");
}

#[test]
fn the_cost_is_the_time_in_warm_up_and_measurement() {
    let cost = table().cost();
    assert_eq!((cost.runs, cost.running), (3, Duration::from_millis(3 * 2200)));
}
