//! Run tables that are not what they should be.

use std::{io::Write as _, path::Path};

use onesided_results::{
    row::{ClaimRow, ConditionRow, LatencyRow, ManifestRow, MemoryLatencyRow, TraceRow, WindowRow},
    series::{LatencyBucket, LoadCount, WindowCount},
    table::{Row, write_table},
};

use crate::program::{Ended, file, onesided, run_table};

/// Runs a table of that content; the table's path is in what is told.
#[track_caller]
fn refused(content: &str, fragments: &[&str]) -> Ended {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let table = file(directory.path(), "runs.csv", content);
    let raw = directory.path().join("raw");
    let run = [Path::new("run"), "--table".as_ref(), &table, "--out".as_ref(), &raw];
    let ended = onesided(run).could_not_run(fragments).in_one_line();
    assert!(!raw.exists(), "nothing was started");
    ended
}

/// The table with another cell in the first row.
fn with(column: &str, value: &str) -> String {
    let table = run_table();
    let mut reader = csv::Reader::from_reader(table.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let index = header.iter().position(|name| name == column).expect("the column");
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&header).expect("memory");
    for (line, row) in reader.records().enumerate() {
        let row = row.expect("a row");
        let cells = row.iter().enumerate();
        let cell = |(at, cell)| if line == 0 && at == index { value } else { cell };
        writer.write_record(cells.map(cell)).expect("memory");
    }
    String::from_utf8(writer.into_inner().expect("memory")).expect("UTF-8")
}

#[test]
fn an_unknown_column_is_named_with_the_nearest_one() {
    let table = run_table().replacen("queue_pairs", "queue_pair", 1);
    refused(&table, &["runs.csv:1:", "\"queue_pair\"", "did you mean \"queue_pairs\""]);
}

#[test]
fn a_missing_column_is_named() {
    let table = run_table();
    let without_first = table.lines().map(|line| line.split_once(',').expect("cells").1);
    let table: Vec<_> = without_first.collect();
    refused(
        &table.join("\n"),
        &["runs.csv", "\"run_id\" is missing", "of another version", "onesided expand"],
    );
}

#[test]
fn a_bad_value_is_named_with_its_line_its_column_and_what_would_be_right() {
    refused(&with("operation", "raed"), &["runs.csv:2:", "\"operation\"", "\"raed\"", "\"read\""]);
    refused(&with("access_bytes", "-8"), &["runs.csv:2:", "\"access_bytes\"", "\"-8\""]);
    refused(&with("queue_pairs", "four"), &["\"queue_pairs\"", "\"four\"", "whole number"]);
}

#[test]
fn a_row_that_no_machine_can_run_is_named_with_its_line_and_run() {
    refused(&with("mtu_bytes", "1500"), &["runs.csv:2:", ": run ", "mtu_bytes is 1500", "4096"]);
    refused(&with("server_region", "moon"), &["runs.csv:2:", "\"moon\"", "rdma-local"]);
    refused(&with("run_id", "../up"), &["runs.csv:2:", "\"../up\""]);
}

#[test]
fn a_run_that_stands_there_twice_is_named_with_both_lines() {
    let table = run_table();
    let twice = format!("{table}{}\n", table.lines().nth(1).expect("a row"));
    let last = format!("runs.csv:{}:", twice.lines().count());
    refused(&twice, &[&last, "already on line 2"]);
}

#[test]
fn a_table_that_is_torn_or_empty_is_refused() {
    let table = run_table();
    let torn = &table[..table.len() - 40];
    refused(torn, &["runs.csv", "fields"]);
    refused("", &["runs.csv is empty", "first line should name the columns"]);
}

#[test]
fn a_table_that_is_not_there_is_named() {
    onesided(["run", "--table", "nowhere/runs.csv"])
        .could_not_run(&["nowhere/runs.csv", "No such file"])
        .in_one_line();
}

#[test]
fn check_names_a_damaged_table_and_goes_on_with_the_next() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let bad = file(directory.path(), "bad.csv", &with("operation", "raed"));
    let good = file(directory.path(), "good.csv", &run_table());
    let checked =
        onesided([Path::new("check"), &bad, &good, "nowhere.csv".as_ref()]).check_failed();
    let lines: Vec<_> = checked.stdout.lines().collect();
    assert!(lines[0].starts_with("WRONG") && lines[0].contains("bad.csv:2:"), "{lines:#?}");
    assert!(lines[1].starts_with("ok") && lines[1].contains("8 runs"), "{lines:#?}");
    assert!(lines[2].starts_with("WRONG nowhere.csv: No such file"), "{lines:#?}");
}

#[test]
fn check_knows_a_table_by_its_name_and_refuses_another_of_that_name() {
    fn examine<T: Row>(what: &str) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let table = directory.path().join(T::FILE);
        write_table::<T>(&table, []).expect("a table");
        let checked = onesided([Path::new("check"), &table]).valid();
        assert!(checked.stdout.contains(what), "{}", checked.stdout);
        std::fs::write(&table, "schema_version,queue_pair_s\n").expect("a file");
        onesided([Path::new("check"), &table]).check_failed();
    }
    examine::<ClaimRow>("0 rows of claims");
    examine::<ConditionRow>("0 rows of conditions");
    examine::<TraceRow>("0 rows of traces");
    examine::<ManifestRow>("0 files of a manifest");
}

#[test]
fn check_knows_a_table_of_another_name_by_its_columns() {
    fn examine<T: Row>(what: &str) {
        let directory = tempfile::tempdir().expect("a temporary directory");
        for name in ["ml.csv", "ml.csv.gz"] {
            let table = directory.path().join(name);
            write_table::<T>(&table, []).expect("a table");
            let checked = onesided([Path::new("check"), &table]).valid();
            let told = format!("{name}: {what}, by the columns of {}\n", T::FILE);
            assert!(checked.stdout.ends_with(&told), "{told} is not: {}", checked.stdout);
        }
    }
    examine::<MemoryLatencyRow>("0 rows of memory latencies");
    examine::<ClaimRow>("0 rows of claims");
    // Each of these has the columns of the other, and more.
    examine::<WindowRow>("0 rows of windows");
    examine::<WindowCount>("0 windows");
    examine::<LatencyRow>("0 rows of latencies");
    examine::<LatencyBucket>("0 buckets");
    examine::<LoadCount>("0 windows of load");
}

#[test]
fn check_says_that_it_takes_a_table_that_it_does_not_know_for_a_run_table() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let table = file(directory.path(), "some.csv", "schema_version,median\n1,2\n");
    let checked = onesided([Path::new("check"), &table]).check_failed();
    for told in ["WRONG", "taken for a run table", "\"schema_version\""] {
        assert!(checked.stdout.contains(told), "{}", checked.stdout);
    }
}

#[test]
fn what_a_file_says_neither_clears_a_terminal_nor_looks_like_a_line_of_this_program() {
    let directory = tempfile::tempdir().expect("a directory");
    let evil = "\"\u{1b}[2Jread\nonesided: all is well\"";
    let table = run_table().replacen(",read,", &format!(",{evil},"), 1);
    let path = file(directory.path(), "runs.csv", &table);
    let checked = onesided([Path::new("check"), &path]).check_failed();
    let ran = onesided([Path::new("run"), "--table".as_ref(), &path]).could_not_run(&["operation"]);
    for told in [&checked.stdout, &ran.stderr] {
        assert!(told.contains("\\u{1b}[2Jread\\nonesided: all is well"), "{told}");
        assert!(!told.contains('\u{1b}') && !told.contains("\nonesided: all"), "{told}");
    }
}

#[test]
fn a_row_without_an_end_is_refused_before_it_fills_memory() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("runs.csv.gz");
    let file = std::fs::File::create(&path).expect("a file");
    let mut packed = flate2::write::GzEncoder::new(file, flate2::Compression::fast());
    packed.write_all(run_table().lines().next().expect("a header").as_bytes()).expect("a header");
    packed.write_all(b"\n\"").expect("a quote");
    // 64 MiB of text in some hundred KiB, with breaks of lines, which a quoted cell may have.
    let piece = [b'x'; (64 << 10) - 1].iter().chain(b"\n").copied().collect::<Vec<u8>>();
    for _ in 0..1 << 10 {
        packed.write_all(&piece).expect("text");
    }
    packed.finish().expect("an end");
    let mut command = crate::program::command();
    command.args(["run", "--out"]).arg(directory.path().join("raw")).arg("--table").arg(&path);
    let ended = crate::program::ended(&mut command);
    ended.could_not_run(&["runs.csv.gz", "a row has more than 1048576 bytes"]);
}

#[test]
fn a_pipe_is_refused_and_not_waited_for() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    for (name, arguments) in [
        ("design.toml", &["expand"][..]),
        ("runs.csv", &["run", "--out", "raw", "--table"]),
        ("run.json", &["check"]),
        ("claims.toml", &["claims", "--claims"]),
    ] {
        let pipe = directory.path().join(name);
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.expect("mkfifo of coreutils").success());
        let mut command = crate::program::command();
        command.args(arguments).arg(&pipe).current_dir(&directory);
        let ended = crate::program::ended(&mut command);
        assert_ne!(ended.status, Some(0), "{ended:?}");
        let told = ended.stdout.clone() + &ended.stderr;
        assert!(told.contains("a pipe, a socket or a device"), "{name}: {ended:?}");
    }
}
