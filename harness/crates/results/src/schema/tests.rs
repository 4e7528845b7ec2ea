use std::{fs, path::PathBuf};

use super::*;
use crate::RunRow;

/// The folder of committed schemas.
fn committed() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../data/schema")
}

#[test]
fn the_committed_schemas_are_those_of_the_types() {
    for (name, schema) in all() {
        let text = fs::read_to_string(committed().join(name)).unwrap_or_default();
        assert!(
            text == to_text(&schema),
            "data/schema/{name} is stale: run `onesided schema --write data/schema`"
        );
    }
}

#[test]
fn every_committed_schema_describes_a_type() {
    let mut known: Vec<_> = all().iter().map(|(name, _)| (*name).to_owned()).collect();
    known.push(tables::FILE.to_owned());
    known.push(doubt::FILE.to_owned());
    for entry in fs::read_dir(committed()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(known.contains(&name), "data/schema/{name} is of no type: remove it");
    }
}

#[test]
fn schemas_are_written_one_file_each() {
    let directory = tempfile::tempdir().unwrap();
    write_all(directory.path()).unwrap();
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), all().len() + 2);
}

#[test]
fn the_committed_columns_are_those_of_the_types() {
    let text = fs::read_to_string(committed().join(tables::FILE)).unwrap_or_default();
    assert!(
        text == tables::to_text(),
        "data/schema/{} is stale: run `onesided schema --write data/schema`",
        tables::FILE
    );
}

#[test]
fn the_committed_doubts_are_those_that_are_declared() {
    let text = fs::read_to_string(committed().join(doubt::FILE)).unwrap_or_default();
    let stale = "data/schema/doubts.csv is stale: run `onesided schema --write data/schema`";
    assert!(text == Doubt::to_text(), "{stale}");
}

#[test]
fn every_factor_has_the_name_of_an_axis() {
    for table in TABLES {
        for column in (table.columns)() {
            let is_factor = column.role == columns::Role::Factor;
            assert_eq!(column.label.is_some(), is_factor, "{} {}", table.name(), column.name);
        }
    }
}

#[test]
fn columns_say_what_may_stand_in_them() {
    let of_runs = columns::described::<RunRow>();
    assert_eq!(of_runs.iter().map(|column| column.name).collect::<Vec<_>>(), RunRow::columns());
    let column = |name| of_runs.iter().find(|column| column.name == name).unwrap().clone();
    let words = columns::Domain::Words(vec!["rdma-local".to_owned(), "rdma-remote".to_owned()]);
    assert_eq!(column("locality").domain, words);
    assert_eq!(column("queue_pairs").domain, columns::Domain::Number);
    assert_eq!(column("rate_ops_per_second").unit, Some("operations/s"));
    assert_eq!(column("valid").domain, columns::Domain::Truth);
    assert_eq!(column("worker_threads").domain, columns::Domain::Text);
    assert_eq!(column("queue_pairs").label.as_deref(), Some("Queue pairs"));
}
