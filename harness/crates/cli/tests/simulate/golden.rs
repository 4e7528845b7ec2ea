//! Every experiment at level smoke, simulated for the study's first machine: the tables are those
//! that were recorded, byte for byte.
//!
//! `golden/runs.csv` is the run table, `golden/sums.csv` has the SHA-256 of each table that follows
//! from it, uncompressed. A change of designs, model, parameters or tables that is meant to show is
//! recorded by
//!
//! ```text
//! ONESIDED_RECORD=golden cargo test -p onesided --test simulate golden
//! ```
//!
//! and the commit says why the sums differ.

use std::{
    env,
    fmt::Write,
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use sha2::{Digest, Sha256};

use crate::place::{Ended, ending};

const TABLES: [&str; 4] = ["runs.csv.gz", "clients.csv.gz", "windows.csv.gz", "latency.csv.gz"];
const PROFILE: &str = "nurdma-cx3";
/// Three counting windows of each run: with one or two there would be no interval in the tables.
const SHARE: &str = "0.3";
/// Ours: a debug build on a busy machine needs ten seconds.
const AT_MOST: Duration = Duration::from_secs(240);

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).expect("harness/crates/cli in it")
}

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/simulate/golden").join(name)
}

#[track_caller]
fn onesided(arguments: &[&str]) -> Ended {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
    command.current_dir(repository()).args(arguments);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    ending(command.spawn().expect("the program starts"), AT_MOST)
}

/// The run table anew, from the designs as they are.
fn record_run_table() {
    let designs = fs::read_dir(repository().join("experiments")).expect("designs");
    let mut paths: Vec<_> = designs.map(|entry| entry.expect("a design").path()).collect();
    paths.sort();
    let table = golden("runs.csv");
    let mut arguments = vec!["expand"];
    arguments.extend(paths.iter().map(|path| path.to_str().expect("text")));
    arguments.extend(["--level", "smoke", "--profile", PROFILE, "--out"]);
    arguments.push(table.to_str().expect("text"));
    onesided(&arguments).with(0, &[]);
}

/// The sums of all tables that `jobs` runs at once give, as lines of CSV.
fn sums(jobs: &str) -> String {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let at = |name: &str| folder.path().join(name).to_str().expect("text").to_owned();
    let (raw, tables, runs) = (at("raw"), at("tables"), golden("runs.csv"));
    let runs = runs.to_str().expect("text");
    let simulate = ["simulate", "--table", runs, "--profile", PROFILE, "--set-up", "campaign a"];
    // Some of these runs have factors that the model does not cover: their rows are golden, too.
    let told =
        onesided(&[&simulate[..], &["--share", SHARE, "--jobs", jobs, "--out", &raw]].concat());
    told.with(1, &["not simulated: the model does not cover"]);
    onesided(&["collect", "--raw", &raw, "--table", runs, "--out", &tables]).with(0, &[]);
    TABLES.iter().fold("table,sha256\n".to_owned(), |mut lines, name| {
        let sum = Sha256::digest(uncompressed(&Path::new(&tables).join(name)));
        writeln!(lines, "{name},{sum:x}").expect("memory");
        lines
    })
}

fn uncompressed(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).expect("a table");
    flate2::read::GzDecoder::new(file).read_to_end(&mut bytes).expect("it is whole");
    bytes
}

#[test]
fn golden_smoke_data_come_out_byte_for_byte_with_any_number_of_jobs() {
    let recorded = golden("sums.csv");
    if env::var_os("ONESIDED_RECORD").is_some_and(|what| what == "golden") {
        record_run_table();
        fs::write(&recorded, sums("1")).expect("the sums are written");
    }
    let recorded = fs::read_to_string(recorded).expect("the sums are recorded");
    for jobs in ["1", "3"] {
        assert_eq!(sums(jobs), recorded, "{jobs} at once; the head of this file says what to do");
    }
}

#[test]
fn every_experiment_is_in_the_golden_run_table() {
    let table = fs::read_to_string(golden("runs.csv")).expect("the run table is recorded");
    let designs = fs::read_dir(repository().join("experiments")).expect("there are experiments");
    let names = designs.filter_map(|entry| {
        let path = entry.expect("a folder can be listed").path();
        let is_design = path.extension().is_some_and(|extension| extension == "toml");
        is_design.then(|| path.file_stem().unwrap().to_str().unwrap().to_owned())
    });
    let missing: Vec<_> = names.filter(|name| !table.contains(&format!(",{name},"))).collect();
    assert!(missing.is_empty(), "{missing:?}; the head of this file says what to do");
}
