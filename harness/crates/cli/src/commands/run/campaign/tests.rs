//! Campaigns on the back end `reference-in-process`, server and client in this process.

use std::{io::PipeWriter, sync::Arc, thread, time::Duration};

use onesided_conformance::reference::{Defect, Fabric, ReferenceTransport};
use onesided_control::{Listener, Settings, Token, WhenRefused, connect};
use onesided_placement::{DeviceLocality, NodeId};
use onesided_results::RunRecord;
use onesided_results::directory::RECORD_FILE;
use onesided_runner::{Harness, Pool, serve_session};

use super::*;

/// Ours: far more than a connection within a process takes.
const SURELY: Duration = Duration::from_secs(20);

fn site(device: &ReferenceTransport) -> Site<'_, ReferenceTransport> {
    let locality = DeviceLocality::given("reference0", NodeId(0));
    let harness = Harness { version: "0".to_owned(), revision: None, library: None };
    Site::around(device, locality, harness).unwrap()
}

/// Plays `runs` over `fabric`, with their lines on `stdout` and their results in `out`.
fn play(
    fabric: Fabric,
    runs: &[RunConfiguration],
    stdout: impl Write,
    out: &Path,
) -> anyhow::Result<Ending> {
    let fabric = Arc::new(fabric);
    let (client, server) = (ReferenceTransport::open(&fabric), ReferenceTransport::open(&fabric));
    let (token, settings) = (Token::generate().unwrap(), Settings::default());
    let listener = Listener::bind("127.0.0.1:0", token.clone(), settings.clone()).unwrap();
    let address = listener.local_address().to_string();
    let client = site(&client);
    thread::scope(|scope| {
        scope.spawn(|| {
            let channel = listener.accept().unwrap().authenticate().unwrap();
            let alone = Pool::new(Duration::ZERO);
            serve_session(&site(&server), &alone, channel, &|_| ()).unwrap();
        });
        let channel = connect(&address, &token, SURELY, WhenRefused::Fail, &settings).unwrap();
        let campaign = Campaign {
            site: &client,
            channel: &channel,
            source: Source::Emulated,
            out,
            server: &address,
        };
        let mut progress = Progress::of(runs.len() as u64);
        campaign.run(runs, &mut Lines::on(stdout), &mut progress)
    })
}

/// Ends with its operations, so that it is valid however busy the machine is.
fn run_named(run_id: &str) -> RunConfiguration {
    RunConfiguration {
        run_id: run_id.to_owned(),
        // Defects show after a thousand.
        operations_per_queue_pair: Some(3000),
        warm_up_ms: 0,
        duration_ms: 60_000,
        window_ms: 1000,
        server_region: "any".to_owned(),
        ..RunConfiguration::default()
    }
}

fn record(out: &Path, run: &RunConfiguration) -> RunRecord {
    RunRecord::read(&path_of(out, run).join(RECORD_FILE)).unwrap()
}

/// A pipe whose reader is gone.
fn closed() -> PipeWriter {
    std::io::pipe().unwrap().1
}

#[test]
fn every_run_is_kept_and_has_its_line() {
    let out = tempfile::tempdir().unwrap();
    let runs = ["a", "b"].map(run_named);
    let mut lines = Vec::new();
    assert_eq!(play(Fabric::right(), &runs, &mut lines, out.path()).unwrap(), Ending::Valid);
    let lines = String::from_utf8(lines).unwrap();
    assert_eq!(lines.lines().count(), 3, "{lines}");
    for run in &runs {
        assert!(lines.contains(&format!("\n{},", run.run_id)), "{lines}");
        assert!(is_complete(out.path(), run));
    }
}

#[test]
fn when_nobody_reads_the_lines_the_runs_go_on_and_are_kept() {
    let out = tempfile::tempdir().unwrap();
    let runs = ["a", "b", "c"].map(run_named);
    assert_eq!(play(Fabric::right(), &runs, closed(), out.path()).unwrap(), Ending::Valid);
    assert!(runs.iter().all(|run| is_complete(out.path(), run)));
}

#[test]
fn that_nobody_reads_the_lines_does_not_hide_a_run_that_failed() {
    let out = tempfile::tempdir().unwrap();
    let runs = ["a", "b"].map(run_named);
    let ended = play(Fabric::wrong(Defect::GivesAStaleId), &runs, closed(), out.path());
    assert_eq!(ended.unwrap(), Ending::CheckFailed);
    for run in &runs {
        assert!(matches!(record(out.path(), run).outcome, Outcome::Failed { .. }));
    }
}

#[test]
fn a_valid_run_is_kept_when_doing_it_again_fails_and_replaced_when_it_does_not() {
    let out = tempfile::tempdir().unwrap();
    let runs = [run_named("a")];
    let started = || record(out.path(), &runs[0]).started_at;
    let play = |fabric| {
        // So that no two records begin at the same millisecond.
        thread::sleep(Duration::from_millis(2));
        play(fabric, &runs, std::io::sink(), out.path()).unwrap()
    };
    assert_eq!(play(Fabric::right()), Ending::Valid);
    let first = started();
    assert_eq!(play(Fabric::wrong(Defect::GivesAStaleId)), Ending::CouldNotRun);
    assert_eq!(started(), first);
    assert!(is_complete(out.path(), &runs[0]));
    assert_eq!(play(Fabric::right()), Ending::Valid);
    assert!(started() > first);
}

#[test]
fn a_failed_run_is_replaced_by_whatever_comes_of_doing_it_again() {
    let out = tempfile::tempdir().unwrap();
    let runs = [run_named("a")];
    let play = |fabric| play(fabric, &runs, std::io::sink(), out.path()).unwrap();
    assert_eq!(play(Fabric::wrong(Defect::GivesAStaleId)), Ending::CouldNotRun);
    assert_eq!(play(Fabric::right()), Ending::Valid);
    assert!(is_complete(out.path(), &runs[0]));
}
