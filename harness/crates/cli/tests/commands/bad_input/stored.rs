//! One thing changed in a copy of the stored tables, and its readers.

use std::{
    fs,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
};

use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use onesided_results::{
    RunRow,
    row::{ConditionRow, PublishedRunRow},
    table::{Extra, TableReader, with_cell, write_table},
};
use tempfile::TempDir;

use crate::program::{onesided, repository};

/// Where the stored tables are.
fn published() -> PathBuf {
    repository().join("data/published")
}

/// A copy of runs and conditions, with or without their checksums.
fn copy(names: &[&str]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in names {
        fs::copy(published().join(name), folder.path().join(name)).expect("a copy");
    }
    folder
}

/// Has all readers refuse the copy.
#[track_caller]
fn refused(folder: &TempDir, fragments: &[&str]) {
    let conditions = folder.path().join("conditions.csv.gz");
    let claims = folder.path().join("claims.csv");
    let (file, profiles) = (repository().join("paper/claims.toml"), repository().join("profiles"));
    let ask = [Path::new("claims"), "--claims".as_ref(), &file, "--table".as_ref(), folder.path()];
    onesided(ask.into_iter().chain(["--out".as_ref(), claims.as_path()])).could_not_run(fragments);
    assert!(!claims.exists(), "no verdict was written");
    let fit = [Path::new("calibrate"), "nurdma-cx3".as_ref(), "--as-it-is".as_ref()];
    let of = ["--profiles".as_ref(), profiles.as_path(), "--conditions".as_ref(), &conditions];
    onesided(fit.into_iter().chain(of)).could_not_run(fragments);
}

#[test]
fn a_run_that_is_four_times_as_fast_as_its_condition_says_is_refused() {
    let folder = copy(&["runs.csv.gz", "conditions.csv.gz"]);
    let path = folder.path().join("runs.csv.gz");
    let rows = TableReader::<PublishedRunRow>::open(&path, Extra::Skipped).expect("a table");
    let mut rows: Vec<_> = rows.map(|row| row.expect("a row")).collect();
    let counts =
        |row: &&mut PublishedRunRow| row.common.valid && row.common.throughput_ops.is_some();
    let run: &mut RunRow = &mut rows.iter_mut().find(counts).expect("a run that counts").common;
    for ops in [&mut run.throughput_ops, &mut run.throughput_low_ops, &mut run.throughput_high_ops]
    {
        *ops = ops.map(|ops| 4.0 * ops);
    }
    write_table(&path, &rows).expect("a table");
    refused(&folder, &["conditions.csv.gz:", "throughput", "one of the two was changed"]);
}

#[test]
fn a_negative_throughput_is_refused_by_line_and_column() {
    let folder = copy(&["conditions.csv.gz"]);
    let path = folder.path().join("conditions.csv.gz");
    let mut text = String::new();
    let file = fs::File::open(&path).expect("a table");
    MultiGzDecoder::new(file).read_to_string(&mut text).expect("text");
    let rows = TableReader::<ConditionRow>::open(&path, Extra::Skipped).expect("a table");
    let first = rows.into_iter().next().expect("a row").expect("a row");
    let ops = first.throughput_ops.expect("a throughput");
    assert!(with_cell(&first, "throughput_ops", &format!("-{ops}")).is_ok(), "a number as such");
    // As an editor would do it: in the text.
    let wrong = text.replacen(&format!(",{ops:?},"), &format!(",-{ops:?},"), 1);
    assert!(wrong != text, "{ops:?} is there");
    let file = fs::File::create(&path).expect("a table");
    let mut file = GzEncoder::new(file, Compression::fast());
    file.write_all(wrong.as_bytes()).expect("a table");
    file.finish().expect("a table");
    fs::copy(published().join("runs.csv.gz"), folder.path().join("runs.csv.gz")).expect("a copy");
    refused(&folder, &["conditions.csv.gz:2: column \"throughput_ops\"", "allowed: above 0"]);
}

#[test]
fn a_sum_that_is_not_the_files_is_refused() {
    let folder = copy(&["runs.csv.gz", "conditions.csv.gz", "SHA256SUMS"]);
    let sums = folder.path().join("SHA256SUMS");
    let text = fs::read_to_string(&sums).expect("sums");
    let (listed, _) = text.lines().nth(1).and_then(|line| line.split_once(' ')).expect("a sum");
    fs::write(&sums, text.replace(listed, &"0".repeat(64))).expect("sums");
    refused(&folder, &["conditions.csv.gz is not the file that", &"0".repeat(64)]);
}

#[test]
fn a_table_that_the_list_of_sums_lacks_is_refused() {
    let folder = copy(&["runs.csv.gz", "conditions.csv.gz", "SHA256SUMS"]);
    let sums = folder.path().join("SHA256SUMS");
    let text = fs::read_to_string(&sums).expect("sums");
    let without: Vec<_> = text.lines().filter(|line| !line.contains("runs.csv.gz")).collect();
    fs::write(&sums, without.join("\n")).expect("sums");
    refused(&folder, &["runs.csv.gz is not known", "does not list it"]);
}

#[test]
fn a_folder_of_tables_is_checked_as_one() {
    let whole = onesided([Path::new("check"), published().as_path()]);
    let told = whole.valid().stdout;
    for kind in ["rows of clients", "rows of runs", "files of a manifest"] {
        assert!(told.contains(kind), "{told}");
    }
}
