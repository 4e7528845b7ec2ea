//! Runs that come to their end, and what they leave.

use std::fs;

use onesided_results::{
    RunRecord,
    directory::RECORD_FILE,
    record::{CounterRecord, PlacementProof},
    row::RunRow,
    table::{Row as _, read_rows},
    vocabulary::{PlacementMethod, ReceiveQueues, Service, Source},
};

use crate::program::{Place, Server, ended, is_starved, was_served};

/// Where the only run of a place is.
const RUN: &str = "raw/here/ad-hoc/it";

/// The record of a place's only run.
pub fn record(place: &Place) -> RunRecord {
    let folder = place.path().join(RUN);
    RunRecord::read(&folder.join(RECORD_FILE)).expect("a record")
}

/// Does a run, checks it with the program, and returns its record.
#[track_caller]
fn valid(place: &Place, server: &Server, arguments: &str) -> RunRecord {
    valid_where(place, server, arguments, |_| true)
}

/// The same, done again where a valid run is not as `had_its_turns` asks: a busy host can leave one
/// thread without a CPU for as long as the others measure. Each time for twice as long, as what is asked for
/// may need more turns than such a host gives in the first.
#[track_caller]
pub fn valid_where(
    place: &Place,
    server: &Server,
    arguments: &str,
    had_its_turns: impl Fn(&RunRecord) -> bool,
) -> RunRecord {
    let for_ms = |duration: u32| {
        let times = format!("--warm-up {}ms --duration {duration}ms", duration / 5);
        ended(&mut place.client(server, &format!("{times} {arguments}")))
    };
    let mut run = for_ms(100);
    for longer in [200, 400, 800, 1600] {
        // The server's thread posts the receives: it got no CPU for as long as all of them last. Or the server
        // got none for as long as a handshake may take.
        let no_cpu = ["the peer had no receive request posted", "no server's verdict within"];
        let server_starved =
            run.status == Some(2) && no_cpu.iter().any(|words| run.stderr.contains(words));
        let one_thread_starved = run.status == Some(0) && !had_its_turns(&record(place));
        if !is_starved(&run) && !server_starved && !one_thread_starved {
            break;
        }
        println!("REPEATED a run of {arguments}: a busy host gave one side no CPU");
        if one_thread_starved {
            // A valid run is never replaced.
            fs::remove_dir_all(place.path().join(RUN)).expect("the run's directory");
        }
        run = for_ms(longer);
    }
    assert_eq!(run.status, Some(0), "{arguments}: {run:#?}");
    let check = place.check(&place.path().join(RUN));
    assert_eq!(check.status, Some(0), "{arguments}: {check:#?}");
    record(place)
}

#[test]
fn every_operation_and_loop_gives_a_valid_run_that_is_called_emulated() {
    let place = Place::new();
    let server = place.serve("");
    for arguments in [
        "--operation read --access 64",
        "--operation write --queue-pairs 2 --access 4096",
        "--operation write --access 64 --inline 64 --signal-every 8 --loop saturating",
        "--operation read --access 1024 --loop saturating --window 64 --post-list 4",
        "--operation mixed --write-fraction 0.5 --loop open --rate 1000",
        "--operation read --access 64KiB --loop saturating --window 128 --slot-reuse outstanding",
        "--operation write --access 4096 --queue-pairs 2 --loop saturating --window 8 \
         --slot-reuse outstanding",
        "--operation compare-and-swap --queue-pairs 2",
        "--operation fetch-and-add --loop saturating",
        "--operation read --loop batch --window 16 --post-list 4 --queue-pairs 2",
        "--operation write --loop batch --window 12 --post-list 5 --signal-every 6",
        "--operation write-with-immediate --queue-pairs 2",
        "--operation send --queue-pairs 2",
        "--operation send --access 4096 --loop saturating --window 8 --post-list 4",
        "--operation send --access 64 --inline 64 --signal-every 8 --loop saturating",
        "--operation send --access 100KiB --queue-pairs 3 --threads 2",
        "--operation write --service uc --loop saturating --window 8 --post-list 4 --signal-every 8",
        "--operation write-with-immediate --service uc --queue-pairs 2",
        "--operation send --service uc --queue-pairs 2",
        "--operation send --service uc --access 100KiB --queue-pairs 3 --threads 2",
        "--operation send --service ud --queue-pairs 2",
        "--operation send --service ud --access 0 --queue-pairs 2 --signal-every 8 --loop saturating",
        "--operation send --service uc --access 0 --inline 0",
        "--operation send --access 0 --loop saturating --window 8 --post-list 4",
        "--operation send --service ud --access 1024 --loop saturating --window 8 --post-list 4",
        "--operation send --service ud --access 64 --inline 64 --signal-every 8 --loop saturating",
        "--operation send --receive-queues shared --queue-pairs 4 --loop saturating --window 8 --post-list 4",
        "--operation write-with-immediate --receive-queues shared --queue-pairs 2",
        "--operation write --loop ping-pong",
        "--operation write --service uc --loop ping-pong",
        "--operation send --service uc --loop ping-pong --access 5000",
        "--operation send --service ud --loop ping-pong --queue-pairs 2 --threads 2",
        "--operation send --loop ping-pong --queue-pairs 2 --threads 2",
        "--operation write-with-immediate --loop ping-pong --access 5000",
        "--operation send --receive-queues shared --loop ping-pong --queue-pairs 2 --threads 2",
        "--operation write-answered-by-send --receive-queues shared --loop ping-pong",
    ] {
        let record = valid(&place, &server, arguments);
        assert_eq!(record.source, Source::Emulated);
        assert_eq!(record.back_end, "rmc");
        let totals = record.totals.expect("it measured");
        assert!(totals.operations > 0, "{arguments}: {totals:?}");
        let device = record.server.and_then(|side| side.device).expect("a device");
        assert_eq!((device.link_layer.as_str(), device.fabric_hop_ns), ("none", Some(0)));
        assert_eq!(device.atomic_capability.as_deref(), Some("global"));
        let all = &[
            Service::ReliableConnection,
            Service::UnreliableConnection,
            Service::UnreliableDatagram,
        ][..];
        assert_eq!((&device.services[..], &device.shared_receives[..]), (all, all));
    }
}

/// Whether each of its queue pairs completed something while it measured.
fn all_took_part(record: &RunRecord) -> bool {
    let totals = record.totals.as_ref().expect("it measured");
    totals.queue_pairs.iter().all(|each| each.operations > 0)
}

#[test]
fn queue_pairs_that_share_a_receive_queue_get_all_messages_of_each_service() {
    let place = Place::new();
    let server = place.serve("");
    for service in ["rc", "uc", "ud"] {
        let shared = "--operation send --receive-queues shared --queue-pairs 3 --threads 2";
        // Far fewer under way than the queue has requests, so that none is lost while the server has a CPU.
        let asked = format!("{shared} --service {service} --think-time 1ms");
        let record = valid_where(&place, &server, &asked, all_took_part);
        assert_eq!(record.configuration.receive_queues, ReceiveQueues::Shared);
        assert!(all_took_part(&record), "{:?}", record.totals);
        let totals = record.totals.expect("it measured");
        let by_queue_pair = totals.queue_pairs.iter().map(|each| each.operations);
        assert_eq!(by_queue_pair.sum::<u64>(), totals.operations);
        assert_eq!(totals.messages_received, Some(totals.completions), "{service}: {totals:?}");
        assert!(record.verification.iter().all(|found| found.mismatched == 0), "{service}");
    }
}

/// The row of the only run of a place, collected by the program.
fn collected(place: &Place) -> RunRow {
    let (raw, tables) = (place.path().join("raw"), place.path().join("tables"));
    let mut collect = place.plain();
    let done = ended(collect.arg("collect").arg("--raw").arg(raw).arg("--out").arg(&tables));
    assert_eq!(done.status, Some(0), "{done:#?}");
    let rows = read_rows(&tables.join(RunRow::FILE)).expect("a table of runs");
    rows.into_iter().next().expect("a run")
}

#[test]
fn tables_say_how_many_messages_arrived_and_nothing_of_runs_without_any() {
    for (arguments, are_counted) in [
        ("--operation send --service ud --think-time 1ms", true),
        ("--operation send --service rc --think-time 1ms", false),
        ("--operation write --service uc", false),
        ("--operation read", false),
    ] {
        let place = Place::new();
        let server = place.serve("");
        let totals = valid(&place, &server, arguments).totals.expect("it measured");
        let row = collected(&place);
        assert_eq!(row.messages_sent, are_counted.then_some(totals.completions), "{arguments}");
        assert_eq!(row.messages_received, row.messages_sent, "{arguments}");
    }
}

#[test]
fn a_shared_receive_queue_that_would_be_too_long_is_refused_before_anything_is_taken() {
    let place = Place::new();
    let server = place.serve("");
    let counts = "--queue-pairs 65 --window 256 --send-queue-depth 256 --loop saturating";
    let asked = format!("--operation send --receive-queues shared {counts}");
    let run = ended(&mut place.client(&server, &asked));
    assert_eq!(run.status, Some(2), "{run:#?}");
    let due = "receive_queues (--receive-queues) = shared: 65 queue pairs of a thread (--queue-pairs, --threads) \
               with window = 256 (--window) need shared receive queue depth 33280; allowed: at most 32768";
    assert!(run.stderr.contains(due), "{}", run.stderr);
    // In queues of their own there is room for as many.
    valid(&place, &server, &format!("--operation send {counts}"));
}

#[test]
fn an_emulated_delay_is_kept_and_is_in_the_record() {
    let place = Place::new();
    let server = place.serve("--hop-delay 200us");
    let record = valid(&place, &server, "--operation read --hop-delay 200us");
    let device = record.client.and_then(|side| side.device).expect("a device");
    assert_eq!(device.fabric_hop_ns, Some(200_000));
    let totals = record.totals.expect("it measured");
    // Two hops an operation, one at a time: at most 250 in 100 ms.
    assert!(totals.operations <= 251, "{totals:?}");
}

#[test]
fn a_delay_that_a_profile_states_is_in_the_record() {
    let place = Place::new();
    let profile = place.path().join("profiles/slow");
    std::fs::create_dir_all(&profile).expect("a folder");
    let text = "[profile]\nname = \"slow\"\ntitle = \"t\"\nkind = \"published\"\nsource = \"s\"\n\
                [[host]]\nlogical_cpus = 1\n[network]\nlatency_ns = 2500\n";
    std::fs::write(profile.join("machine.toml"), text).expect("a profile");
    let server = place.serve("--hop-delay 2500ns");
    let times = "--warm-up 20ms --duration 100ms --operation read --hop-delay-of slow";
    let run = ended(place.client(&server, times).current_dir(place.path()));
    assert!(was_served(&run), "{run:#?}");
    let device = record(&place).client.and_then(|side| side.device).expect("a device");
    assert_eq!(device.fabric_hop_ns, Some(2_500));
}

#[test]
fn rings_that_no_run_can_place_are_told_once_and_are_no_doubt_of_a_run() {
    let place = Place::new();
    let server = place.serve("--device-node 0");
    let arguments = "--warm-up 20ms --duration 100ms --client-rings node:0 --server-rings node:0";
    let run = ended(&mut place.client(&server, &format!("--device-node 0 {arguments}")));
    assert!(matches!(run.status, Some(0 | 1)), "{run:#?}");
    let told =
        "where the rings of rmc1 are is not available, because they are in the shared memory";
    assert_eq!(run.stderr.matches(told).count(), 1, "{}", run.stderr);
    let record = record(&place);
    assert!(
        record.doubts.iter().all(|doubt| doubt.doubt != "pages-unproven"),
        "{:?}",
        record.doubts
    );
    for side in [record.client, record.server].map(|side| side.expect("both ends are known")) {
        let looked = |proof: &&PlacementProof| proof.method != PlacementMethod::Fabric;
        let rings = side.placement.len() - side.placement.iter().filter(looked).count();
        // Who had no CPU in the middle of the run says that it did not look there.
        let missed = record.doubts.iter().any(|doubt| doubt.doubt == "not-proven-during");
        let wanted = if missed { 2..=3 } else { 3..=3 };
        assert!(wanted.contains(&rings), "before, during and after: {:?}", side.placement);
        // The device's counters are the run's, on both sides.
        let CounterRecord { before, after, port_state_after, .. } = &side.counters;
        assert!(before.contains_key("responder_requests"), "{before:?}");
        assert!(before.keys().all(|name| after.contains_key(name)), "{after:?}");
        assert_eq!(port_state_after.as_deref(), Some("active"));
    }
}
