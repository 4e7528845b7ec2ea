//! `onesided simulate --study`: sweeps of papers.

use std::{
    path::{Path, PathBuf},
    process::{Command, Output},
};

use onesided_results::{
    row::ShapeRow,
    table::{Extra, TableReader},
    vocabulary::{Operation, Source},
};

fn simulate(arguments: &[&str]) -> Output {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
    command.arg("simulate").args(arguments).current_dir(repository).output().unwrap()
}

fn rows(path: &Path) -> Vec<ShapeRow> {
    TableReader::open(path, Extra::Refused).unwrap().map(|row| row.unwrap()).collect()
}

/// The atomics of Connect-IB, written into a folder of its own with so many jobs.
fn atomics(folder: &Path, jobs: &str) -> (String, PathBuf) {
    let out = folder.join(format!("with-{jobs}"));
    let out_text = out.display().to_string();
    let asked = ["--study", "atomics,atomics", "--profile", "atc16-cib", "--jobs", jobs];
    let output = simulate(&[&asked[..], &["--out", &out_text]].concat());
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    (String::from_utf8(output.stdout).unwrap(), out.join("shapes.csv.gz"))
}

#[test]
fn the_table_is_what_stdout_has_and_the_same_bytes_with_any_number_of_jobs() {
    let folder = tempfile::tempdir().unwrap();
    let (one, path_of_one) = atomics(folder.path(), "1");
    let (three, path_of_three) = atomics(folder.path(), "3");
    assert_eq!(one, three);
    assert_eq!(std::fs::read(&path_of_one).unwrap(), std::fs::read(path_of_three).unwrap());
    let rows = rows(&path_of_one);
    assert_eq!(one.lines().count(), rows.len() + 1, "a study that is named twice is there once");
    assert!(
        one.starts_with("schema_version,source,back_end,profile,set_up,study,operation,"),
        "{one}"
    );
    for row in &rows {
        assert_eq!((row.source, row.operation), (Source::Simulated, Operation::FetchAndAdd));
        assert_eq!((row.study.as_str(), row.back_end.as_str()), ("atomics", "sim"));
        assert!(row.limit.is_some() && row.limit_utilisation.unwrap() <= 1.05, "{row:?}");
    }
    assert_eq!(rows[0].relative_throughput, Some(1.0));
    let checked =
        Command::new(env!("CARGO_BIN_EXE_onesided")).arg("check").arg(path_of_one).output();
    assert!(String::from_utf8_lossy(&checked.unwrap().stdout).contains("19 rows of shapes"));
}

#[test]
fn more_counters_are_never_fewer_atomics_and_the_first_waits_for_its_lock() {
    let folder = tempfile::tempdir().unwrap();
    let rows = rows(&atomics(folder.path(), "2").1);
    let rates: Vec<f64> = rows.iter().map(|row| row.throughput_ops.unwrap()).collect();
    assert!(rates.windows(2).all(|pair| pair[1] >= 0.99 * pair[0]), "{rates:?}");
    assert_eq!(rows[0].limit.as_deref(), Some("lock slots"));
    assert_eq!(rows[5].limit.as_deref(), Some("lock slots, in order"));
    assert_eq!(rows[18].limit.as_deref(), Some("responder's card"));
}

/// As `| head -1` does, which ends when it has its line.
#[test]
fn the_table_is_whole_though_nobody_reads_stdout_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let script = "\"$0\" simulate --study atomics --profile atc16-cib --out \"$1\" | head -1";
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap();
    let mut command = Command::new("bash");
    command.args(["-o", "pipefail", "-c", script, env!("CARGO_BIN_EXE_onesided")]);
    let output = command.arg(folder.path()).current_dir(repository).output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert_eq!(rows(&folder.path().join("shapes.csv.gz")).len(), 19, "{told}");
}

#[test]
fn what_there_is_not_is_refused_by_name() {
    for (arguments, expected) in [
        (&["--study", "sizes", "--profile", "atc16-cib"][..], "did you mean \"size\"?"),
        (&["--study", "size", "--profile", "atc16-cx"], "simulation.toml"),
        (&["--study", "size", "--table", "runs.csv", "--profile", "atc16-cib"], "--table"),
        (&["--study", "size", "--share", "0.1", "--profile", "atc16-cib"], "--share"),
        (&["--profile", "atc16-cib"], "--table"),
    ] {
        let output = simulate(arguments);
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.contains(expected) && output.stdout.is_empty(), "{arguments:?}: {told}");
    }
}
