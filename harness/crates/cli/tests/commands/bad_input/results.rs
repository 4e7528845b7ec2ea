//! Results that are damaged, missing, or of another time.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use onesided_experiment::RunTable;
use onesided_results::{
    RunConfiguration, RunRecord, RunRow,
    directory::{Existing, RECORD_FILE, RunDirectory, path_of},
    record::{Outcome, RunTotals},
    series::{LatencyBucket, WindowCount},
    table::{Extra, Row as _, TableReader},
    version,
    vocabulary::{Phase, Source},
};

use crate::program::{Ended, file, onesided, run_table};

/// Windows of every run of the table. One operation completes in each on each queue pair.
const WINDOWS: u64 = 10;

/// A table and the directory of its results, in which every run is complete.
pub struct Campaign {
    directory: tempfile::TempDir,
    runs: Vec<RunConfiguration>,
}

impl Campaign {
    pub fn complete() -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let table = file(directory.path(), "runs.csv", &run_table());
        let runs = RunTable::read(&table).expect("the table").runs().to_vec();
        let campaign = Self { directory, runs };
        campaign.runs.iter().for_each(|run| campaign.write(&record(run, Outcome::Valid)));
        campaign
    }

    pub fn table(&self) -> PathBuf {
        self.directory.path().join("runs.csv")
    }

    pub fn raw(&self) -> PathBuf {
        self.directory.path().join("raw")
    }

    pub fn path(&self, run: usize) -> PathBuf {
        path_of(&self.raw(), &self.runs[run])
    }

    fn write(&self, record: &RunRecord) {
        let path = path_of(&self.raw(), &record.configuration);
        let directory = RunDirectory::create(&path, Existing::Replace).expect("a directory");
        directory.write_record(record).expect("a record");
        let queue_pairs = 0..record.configuration.queue_pairs;
        let count = |window, queue_pair| WindowCount {
            window: window as u32,
            start_ns: window * 10_000_000,
            queue_pair,
            operations: 1,
        };
        let bucket = |queue_pair| LatencyBucket {
            queue_pair,
            lowest_ns: 900,
            highest_ns: 901,
            count: WINDOWS,
        };
        let each = |window| queue_pairs.clone().map(move |queue_pair| count(window, queue_pair));
        directory.write_windows(&(0..WINDOWS).flat_map(each).collect::<Vec<_>>()).expect("windows");
        directory.write_latency(&queue_pairs.map(bucket).collect::<Vec<_>>()).expect("latencies");
        directory.commit().expect("a run");
    }

    /// Replaces text in a file of the first run.
    fn damage(&self, name: &str, from: &str, to: &str) {
        let path = self.path(0).join(name);
        let text = std::fs::read_to_string(&path).expect("a file of the run");
        assert!(text.contains(from), "{name} has no {from:?}");
        std::fs::write(path, text.replacen(from, to, 1)).expect("a file of the run");
    }

    fn tables(&self) -> PathBuf {
        self.directory.path().join("tables")
    }

    fn collect(&self) -> Ended {
        let (raw, out) = (self.raw(), self.tables());
        onesided([Path::new("collect"), "--raw".as_ref(), &raw, "--out".as_ref(), &out])
    }

    /// What `check` says of the first run, which must not be good.
    #[track_caller]
    fn wrong(&self, fragments: &[&str]) {
        let checked = onesided([Path::new("check"), &self.path(0)]).check_failed();
        assert!(checked.stdout.starts_with("WRONG "), "{}", checked.stdout);
        for fragment in fragments {
            assert!(checked.stdout.contains(fragment), "{fragment:?}: {}", checked.stdout);
        }
    }

    fn check_table(&self) -> Ended {
        let (table, raw) = (self.table(), self.raw());
        onesided([Path::new("check"), "--table".as_ref(), &table, "--raw".as_ref(), &raw])
    }

    fn run_table(&self) -> Ended {
        let (table, raw) = (self.table(), self.raw());
        onesided([Path::new("run"), "--table".as_ref(), &table, "--out".as_ref(), &raw])
    }
}

fn record(configuration: &RunConfiguration, outcome: Outcome) -> RunRecord {
    let failed = matches!(outcome, Outcome::Failed { .. });
    let operations = WINDOWS * u64::from(configuration.queue_pairs);
    RunRecord {
        schema_version: version::RECORD.written,
        configuration: configuration.clone(),
        source: Source::SoftRoce,
        back_end: "verbs".to_owned(),
        started_at: "2020-01-01T00:00:00Z".to_owned(),
        outcome,
        doubts: Vec::new(),
        negotiated: None,
        client: None,
        further_clients: Vec::new(),
        client_clocks: Vec::new(),
        server: None,
        clock: None,
        phases: Vec::new(),
        totals: (!failed).then_some(RunTotals {
            operations,
            operations_after_end: 0,
            signaled: operations,
            completions: operations,
            messages_sent: None,
            messages_received: None,
            samples: operations,
            saturated_samples: 0,
            measured_ns: 100_000_000,
            queue_pairs: Vec::new(),
        }),
        verification: Vec::new(),
        simulation: None,
    }
}

fn failure() -> Outcome {
    Outcome::Failed { phase: Phase::Measure, message: "the other side is gone".to_owned() }
}

#[test]
fn a_complete_table_is_found_complete_and_needs_no_device_to_go_on() {
    let campaign = Campaign::complete();
    assert_eq!(campaign.check_table().valid().stdout, "");
    onesided([Path::new("check"), &campaign.path(0)]).valid();
    let ran = campaign.run_table().valid();
    assert!(ran.stderr.contains("8 of 8 runs are complete, 0 to do"), "{}", ran.stderr);
}

#[test]
fn missing_failed_and_changed_runs_are_named_and_would_be_done_again() {
    let campaign = Campaign::complete();
    std::fs::remove_dir_all(campaign.path(0)).expect("the run");
    campaign.write(&record(&campaign.runs[1], failure()));
    let changed = RunConfiguration { duration_ms: 5000, ..campaign.runs[2].clone() };
    campaign.write(&record(&changed, Outcome::Valid));
    let checked = campaign.check_table().check_failed();
    let missing: Vec<_> = checked.stdout.lines().collect();
    let expected = campaign.runs[..3].iter();
    let expected = expected.map(|run| format!("MISSING {} of {}", run.run_id, run.experiment));
    assert_eq!(missing, expected.collect::<Vec<_>>());
    let ran = campaign.run_table().could_not_run(&["libibverbs"]);
    assert!(ran.stderr.contains("5 of 8 runs are complete, 3 to do"), "{}", ran.stderr);
}

#[test]
fn a_run_that_was_copied_without_its_tables_is_not_complete() {
    let campaign = Campaign::complete();
    std::fs::remove_file(campaign.path(0).join("windows.csv")).expect("the table");
    std::fs::remove_file(campaign.path(1).join("latency.csv")).expect("the table");
    let checked = campaign.check_table().check_failed();
    assert_eq!(checked.stdout.lines().count(), 2, "{}", checked.stdout);
}

#[test]
fn blocks_of_a_table_are_checked_by_themselves_and_others_are_told_not_to_be_there() {
    let campaign = Campaign::complete();
    let checked = |blocks: &str| {
        let (table, raw) = (campaign.table(), campaign.raw());
        let words = ["check", "--blocks", blocks, "--table"].map(Path::new);
        onesided(words.into_iter().chain([table.as_path(), "--raw".as_ref(), raw.as_path()]))
    };
    let told = checked("1").valid().stderr;
    assert!(told.contains("8 runs in the table, 0 not complete"), "{told}");
    checked("1-2").could_not_run(&[
        "runs.csv",
        "no blocks 1-2",
        "the last block of the table is 1",
    ]);
    checked("2-1").could_not_run(&["expected FIRST-LAST", "2-1"]);
}

#[test]
fn edited_counts_do_not_add_up_any_more() {
    let campaign = Campaign::complete();
    let due = WINDOWS * u64::from(campaign.runs[0].queue_pairs);
    let has = format!("run.json beside it says {due}");
    campaign.damage("windows.csv", "\n0,0,0,1\n", "\n0,0,0,7\n");
    campaign.wrong(&[&format!("windows.csv: {} operations", due + 6), &has]);
    let campaign = Campaign::complete();
    campaign.damage("latency.csv", ",10\n", ",9\n");
    campaign.wrong(&[&format!("latency.csv: {} latencies", due - 1), &has]);
}

/// Both commands that read a run say it, and take no memory for what cannot be.
#[test]
fn records_of_what_cannot_have_been_are_refused_by_check_and_by_collect() {
    for (field, absurd) in [
        ("duration_ms", "18446744073709551615"),
        ("window_ms", "0"),
        ("queue_pairs", "4294967295"),
        ("run_id", "\"../../../elsewhere\""),
        ("experiment", "\"<script>alert(1)</script>\""),
    ] {
        let campaign = Campaign::complete();
        let path = campaign.path(0).join(RECORD_FILE);
        let text = std::fs::read_to_string(&path).expect("a record");
        let mut record: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        record["configuration"][field] = serde_json::from_str(absurd).expect("JSON");
        std::fs::write(&path, record.to_string()).expect("a record");
        campaign.wrong(&["run.json", &format!("{field} is "), "the record is damaged"]);
        campaign.collect().could_not_run(&["run.json", &format!("{field} is ")]);
    }
    let campaign = Campaign::complete();
    let path = campaign.path(0).join(RECORD_FILE);
    let text = std::fs::read_to_string(&path).expect("a record");
    let mut record: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    record["back_end"] = "=HYPERLINK(1)".into();
    std::fs::write(&path, record.to_string()).expect("a record");
    campaign.wrong(&["run.json", "back_end is \"=HYPERLINK(1)\"", "formula"]);
    campaign.collect().could_not_run(&["back_end is \"=HYPERLINK(1)\""]);
    let campaign = Campaign::complete();
    campaign.damage("latency.csv", "900,901", "901,900");
    campaign.wrong(&["latency.csv:2: column \"highest_ns\"", "from 901, the lowest_ns"]);
    let campaign = Campaign::complete();
    campaign.damage("latency.csv", "\n0,", "\n99,");
    campaign.wrong(&["latencies of queue pair 99"]);
}

#[test]
fn torn_and_misnamed_files_of_a_run_are_named_with_what_is_wrong() {
    let campaign = Campaign::complete();
    campaign.damage("windows.csv", "operations\n", "operation\n");
    campaign.wrong(&["windows.csv", "\"operation\"", "\"operations\""]);
    let campaign = Campaign::complete();
    campaign.damage("windows.csv", "\n0,0,0,1\n", "\n0,0,0,few\n");
    campaign.wrong(&["windows.csv:2:", "\"few\""]);
    let campaign = Campaign::complete();
    std::fs::remove_file(campaign.path(0).join("latency.csv")).expect("the file");
    campaign.wrong(&["latency.csv", "No such file"]);
    let campaign = Campaign::complete();
    campaign.damage(RECORD_FILE, "\"outcome\"", "\"outcome");
    campaign.wrong(&[RECORD_FILE, "is not a run record"]);
}

#[test]
fn a_run_of_another_schema_is_refused_by_number_and_not_replaced() {
    let campaign = Campaign::complete();
    let said = |number: u32| format!("\"schema_version\": {number}");
    let read = version::RECORD.written;
    let found = read + 1;
    campaign.damage(RECORD_FILE, &said(read), &said(found));
    campaign.wrong(&[&format!("schema version {found}"), &format!("reads {}", version::RECORD)]);
    let told = ["1 run in", "would be replaced", "move", &format!("schema version {found}")];
    campaign.check_table().could_not_run(&told);
    campaign.run_table().could_not_run(&told);
}

#[test]
fn runs_stay_complete_when_a_level_that_is_added_moves_them_in_the_order() {
    let campaign = Campaign::complete();
    for run in &campaign.runs {
        let earlier = RunConfiguration { order: run.order + 5, block: 3, ..run.clone() };
        campaign.write(&record(&earlier, Outcome::Valid));
    }
    campaign.check_table().valid();
}

#[test]
fn a_failed_run_is_a_row_of_the_tidy_tables_but_no_good_run() {
    let campaign = Campaign::complete();
    campaign.write(&record(&campaign.runs[0], failure()));
    campaign.wrong(&["no counts", "Measure", "the other side is gone"]);
    // Their records do not say where the memory was: those of one place, as it was asked, remain.
    let place = &campaign.runs[0].server_region;
    for run in campaign.runs.iter().filter(|run| run.server_region != *place) {
        std::fs::remove_dir_all(path_of(&campaign.raw(), run)).expect("a run");
    }
    let tables = campaign.tables();
    let collected = campaign.collect().valid();
    assert!(collected.stderr.contains("4 runs collected, 1 of them not valid"), "{collected:#?}");
    assert_eq!(collected.stdout.trim_end(), tables.to_str().expect("UTF-8"));
    let checked = onesided([Path::new("check"), &tables.join("runs.csv.gz")]).valid();
    assert!(checked.stdout.contains("4 rows"), "{}", checked.stdout);
}

#[test]
fn runs_are_told_apart_by_what_was_asked_where_nobody_recorded_what_came_of_it() {
    // Local and remote memory, and no record of where the card is.
    let campaign = Campaign::complete();
    campaign.collect().valid();
    let table = TableReader::<RunRow>::open(&campaign.tables().join(RunRow::FILE), Extra::Refused);
    let rows: Vec<_> = table.expect("a table").map(|row| row.expect("a row")).collect();
    assert!(rows.iter().all(|row| row.locality.is_none()), "{rows:?}");
    let keys: BTreeSet<_> = rows.iter().map(RunRow::condition_key).collect();
    let asked: BTreeSet<_> = rows.iter().map(|row| &row.server_region).collect();
    assert_eq!((keys.len() % asked.len(), asked.len()), (0, 2), "{asked:?}");
}

#[test]
fn a_directory_without_a_run_cannot_be_collected() {
    let empty = tempfile::tempdir().expect("a temporary directory");
    let path = empty.path().to_str().expect("UTF-8");
    onesided(["collect", "--raw", path, "--out", "never"])
        .could_not_run(&["there is no run", path])
        .in_one_line();
    onesided(["collect", "--raw", "/nonexistent"]).could_not_run(&["/nonexistent"]);
    assert!(!Path::new("never").exists());
}
