use std::{fs, path::PathBuf};

use serde_json::Value;

use super::*;

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
    let known: Vec<_> = all().iter().map(|(name, _)| (*name).to_owned()).collect();
    for entry in fs::read_dir(committed()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(known.contains(&name), "data/schema/{name} is of no type: remove it");
    }
}

#[test]
fn a_record_fits_its_schema_and_a_damaged_one_does_not() {
    let schema = serde_json::to_value(schema_for!(RunRecord)).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    let record = crate::record::example();
    let mut value: Value = serde_json::from_str(&record.to_json()).unwrap();
    let errors: Vec<_> = schema.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    value["configuration"]["operation"] = "reed".into();
    assert!(!schema.is_valid(&value));
    value["configuration"]["operation"] = "read".into();
    value["surprise"] = 1.into();
    assert!(!schema.is_valid(&value));
}

#[test]
fn schemas_are_written_one_file_each() {
    let directory = tempfile::tempdir().unwrap();
    write_all(directory.path()).unwrap();
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), all().len());
}
