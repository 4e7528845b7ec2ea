use std::{fs, path::PathBuf};

use proptest::prelude::*;

use super::*;
use crate::{
    RunConfiguration,
    row::LatencyRow,
    series::{LatencyBucket, LoadCount},
    version,
    vocabulary::{Source, ThreadRole},
};

fn latency_row() -> LatencyRow {
    LatencyRow {
        schema_version: version::LATENCY.written,
        source: Source::SoftRoce,
        profile: "laptop".to_owned(),
        experiment: "e".to_owned(),
        run_id: "r".to_owned(),
        queue_pair: 0,
        lowest_ns: 1,
        highest_ns: 2,
        count: 3,
    }
}

/// A table file with `text`, in a directory that lives as long as the first value.
fn file(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    fs::write(&path, text).unwrap();
    (directory, path)
}

fn read<T: Row>(path: &std::path::Path, extra: Extra) -> Result<Vec<T>, TableError> {
    TableReader::open(path, extra)?.collect()
}

/// The error's text without the directory of the file.
fn message<T: Row>(name: &str, text: &str, extra: Extra) -> String {
    let (directory, path) = file(name, text);
    let error = read::<T>(&path, extra).map(|rows| rows.len()).unwrap_err();
    error.to_string().replace(&format!("{}/", directory.path().display()), "")
}

#[test]
fn a_configuration_survives_the_run_table() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("runs.csv");
    let mut second = RunConfiguration { gid_index: Some(0), ..RunConfiguration::default() };
    second.rate_ops_per_second = Some(0.1);
    let rows = [RunConfiguration::default(), second];
    write_table(&path, &rows).unwrap();
    assert_eq!(read::<RunConfiguration>(&path, Extra::Refused).unwrap(), rows);
}

#[test]
fn a_header_of_very_many_columns_is_read_at_once_and_a_repeated_one_is_named() {
    let mut header = (0..100_000).map(|number| number.to_string()).collect::<Vec<_>>().join(",");
    assert!(message::<LatencyRow>("t.csv", &header, Extra::Skipped).contains("schema_version"));
    header += ",77";
    let told = message::<LatencyRow>("t.csv", &header, Extra::Skipped);
    assert!(told.contains("77"), "{told}");
}

#[test]
fn an_absent_value_is_an_empty_cell_and_never_0() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("runs.csv");
    write_table(&path, &[RunConfiguration::default()]).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let (header, row) = (lines.next().unwrap(), lines.next().unwrap());
    let cell = |column| row[header.iter().position(|name| *name == column).unwrap()];
    assert_eq!((cell("gid_index"), cell("inline_bytes"), cell("think_time_ns")), ("", "", "0"));
}

#[test]
fn a_table_without_rows_still_names_its_columns() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("latency.csv");
    write_table::<LatencyBucket>(&path, &[]).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "queue_pair,lowest_ns,highest_ns,count\n");
    assert_eq!(read::<LatencyBucket>(&path, Extra::Refused).unwrap(), []);
}

#[test]
fn equal_rows_make_equal_compressed_files_without_name_and_time() {
    let directory = tempfile::tempdir().unwrap();
    let bytes = ["a.csv.gz", "b.csv.gz"].map(|name| {
        let path = directory.path().join(name);
        write_table(&path, &[latency_row()]).unwrap();
        assert_eq!(read::<LatencyRow>(&path, Extra::Skipped).unwrap(), [latency_row()]);
        fs::read(&path).unwrap()
    });
    assert_eq!(bytes[0], bytes[1]);
    // RFC 1952: no flags, no time.
    assert_eq!(bytes[0][..8], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0]);
}

#[test]
fn another_schema_version_is_refused_with_file_and_line() {
    let header = "schema_version,source,profile,experiment,run_id,queue_pair,lowest_ns,\
                  highest_ns,count\n";
    let known = version::LATENCY.written;
    let text = format!("{header}{known},soft-roce,p,e,r,0,1,2,3\n99,soft-roce,p,e,r,0,1,2,3\n");
    let message = message::<LatencyRow>("t.csv", &text, Extra::Skipped);
    assert!(message.starts_with("t.csv:3: schema version \"99\", this program"), "{message}");
}

#[test]
fn a_table_with_the_columns_of_another_version_is_refused_by_its_version() {
    let header = "schema_version,source,profile,experiment,run_id,queue_pair,lowest_ns";
    let row = "soft-roce,p,e,r,0,1";
    let newer = format!("{header},highest_ns,count,mood\n99,{row},2,3,good\n");
    let told = message::<LatencyRow>("t.csv", &newer, Extra::Refused);
    assert!(told.starts_with("t.csv:2: schema version \"99\", this program reads"), "{told}");
    let older = format!("{header}\n2,{row}\n");
    let told = message::<LatencyRow>("t.csv", &older, Extra::Skipped);
    assert!(told.starts_with("t.csv:2: schema version \"2\", this program reads"), "{told}");
    let same = format!("{header}\n{},{row}\n", version::LATENCY.written);
    let told = message::<LatencyRow>("t.csv", &same, Extra::Skipped);
    assert_eq!(told, "t.csv: column \"highest_ns\" is missing");
}

#[test]
fn a_missing_column_is_named_with_the_one_probably_meant() {
    let text = "queue_pair,lowest_ns,highest_n,count\n";
    let skipped = message::<LatencyBucket>("t.csv", text, Extra::Skipped);
    assert_eq!(skipped, "t.csv: column \"highest_ns\" is missing (there is \"highest_n\")");
    let refused = message::<LatencyBucket>("t.csv", text, Extra::Refused);
    assert_eq!(refused, "t.csv:1: unknown column \"highest_n\", did you mean \"highest_ns\"?");
}

#[test]
fn further_columns_are_skipped_only_where_they_are_allowed() {
    let text = "queue_pair,lowest_ns,highest_ns,count,colour\n0,1,2,3,red\n";
    let (_directory, path) = file("t.csv", text);
    let rows = read::<LatencyBucket>(&path, Extra::Skipped).unwrap();
    assert_eq!(rows, [LatencyBucket { queue_pair: 0, lowest_ns: 1, highest_ns: 2, count: 3 }]);
    let message = message::<LatencyBucket>("t.csv", text, Extra::Refused);
    assert_eq!(message, "t.csv:1: unknown column \"colour\": leave it out");
}

#[test]
fn a_column_that_stands_there_twice_is_refused() {
    let text = "queue_pair,lowest_ns,lowest_ns,highest_ns,count\n";
    let message = message::<LatencyBucket>("t.csv", text, Extra::Skipped);
    assert_eq!(message, "t.csv:1: column \"lowest_ns\" stands there twice");
}

#[test]
fn a_cell_that_is_no_number_is_named_by_line_column_and_value() {
    let text = "queue_pair,lowest_ns,highest_ns,count\n0,1,2,3\n0,1,2,-3\n";
    let message = message::<LatencyBucket>("t.csv", text, Extra::Refused);
    let number = "a whole number from 0 to 18446744073709551615";
    assert_eq!(message, format!("t.csv:3: column \"count\": \"-3\": not {number}"));
    let text = "queue_pair,lowest_ns,highest_ns,count\n0,1,,3\n";
    let message = self::message::<LatencyBucket>("t.csv", text, Extra::Refused);
    let reason = format!("empty, but {number} is needed");
    assert_eq!(message, format!("t.csv:2: column \"highest_ns\": \"\": {reason}"));
}

#[test]
fn a_wrong_word_in_a_cell_is_answered_with_the_right_ones() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("runs.csv");
    write_table(&path, &[RunConfiguration::default()]).unwrap();
    let text = fs::read_to_string(&path).unwrap().replace(",closed,", ",cloesd,");
    let message = message::<RunConfiguration>("t.csv", &text, Extra::Refused);
    assert_eq!(
        message,
        "t.csv:2: column \"loop\": \"cloesd\": unknown loop \"cloesd\", did you mean \
         \"closed\"?; allowed: closed, saturating, batch, open, ping-pong"
    );
}

#[test]
fn what_is_no_finite_number_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("runs.csv");
    let open = RunConfiguration { rate_ops_per_second: Some(0.25), ..RunConfiguration::default() };
    write_table(&path, &[open]).unwrap();
    let text = fs::read_to_string(&path).unwrap().replace(",0.25,", ",NaN,");
    let message = message::<RunConfiguration>("t.csv", &text, Extra::Refused);
    assert!(message.contains("\"rate_ops_per_second\": \"NaN\": not a finite"), "{message}");
}

#[test]
fn an_empty_or_damaged_file_is_no_table() {
    let empty = message::<LatencyBucket>("t.csv", "", Extra::Refused);
    assert_eq!(empty, "t.csv is empty; its first line should name the columns");
    let damaged = message::<LatencyBucket>("t.csv.gz", "not gzip", Extra::Refused);
    assert_eq!(damaged, "t.csv.gz is not a well-formed table");
    let ragged = "queue_pair,lowest_ns,highest_ns,count\n0,1,2\n";
    let ragged = message::<LatencyBucket>("t.csv", ragged, Extra::Refused);
    assert_eq!(ragged, "t.csv is not a well-formed table");
}

#[test]
fn a_truncated_compressed_table_is_an_error_and_not_a_shorter_table() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("t.csv.gz");
    let rows: Vec<_> = (1..5000).map(|n| LatencyRow { count: n, ..latency_row() }).collect();
    write_table(&path, &rows).unwrap();
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let error = read::<LatencyRow>(&path, Extra::Skipped).unwrap_err();
    assert!(matches!(error, TableError::Malformed { .. }), "{error:?}");
}

proptest! {
    #[test]
    fn any_buckets_come_back_as_they_were(
        rows in proptest::collection::vec(any::<(u32, u64, u64, u64)>(), 0..50)
    ) {
        let rows: Vec<_> = rows
            .into_iter()
            .map(|(queue_pair, one_ns, other_ns, count)| LatencyBucket {
                queue_pair,
                lowest_ns: one_ns.min(other_ns),
                highest_ns: one_ns.max(other_ns),
                count: count.max(1),
            })
            .collect();
        let directory = tempfile::tempdir().unwrap();
        for name in ["t.csv", "t.csv.gz"] {
            let path = directory.path().join(name);
            write_table(&path, &rows).unwrap();
            prop_assert_eq!(&read::<LatencyBucket>(&path, Extra::Refused).unwrap(), &rows);
        }
    }
}

#[test]
fn numbers_below_zero_are_read_back_and_what_is_none_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("load.csv");
    let count = |start_ns| LoadCount {
        role: ThreadRole::Worker,
        worker: 0,
        window: 0,
        start_ns,
        accesses: 1,
    };
    let counts = [count(i64::MIN), count(-1), count(7)];
    write_table(&path, &counts).unwrap();
    assert_eq!(read::<LoadCount>(&path, Extra::Refused).unwrap(), counts);
    let text = "role,worker,window,start_ns,accesses\nworker,0,0,--3,1\n";
    let message = message::<LoadCount>("load.csv", text, Extra::Refused);
    assert!(message.contains("column \"start_ns\": \"--3\": not a whole number"), "{message}");
}
