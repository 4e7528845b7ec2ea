//! Time that is taken from a run is told: by the real program, with a cause that the test makes.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use onesided_placement::{CpuSet, cpus_of_current_thread, pin_current_thread};
use onesided_results::{
    RunRecord,
    directory::RECORD_FILE,
    record::DoubtRecord,
    vocabulary::{Moment, ThreadRole},
};

use crate::program::{AT_MOST, Ended, Place, ended, ending, send_signal};

fn record(place: &Place) -> RunRecord {
    record_of(place, "it")
}

fn record_of(place: &Place, name: &str) -> RunRecord {
    let run = place.path().join("raw/here/ad-hoc").join(name);
    RunRecord::read(&run.join(RECORD_FILE)).expect("a record")
}

fn find<'r>(record: &'r RunRecord, word: &str) -> Option<&'r DoubtRecord> {
    record.doubts.iter().find(|doubt| doubt.doubt == word)
}

/// Whatever is started meanwhile runs on the first CPU only, and so does this thread.
fn on_one_cpu<R: Send>(body: impl FnOnce(&CpuSet) -> R + Send) -> R {
    let cpu = CpuSet::of(cpus_of_current_thread().expect("it has CPUs").first());
    thread::scope(|scope| {
        let pinned = scope.spawn(|| {
            pin_current_thread(&cpu).expect("it may run there");
            body(&cpu)
        });
        pinned.join().expect("what was tried")
    })
}

#[test]
fn a_server_that_is_stopped_makes_the_run_invalid_and_the_operation_that_hung_is_counted() {
    let place = Place::new();
    let server = place.serve("--device-node 0");
    let arguments = "--device-node 0 --warm-up 100ms --duration 3s --operation read";
    let client = place.client(&server, arguments).spawn().expect("the program starts");
    thread::sleep(Duration::from_secs(1));
    server.signal("-STOP");
    // It is the last second or so: the run ends while it hangs, or just after.
    thread::sleep(Duration::from_millis(2_500));
    server.signal("-CONT");
    let client = ending(client);
    assert_eq!(client.status, Some(1), "{client:#?}");
    assert!(client.stderr.contains("INVALID (standstill)"), "{}", client.stderr);
    let record = record(&place);
    let totals = record.totals.expect("it measured");
    let longest = totals.queue_pairs.iter().filter_map(|pair| pair.latency_max_ns).max();
    assert!(longest > Some(2_000_000_000), "{longest:?}");
    let activity = record.client.expect("its side").threads[0].activity.clone();
    let activity = activity.expect("a client's thread looks at itself");
    assert!(activity.longest_gap_ns > Some(2_000_000_000), "{activity:?}");
}

#[test]
fn who_is_stopped_until_after_the_end_did_not_look_in_the_middle_and_says_so() {
    let place = Place::new();
    // Its requests are so seldom that none hangs.
    let arguments = "--device-node 0 --client-buffers node:0 --warm-up 100ms --duration 1500ms \
                     --loop open --rate 0.1";
    for of_client in [false, true] {
        let mut tries = 5;
        // On a busy host the run may begin only after that: it is tried again.
        loop {
            let server = place.serve("--device-node 0");
            let name = format!("of-client-{of_client}-{tries}");
            let mut command = place.client_named(&name, &server, arguments);
            let client = command.spawn().expect("the program starts");
            let stopped = if of_client { client.id() } else { server.process() };
            thread::sleep(Duration::from_millis(400));
            send_signal("-STOP", stopped);
            thread::sleep(Duration::from_millis(2_500));
            send_signal("-CONT", stopped);
            let client = ending(client);
            assert!(matches!(client.status, Some(0 | 1)), "{client:#?}");
            let record = record_of(&place, &name);
            let (side, proofs) = match of_client {
                true => ("client", &record.client),
                false => ("server", &record.server),
            };
            let proofs = &proofs.as_ref().expect("both sides are known").placement;
            let looked = proofs.iter().any(|proof| proof.when == Moment::During);
            let came_late = format!("the {side} came too late");
            let told = |doubt: &DoubtRecord| {
                doubt.doubt == "not-proven-during" && doubt.explanation.contains(&came_late)
            };
            assert_eq!(looked, !record.doubts.iter().any(told), "{:?}: {proofs:?}", record.doubts);
            if !looked {
                break;
            }
            tries -= 1;
            assert!(tries > 0, "the {side} was never stopped in the middle");
        }
    }
}

#[test]
fn a_server_and_a_client_on_one_cpu_are_told_of_both() {
    let place = Place::new();
    let run = on_one_cpu(|_| {
        let server = place.serve("");
        let arguments = "--warm-up 50ms --duration 500ms --operation read";
        ended(&mut place.client(&server, arguments))
    });
    assert!(matches!(run.status, Some(0 | 1)), "{run:#?}");
    let record = record(&place);
    let told = find(&record, "oversubscribed").expect("three threads spin on a CPU");
    assert!(told.explanation.contains("client and server, on one machine,"), "{told:?}");
    let waited = find(&record, "preempted");
    let slept = find(&record, "responder-slept");
    assert!(waited.or(slept).is_some(), "they take turns: {:?}", record.doubts);
}

#[test]
fn a_neighbour_that_wants_the_clients_cpu_is_told() {
    let place = Place::new();
    let server = place.serve("");
    let stop = AtomicBool::new(false);
    let run = on_one_cpu(|cpu| {
        thread::scope(|scope| {
            scope.spawn(|| {
                pin_current_thread(cpu).expect("it may run there");
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
            let arguments = "--warm-up 50ms --duration 600ms --operation read";
            let run = ended(&mut place.client(&server, arguments));
            stop.store(true, Ordering::Relaxed);
            run
        })
    });
    assert!(matches!(run.status, Some(0 | 1)), "{run:#?}");
    let record = record(&place);
    let told = record.doubts.iter().find(|doubt| {
        doubt.doubt == "preempted" && doubt.explanation.starts_with("client thread 0 of the client")
    });
    assert!(told.is_some(), "{:?}", record.doubts);
    let activity = record.client.expect("its side").threads[0].activity.clone();
    assert!(activity.expect("it looks at itself").preemptions > 0);
}

#[test]
fn workers_that_share_a_cpu_say_how_long_they_waited_for_it() {
    let place = Place::new();
    let run = on_one_cpu(|_| {
        let server = place.serve("");
        let workers = "--workers 2 --worker-operation read";
        let times = "--warm-up 50ms --duration 600ms --operation read";
        ended(&mut place.client(&server, &format!("{workers} {times}")))
    });
    assert!(matches!(run.status, Some(0 | 1)), "{run:#?}");
    let record = record(&place);
    let threads = &record.server.as_ref().expect("its side").threads;
    let workers: Vec<_> = threads.iter().filter(|t| t.role == ThreadRole::Worker).collect();
    assert_eq!(workers.len(), 2);
    for worker in workers {
        let activity = worker.activity.as_ref().expect("a worker looks at itself");
        assert!(activity.elapsed_ns >= 600_000_000, "{activity:?}");
        assert!(activity.ran_ns > 0 && activity.ran_ns < activity.elapsed_ns, "{activity:?}");
        // A kernel that keeps no such times says so; then there is nothing to judge by.
        assert!(activity.waited_ns.is_some() != activity.waited_note.is_some(), "{activity:?}");
        if let Some(waited_ns) = activity.waited_ns {
            assert!(waited_ns >= activity.elapsed_ns / 5, "{activity:?}");
            let told = record.doubts.iter().any(|doubt| {
                doubt.doubt == "preempted" && doubt.explanation.starts_with("worker thread")
            });
            assert!(told, "{:?}", record.doubts);
        }
    }
}

#[test]
fn a_second_measurement_on_a_host_waits_for_the_first() {
    let place = Place::new();
    let server = place.serve("");
    let times = "--warm-up 20ms --duration 1500ms --operation read";
    let first = place.client_named("first", &server, times).spawn().expect("the program starts");
    let record_of = |run_id: &str| {
        let folder = place.path().join("raw/here/ad-hoc").join(run_id);
        RunRecord::read(&folder.join(RECORD_FILE)).expect("a record")
    };
    // Until the first has the host.
    while !place.path().join("host.lock").exists() {
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(100));
    let second = ended(&mut place.client_named("second", &server, times));
    let first = ending(first);
    // A busy host may leave either without a CPU.
    for run in [&first, &second] {
        assert!(matches!(run.status, Some(0 | 1)), "{run:#?}");
    }
    let waited = "waits until this host is free; it is being measured on by onesided run, process";
    assert!(second.stderr.contains(waited), "{}", second.stderr);
    for run_id in ["first", "second"] {
        let record = record_of(run_id);
        assert!(find(&record, "another-measurement").is_none(), "{:?}", record.doubts);
    }
    let began = |run_id: &str| record_of(run_id).started_at;
    let earliest = humantime::parse_rfc3339(&began("first")).expect("a time");
    let later = humantime::parse_rfc3339(&began("second")).expect("a time");
    let apart = later.duration_since(earliest).expect("one after the other");
    assert!(apart > Duration::from_millis(1_500), "{apart:?}");
}

/// Whoever measures the fabric's reads beside a run says so of each row; who waits does not.
#[test]
fn rows_of_a_fabric_that_was_measured_beside_a_run_are_marked() {
    let reads = |place: &Place, beside: &[&str]| {
        let mut command = place.plain();
        command.args([
            "fabric",
            "reads",
            "--ways",
            "packets",
            "--replicates",
            "1",
            "--duration",
            "1ms",
        ]);
        command.args(beside).args(["--json", "--fabric"]).arg(place.path().join("fabric"));
        ended(&mut command)
    };
    let place = Place::new();
    let server = place.serve("");
    let run = place.client(&server, "--duration 60s --operation read").spawn().expect("starts");
    let start = Instant::now();
    while !place.path().join("host.lock").exists() {
        assert!(start.elapsed() < AT_MOST, "the run takes no lock");
        thread::sleep(Duration::from_millis(5));
    }
    let beside = reads(&place, &["--beside"]);
    send_signal("-TERM", run.id());
    ending(run);
    let alone = reads(&place, &[]);
    let marked = |ended: &Ended| {
        assert!(matches!(ended.status, Some(0 | 1)), "{ended:#?}");
        let rows = ended.stdout.matches("\"core_round_trip_ns\"").count();
        assert!(rows > 0, "{ended:#?}");
        (ended.stdout.matches("another-measurement").count(), rows)
    };
    let (some, rows) = marked(&beside);
    assert_eq!(some, rows, "{beside:#?}");
    assert!(beside.stderr.contains("rows are marked another-measurement"), "{}", beside.stderr);
    assert_eq!(marked(&alone).0, 0, "{alone:#?}");
}

#[test]
fn measurements_beside_each_other_are_both_marked() {
    let place = Place::new();
    let server = place.serve("");
    let times = "--warm-up 20ms --duration 2s --operation read";
    let first = place.client_named("it", &server, times).spawn().expect("the program starts");
    while !place.path().join("host.lock").exists() {
        thread::sleep(Duration::from_millis(5));
    }
    thread::sleep(Duration::from_millis(200));
    let short = "--warm-up 20ms --duration 100ms --operation read --beside";
    let second = ended(&mut place.client_named("second", &server, short));
    let first = ending(first);
    assert!(matches!(second.status, Some(0 | 1)), "{second:#?}");
    assert!(second.stderr.contains("doubt (another-measurement): "), "{}", second.stderr);
    assert!(matches!(first.status, Some(0 | 1)), "{first:#?}");
    let record = record(&place);
    let told =
        find(&record, "another-measurement").unwrap_or_else(|| panic!("{:?}", record.doubts));
    assert!(told.explanation.contains("somebody who measured beside others"), "{told:?}");
}
