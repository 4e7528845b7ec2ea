use onesided_results::{
    RunConfiguration, RunRecord,
    directory::{Existing, RunDirectory, path_of},
    record::{DoubtRecord, NegotiatedRecord, Outcome, RunTotals},
    series::{LatencyBucket, WindowCount},
    table::{Extra, TableReader},
    version,
    vocabulary::{Phase, Source},
};

use super::*;

const WINDOW_NS: u64 = 10_000_000;

/// A run of 2 queue pairs and 20 windows of 10 ms: 300 and 100 operations in each window.
struct Run {
    record: RunRecord,
    windows: Vec<WindowCount>,
    latency: Vec<LatencyBucket>,
}

impl Run {
    fn new(run_id: &str) -> Self {
        let configuration = RunConfiguration {
            run_id: run_id.to_owned(),
            queue_pairs: 2,
            duration_ms: 200,
            ..RunConfiguration::default()
        };
        let windows = (0..20).flat_map(|window| {
            [(0, 300), (1, 100)].map(|(queue_pair, operations)| WindowCount {
                window,
                start_ns: u64::from(window) * WINDOW_NS,
                queue_pair,
                operations,
            })
        });
        let bucket = |queue_pair, ns, count| LatencyBucket {
            queue_pair,
            lowest_ns: ns,
            highest_ns: ns,
            count,
        };
        Self {
            record: record(configuration),
            windows: windows.collect(),
            latency: vec![bucket(0, 1000, 6000), bucket(1, 1400, 2000)],
        }
    }

    fn write(&self, raw: &Path) -> PathBuf {
        let path = path_of(raw, &self.record.configuration);
        let directory = RunDirectory::create(&path, Existing::Replace).unwrap();
        directory.write_record(&self.record).unwrap();
        directory.write_windows(&self.windows).unwrap();
        directory.write_latency(&self.latency).unwrap();
        directory.commit().unwrap()
    }

    fn read(&self) -> Result<CollectedRun, CollectError> {
        let raw = tempfile::tempdir().unwrap();
        CollectedRun::read(&self.write(raw.path()))
    }
}

fn record(configuration: RunConfiguration) -> RunRecord {
    RunRecord {
        schema_version: version::RECORD.written,
        configuration,
        source: Source::SoftRoce,
        back_end: "verbs".to_owned(),
        started_at: "2020-01-01T00:00:00Z".to_owned(),
        outcome: Outcome::Valid,
        doubts: Vec::new(),
        negotiated: Some(NegotiatedRecord { mtu_bytes: 1024, max_rd_atomic: 4 }),
        client: None,
        further_clients: Vec::new(),
        client_clocks: Vec::new(),
        server: None,
        clock: None,
        phases: Vec::new(),
        totals: Some(RunTotals {
            operations: 8000,
            operations_after_end: 0,
            signaled: 8000,
            completions: 8000,
            messages_sent: None,
            messages_received: None,
            samples: 8000,
            saturated_samples: 0,
            measured_ns: 20 * WINDOW_NS,
            queue_pairs: Vec::new(),
        }),
        verification: Vec::new(),
        simulation: None,
    }
}

fn doubt(name: &str, invalidates: bool) -> DoubtRecord {
    DoubtRecord { doubt: name.to_owned(), invalidates, explanation: String::new() }
}

#[test]
fn a_run_becomes_a_row_of_what_can_be_worked_out_by_hand() {
    let run = Run::new("run").read().unwrap();
    let row = &run.row;
    // 400 operations in each 10 ms.
    assert_eq!(row.throughput_published_ops, Some(40_000.0));
    assert_eq!(row.throughput_ops, Some(40_000.0));
    assert_eq!((row.throughput_low_ops, row.throughput_high_ops), (Some(4e4), Some(4e4)));
    // 3/4 at 1000 ns and 1/4 at 1400 ns: mean 1100, deviation 400 · √(3/16).
    assert_eq!(row.latency_mean_ns, Some(1100.0));
    assert!((row.latency_sd_ns.unwrap() - 400.0 * (3.0_f64 / 16.0).sqrt()).abs() < 1e-9);
    assert_eq!((row.latency_p50_ns, row.latency_p99_ns), (Some(1000), Some(1400)));
    assert_eq!((row.operations, row.samples), (Some(8000), Some(8000)));
    assert_eq!((row.mtu_bytes, row.max_rd_atomic), (Some(1024), Some(4)));
    assert!(row.valid && row.doubts.is_empty());
    assert_eq!((row.locality, row.nic.as_ref()), (None, None));
}

#[test]
fn a_run_whose_messages_were_counted_says_how_many_arrived() {
    let messages = |run: &Run| {
        let row = run.read().unwrap().row;
        (row.messages_sent, row.messages_received)
    };
    let mut run = Run::new("run");
    assert_eq!(messages(&run), (None, None), "nobody counted: not 0");
    let totals = run.record.totals.as_mut().unwrap();
    (totals.messages_sent, totals.messages_received) = (Some(9000), Some(7200));
    assert_eq!(messages(&run), (Some(9000), Some(7200)));
    run.record.totals.as_mut().unwrap().messages_received = Some(0);
    assert_eq!(messages(&run), (Some(9000), Some(0)), "none arrived");
    // As records have it that are older than the count of what was sent.
    run.record.totals.as_mut().unwrap().messages_sent = None;
    assert_eq!(messages(&run), (None, Some(0)));
    run.record.outcome = Outcome::Failed { phase: Phase::Verify, message: "gone".to_owned() };
    assert_eq!(messages(&run), (None, None), "what a failed run counted is not all");
}

#[test]
fn each_queue_pair_has_a_row_of_its_own() {
    let run = Run::new("run").read().unwrap();
    let clients: Vec<_> = run
        .clients
        .iter()
        .map(|c| (c.queue_pair, c.operations, c.samples, c.latency_mean_ns, c.latency_p1_ns))
        .collect();
    assert_eq!(
        clients,
        [
            (0, 6000, Some(6000), Some(1000.0), Some(1000)),
            (1, 2000, Some(2000), Some(1400.0), Some(1400)),
        ]
    );
    assert_eq!((run.windows().count(), run.latency().count()), (40, 2));
}

#[test]
fn windows_beyond_the_measured_time_are_not_in_the_robust_estimate() {
    let mut run = Run::new("run");
    // 15.5 windows were measured: the last complete one is the 15th.
    run.record.totals.as_mut().unwrap().measured_ns = 15 * WINDOW_NS + WINDOW_NS / 2;
    for count in run.windows.iter_mut().filter(|count| count.window >= 15) {
        count.operations = 0;
    }
    run.record.totals.as_mut().unwrap().operations = 15 * 400;
    assert_eq!(run.read().unwrap().row.throughput_ops, Some(40_000.0));
}

#[test]
fn a_queue_pair_that_has_done_its_operations_is_not_idle() {
    let mut run = Run::new("run");
    run.record.configuration.operations_per_queue_pair = Some(2000);
    // The faster one needs 6 windows and a bit.
    let faster = [300, 300, 300, 300, 300, 300, 200];
    let counts = run.windows.iter_mut().filter(|count| count.queue_pair == 0);
    for count in counts {
        count.operations = faster.get(count.window as usize).copied().unwrap_or(0);
    }
    run.record.totals.as_mut().unwrap().operations = 4000;
    let row = run.read().unwrap().row;
    assert_eq!(row.throughput_ops, Some(40_000.0));
    // 2000 / 7 + 100 a window: the study's estimator counts the last, partial one as whole.
    let published = (2000.0 / 7.0 + 100.0) * 100.0;
    assert!((row.throughput_published_ops.unwrap() - published).abs() < 1e-6);
}

#[test]
fn doubts_are_listed_and_an_invalid_run_keeps_its_numbers_marked() {
    let mut run = Run::new("run");
    run.record.outcome = Outcome::Invalid;
    run.record.doubts = vec![doubt("misplaced-pages", true), doubt("turbo-on", false)];
    let row = run.read().unwrap().row;
    assert!(!row.valid && row.throughput_ops.is_some());
    assert_eq!(row.doubts, "misplaced-pages turbo-on");
    run.record.outcome = Outcome::Doubtful;
    assert!(run.read().unwrap().row.valid);
}

#[test]
fn a_failed_run_is_a_row_without_estimates() {
    let raw = tempfile::tempdir().unwrap();
    let mut run = Run::new("run");
    run.record.outcome = Outcome::Failed { phase: Phase::SetUp, message: "no device".to_owned() };
    (run.record.totals, run.record.negotiated) = (None, None);
    let directory = run.write(raw.path());
    fs::remove_file(directory.join(WindowCount::FILE)).unwrap();
    let run = CollectedRun::read(&directory).unwrap();
    assert_eq!((run.row.throughput_ops, run.row.operations, run.row.samples), (None, None, None));
    assert!(!run.row.valid && run.clients.is_empty());
    assert_eq!(run.row.doubts, "failed-in-set-up");
}

#[test]
fn a_run_whose_files_disagree_is_refused() {
    let mut run = Run::new("run");
    run.windows[7].operations += 1;
    let message = run.read().err().unwrap().to_string();
    assert!(message.contains("windows.csv: 8001 operations, but run.json beside it says 8000"));

    let mut run = Run::new("run");
    run.latency[0].count -= 1;
    let error = run.read().err().unwrap();
    assert!(matches!(error, CollectError::CountsDisagree { what: "latencies", .. }), "{error}");

    let mut run = Run::new("run");
    run.latency[0].queue_pair = 2;
    let error = run.read().err().unwrap();
    assert!(matches!(error, CollectError::UnknownQueuePair { queue_pair: 2, .. }), "{error}");

    let mut run = Run::new("run");
    run.windows.remove(3);
    let error = run.read().err().unwrap();
    assert!(matches!(error, CollectError::Windows { .. }), "{error}");
}

#[test]
fn a_run_that_ended_but_lacks_a_table_is_refused() {
    let raw = tempfile::tempdir().unwrap();
    let directory = Run::new("run").write(raw.path());
    fs::remove_file(directory.join(LatencyBucket::FILE)).unwrap();
    let error = CollectedRun::read(&directory).err().unwrap();
    assert!(error.to_string().ends_with("latency.csv"), "{error}");
}

#[test]
fn all_runs_of_a_folder_become_the_same_four_tables_every_time() {
    let raw = tempfile::tempdir().unwrap();
    for run_id in ["b", "a"] {
        Run::new(run_id).write(raw.path());
    }
    for unfinished in ["c.partial", "a.replaced"] {
        let run = Run::new("c").write(raw.path());
        fs::rename(&run, run.with_file_name(unfinished)).unwrap();
    }
    let tables = || {
        let out = tempfile::tempdir().unwrap();
        let mut collector = Collector::create(out.path()).unwrap();
        for directory in run_directories(raw.path()).unwrap() {
            collector.add(&directory).unwrap();
        }
        assert_eq!(collector.finish().unwrap(), 2);
        let reader = TableReader::<RunRow>::open(&out.path().join("runs.csv.gz"), Extra::Refused);
        let runs: Vec<_> = reader.unwrap().map(|row| row.unwrap().run_id).collect();
        assert_eq!(runs, ["a", "b"]);
        let reader =
            TableReader::<WindowRow>::open(&out.path().join("windows.csv.gz"), Extra::Refused);
        assert_eq!(reader.unwrap().map(Result::unwrap).count(), 80);
        ["runs", "clients", "windows", "latency"]
            .map(|name| fs::read(out.path().join(format!("{name}.csv.gz"))).unwrap())
    };
    assert_eq!(tables(), tables());
}

#[test]
fn tables_appear_only_when_they_are_finished() {
    let (raw, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut collector = Collector::create(out.path()).unwrap();
    collector.add(&Run::new("run").write(raw.path())).unwrap();
    drop(collector);
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 0);
}

#[test]
fn the_same_run_from_two_folders_is_refused_with_both() {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let out = tempfile::tempdir().unwrap();
    let mut collector = Collector::create(out.path()).unwrap();
    collector.add(&Run::new("run").write(folders[0].path())).unwrap();
    let error = collector.add(&Run::new("run").write(folders[1].path())).unwrap_err();
    assert!(matches!(error, CollectError::SameRunTwice { .. }), "{error}");
    let message = error.to_string();
    assert!(folders.iter().all(|f| message.contains(&f.path().display().to_string())), "{message}");
}

#[test]
fn what_was_set_parts_runs_and_what_was_negotiated_instead_of_asked() {
    let key = |change: fn(&mut RunConfiguration)| {
        let mut run = Run::new("run");
        change(&mut run.record.configuration);
        run.read().unwrap().row.condition_key()
    };
    let plain = key(|_| {});
    assert_eq!(key(|c| (c.replicate, c.seed, c.block, c.order) = (2, 7, 3, 9)), plain);
    // Both sides agreed on 4.
    assert_eq!(key(|c| c.max_rd_atomic = 8), plain);
    assert_ne!(key(|c| c.access_bytes = 64), plain);
    assert_ne!(key(|c| c.timeout_exponent = 15), plain);
    assert_ne!(key(|c| c.think_time_ns = 1000), plain);
    assert_ne!(key(|c| c.server_region = "any".to_owned()), plain);
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let error = run_directories(Path::new("/nonexistent/raw")).unwrap_err();
    assert_eq!(error.to_string(), "cannot look into /nonexistent/raw");
}
