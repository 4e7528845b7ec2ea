//! What the model says of `experiments/outbound-by-payload.toml`.
//!
//! What passing lets us claim: what the head of that design says of two Connect-IB and of two ConnectX-3
//! is what the model says, and the model gives a reason for each of the design's own runs that it does not do.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Output},
};

use onesided_experiment::RunTable;
use onesided_results::{RunConfiguration, vocabulary::Service};

use super::Operation;

const DESIGN: &str = "outbound-by-payload.toml";
/// A hundredth of each run, 20 ms. Ours, because the model's rates do not change after that.
const SHARE: &str = "0.01";

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3).unwrap()
}

fn onesided(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onesided"));
    command.args(arguments).current_dir(repository()).output().unwrap()
}

/// The runs of a design for `profile`, and what simulating them says: a line of CSV a run, and the rest.
fn simulated(
    text: &str,
    profile: &str,
    expand: &[&str],
) -> (Vec<RunConfiguration>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (design, table, out) = (path(DESIGN), path("runs.csv"), path("raw"));
    fs::write(&design, text).unwrap();
    let plan = ["expand", &design, "--profile", profile, "--out", &table];
    let planned = onesided(&[&plan[..], expand].concat());
    assert!(planned.status.success(), "{}", String::from_utf8_lossy(&planned.stderr));
    let asked = ["--table", &table, "--profile", profile, "--share", SHARE, "--out", &out];
    let output = onesided(&[&["simulate"], &asked[..]].concat());
    let runs = RunTable::read(Path::new(&table)).unwrap().runs().to_vec();
    let [stdout, stderr] =
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
    (runs, stdout, stderr)
}

fn design() -> String {
    fs::read_to_string(repository().join("experiments").join(DESIGN)).unwrap()
}

/// Millions of operations a second that two machines of `profile` do, by operation and payload: those of
/// the design that are over reliable connections and posted one by one, each of which asks for a completion.
fn rates(profile: &str) -> BTreeMap<(Operation, u32), f64> {
    let said = "signal_every = 16";
    let text = design();
    assert!(text.contains(said), "{DESIGN} has no {said}");
    let payloads = "access_bytes=28,32,92,96,156,160";
    let only = ["service=rc", "post_list=1", "replicate=1", payloads];
    let only = only.map(|levels| ["--only", levels]).concat();
    let (runs, stdout, stderr) = simulated(&text.replace(said, "signal_every = 1"), profile, &only);
    let lines = stdout.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let rates: BTreeMap<_, _> = lines.map(|cells| (cells[0].to_owned(), cells[3])).collect();
    let rate = |run: &RunConfiguration| {
        let rate = rates.get(&run.run_id).unwrap_or_else(|| panic!("{stdout}{stderr}"));
        rate.parse::<f64>().unwrap_or_else(|error| panic!("{error}: {stderr}")) / 1e6
    };
    runs.iter().map(|run| ((run.operation, run.access_bytes), rate(run))).collect()
}

#[track_caller]
fn are(found: &BTreeMap<(Operation, u32), f64>, operation: Operation, expected: &[(u32, f64)]) {
    for (bytes, rate) in expected {
        let found = found[&(operation, *bytes)];
        assert!((found - rate).abs() < 0.01 * rate, "{operation} {bytes} B: {found}, not {rate}");
    }
}

#[test]
fn one_connect_ib_takes_what_another_issues_but_for_short_writes() {
    let found = rates("atc16-cib");
    are(&found, Operation::Read, &[(28, 88.0), (32, 88.0), (92, 88.0), (96, 88.0)]);
    // Short ones are bound by the server. A line more is 5.7 ns more of the host's stores.
    let stored = |lines: f64| 1e3 / (5.713 * lines);
    let (two, three, four) = (stored(2.0), stored(3.0), stored(4.0));
    let lines = [(28, 122.0), (32, two), (92, two), (96, three), (156, three), (160, four)];
    are(&found, Operation::Write, &lines);
}

#[test]
fn connect_x_3_are_slower_than_the_stores_of_up_to_three_lines() {
    let found = rates("atc16-cx3");
    let short = found[&(Operation::Write, 28)];
    are(&found, Operation::Write, &[32, 92, 96, 156].map(|bytes| (bytes, short)));
    are(&found, Operation::Write, &[(160, 1e3 / (11.426 * 4.0))]);
    assert!(found[&(Operation::Write, 160)] < 0.9 * short, "{found:?}");
}

#[test]
fn each_run_that_the_model_does_not_do_has_its_reason() {
    let (runs, _, stderr) = simulated(&design(), "atc16-cib", &["--level", "smoke"]);
    assert_eq!(runs.len(), 6);
    for run in runs {
        let factor = match run.service {
            Service::UnreliableConnection => {
                "service = uc: the model has every request acknowledged"
            }
            _ => "signal_every = 4: the model has a completion for each request",
        };
        let why = format!("{} not simulated: the model does not cover {factor}", run.run_id);
        assert!(stderr.contains(&why), "{why:?} is not in {stderr}");
    }
}
