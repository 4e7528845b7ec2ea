//! The server's own threads: what they did, where they were, and what they may not do.

use onesided_conformance::reference::{Fabric, Progress};
use onesided_placement::Topology;
use onesided_results::{
    RunConfiguration,
    record::{HostLoadRecord, Outcome, SideRecord, ThreadProof},
    vocabulary::{
        CacheFinding, CacheState, Ddio, LoadKind, LoadPattern, LoadProcess, LoopShape, Moment,
        Operation, PlacedMemory, ThreadRole, WorkerOperation, WorkerPattern,
    },
};
use onesided_runner::RunResult;

use crate::{
    fabrics::{run_rightly, session_on},
    session::short,
};

/// A short run of writes with workers that mix on the same memory.
fn worked_on(workers: u32) -> RunConfiguration {
    RunConfiguration {
        operation: Operation::Write,
        queue_pairs: 8,
        workers,
        worker_operation: WorkerOperation::Mixed,
        worker_write_fraction: Some(0.9),
        worker_access_bytes: Some(8),
        worker_pattern: Some(WorkerPattern::Uniform),
        ..short()
    }
}

/// A short run beside threads on memory of their own.
fn beside_load(process: LoadProcess) -> RunConfiguration {
    RunConfiguration {
        load_kind: LoadKind::Independent,
        load_process: Some(process),
        load_bytes: Some(1 << 20),
        load_thread_count: Some(2),
        load_threads: Some("any".to_owned()),
        load_memory: Some("any".to_owned()),
        load_write_fraction: Some(0.5),
        load_pattern: Some(LoadPattern::Uniform),
        ..short()
    }
}

fn server(result: &RunResult) -> &SideRecord {
    assert!(result.record.outcome.is_valid(), "{:#?}", result.record.doubts);
    result.record.server.as_ref().unwrap()
}

fn load(result: &RunResult) -> &HostLoadRecord {
    server(result).load.as_ref().unwrap()
}

fn of_role(result: &RunResult, role: ThreadRole) -> Vec<&ThreadProof> {
    server(result).threads.iter().filter(|thread| thread.role == role).collect()
}

fn message(result: &RunResult) -> String {
    match &result.record.outcome {
        Outcome::Failed { message, .. } => message.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn workers_run_for_the_whole_run_and_tell_their_rate_by_window() {
    let result = run_rightly(&worked_on(2));
    let record = load(&result);
    assert_eq!(record.threads.len(), 2);
    for (worker, totals) in record.threads.iter().enumerate() {
        assert_eq!((totals.role, totals.thread), (ThreadRole::Worker, worker as u32));
        assert_eq!(totals.accesses, totals.reads + totals.writes);
        let share = totals.writes as f64 / totals.accesses as f64;
        assert!((share - 0.9).abs() < 0.02, "{share}");
        // Windows that are whole within the interval: all of it but a part of two.
        let whole_ns = result.record.configuration.duration_ms * 1_000_000;
        let window_ns = result.record.configuration.window_ms * 1_000_000;
        assert!(totals.measured_ns + 2 * window_ns >= whole_ns, "{totals:?}");
        assert!(totals.measured_ns <= whole_ns, "{totals:?}");
        assert!(totals.rate_per_second.unwrap() > 0.0);
    }
    assert_eq!(record.rate_of(ThreadRole::Load), None);
    assert!(record.rate_of(ThreadRole::Worker).unwrap() > 0.0);
    for (series, totals) in result.load.iter().zip(&record.threads) {
        let counted: u64 = series.accesses.iter().sum();
        assert!(counted <= totals.accesses);
        assert!(series.starts_ns < 0, "workers start before the warm-up: {}", series.starts_ns);
        let rows: Vec<_> = series.rows().collect();
        assert_eq!(rows.len(), series.accesses.len());
        assert_eq!(rows[1].start_ns - rows[0].start_ns, series.window_ns as i64);
    }
}

#[test]
fn what_workers_store_is_no_damage_but_cannot_be_verified() {
    let result = run_rightly(&worked_on(1));
    let doubts: Vec<_> = result.record.doubts.iter().map(|doubt| &*doubt.doubt).collect();
    assert!(doubts.contains(&"content-unverified"), "{doubts:?}");
    let reading = RunConfiguration {
        operation: Operation::Read,
        worker_operation: WorkerOperation::Read,
        worker_write_fraction: None,
        ..worked_on(1)
    };
    let result = run_rightly(&reading);
    assert_eq!(load(&result).threads[0].writes, 0);
    let doubts: Vec<_> = result.record.doubts.iter().map(|doubt| &*doubt.doubt).collect();
    assert!(!doubts.contains(&"content-unverified"), "{doubts:?}");
    assert!(!result.record.verification.is_empty());
}

#[test]
fn every_worker_operation_and_pattern_runs() {
    use WorkerOperation::{CompareAndSwap, FetchAndAdd, Mixed, Read, Write};
    use WorkerPattern::{AsPublished, OwnLine, Sequential, SharedLine, Uniform};
    for (operation, pattern) in [
        (Read, Sequential),
        (Write, OwnLine),
        (CompareAndSwap, SharedLine),
        (FetchAndAdd, Uniform),
        (Mixed, AsPublished),
    ] {
        let configuration = RunConfiguration {
            worker_operation: operation,
            worker_pattern: Some(pattern),
            worker_write_fraction: (operation == Mixed).then_some(0.9),
            worker_access_bytes: Some(if pattern == AsPublished { 1 } else { 8 }),
            ..worked_on(1)
        };
        let result = run_rightly(&configuration);
        let record = load(&result);
        assert!(record.threads[0].accesses > 0, "{operation} {pattern}");
        let table = if pattern == AsPublished { 4_000_000 } else { 0 };
        assert_eq!(record.private_table_bytes, table, "{pattern}");
        let swapped = record.threads[0].swaps_won > 0;
        assert_eq!(swapped, operation == CompareAndSwap, "{operation}");
    }
}

#[test]
fn a_rate_is_kept_and_one_that_cannot_be_raises_a_doubt() {
    let paced = |rate| RunConfiguration {
        worker_rate_per_second: Some(rate),
        duration_ms: 400,
        ..worked_on(1)
    };
    let result = session_on(Fabric::right(), |session| {
        session.run_until(&paced(100_000.0), 4, |result| {
            let off_rate = ["load-behind-rate", "load-ahead-of-rate"];
            !result.record.doubts.iter().any(|doubt| off_rate.contains(&&*doubt.doubt))
        })
    });
    let rate = load(&result).rate_of(ThreadRole::Worker).unwrap();
    assert!((rate / 1e5 - 1.0).abs() < 0.05, "{rate}");
    let result = run_rightly(&paced(1e12));
    assert!(result.record.doubts.iter().any(|doubt| doubt.doubt == "load-behind-rate"));
}

#[test]
fn load_in_the_servers_process_is_placed_proven_and_counted() {
    let result = run_rightly(&beside_load(LoadProcess::InProcess));
    let record = load(&result);
    assert_eq!(record.process, Some(LoadProcess::InProcess));
    assert!(record.rate_of(ThreadRole::Load).unwrap() > 0.0);
    assert_eq!(of_role(&result, ThreadRole::Load).len(), 2);
    let proofs = server(&result).placement.iter();
    let proofs: Vec<_> = proofs.filter(|proof| proof.what == PlacedMemory::LoadBuffer).collect();
    let moments: Vec<_> = proofs.iter().map(|proof| proof.when).collect();
    assert_eq!(moments, [Moment::Before, Moment::During, Moment::After]);
    for proof in proofs {
        assert_eq!(proof.by_node.values().sum::<u64>() * proof.page_bytes, 1 << 20);
    }
}

#[test]
fn everything_is_proven_before_during_and_after() {
    let result = run_rightly(&RunConfiguration { duration_ms: 400, ..short() });
    for (side, what) in [
        (result.record.client.as_ref().unwrap(), PlacedMemory::ClientBuffers),
        (server(&result), PlacedMemory::ServerRegion),
    ] {
        let proofs = side.placement.iter().filter(|proof| proof.what == what);
        let moments: Vec<_> = proofs.map(|proof| proof.when).collect();
        assert_eq!(moments, [Moment::Before, Moment::During, Moment::After], "{what}");
    }
}

#[test]
fn a_load_without_a_program_for_it_is_refused() {
    let result =
        session_on(Fabric::right(), |session| session.run(&beside_load(LoadProcess::OwnProcess)));
    let message = message(&result);
    assert!(message.contains("was given no program"), "{message}");
}

#[test]
fn more_workers_than_cpus_are_refused_where_each_was_to_have_its_own() {
    let cpus = Topology::discover().unwrap().nodes[0].cpus.as_ref().unwrap().count() as u32;
    let crowded = RunConfiguration { worker_threads: "node:0".to_owned(), ..worked_on(cpus + 1) };
    let result = session_on(Fabric::right(), |session| session.run(&crowded));
    let message = message(&result);
    let told = format!("for {} threads, and each needs its own", cpus + 1);
    assert!(message.contains("worker_threads = node:0") && message.contains(&told), "{message}");
}

#[test]
fn a_worker_and_a_client_on_one_cpu_are_refused() {
    let cpu = Topology::discover().unwrap().nodes[0].cpus.as_ref().unwrap().first();
    let overlapping = RunConfiguration {
        client_threads: format!("cpus:{cpu}"),
        worker_threads: format!("cpus:{cpu}"),
        ..worked_on(1)
    };
    let result = session_on(Fabric::right(), |session| session.run(&overlapping));
    let message = message(&result);
    assert!(message.contains(&format!("CPU {cpu} is client_threads's")), "{message}");
}

#[test]
fn workers_and_responders_of_a_ping_pong_are_told_apart() {
    let configuration = RunConfiguration {
        loop_shape: LoopShape::PingPong,
        queue_pairs: 1,
        worker_operation: WorkerOperation::Read,
        worker_write_fraction: None,
        ..worked_on(1)
    };
    let fabric = Fabric::right().progressing(Progress::ByPosts);
    let result = session_on(fabric, |session| session.run_soundly(&configuration));
    assert_eq!(of_role(&result, ThreadRole::Responder).len(), 1);
    assert_eq!(of_role(&result, ThreadRole::Worker).len(), 1);
}

#[test]
fn caches_are_set_and_what_timing_says_is_in_the_record() {
    for asked in [CacheState::Flushed, CacheState::Warm] {
        let configuration =
            RunConfiguration { cache_state: asked, queue_pairs: 16, access_bytes: 64, ..short() };
        let result = session_on(Fabric::right(), |session| session.run(&configuration));
        let server = result.record.server.as_ref().unwrap();
        let caches = server.caches.as_ref().unwrap();
        assert_eq!(caches.asked, asked);
        assert!(caches.lines_timed > 0, "{caches:?}");
        let doubted = |name: &str| result.record.doubts.iter().any(|doubt| doubt.doubt == name);
        let due = match asked {
            CacheState::Warm => CacheFinding::Cached,
            _ => CacheFinding::NotCached,
        };
        assert!(caches.found_after.is_some(), "{caches:?}");
        let methods: &[_] = match asked {
            CacheState::Flushed => &["clflushopt", "clflush"],
            _ => &["loads"],
        };
        assert!(methods.contains(&&*caches.method), "{caches:?}");
        match (caches.found, &caches.why) {
            (CacheFinding::Inconclusive, Some(_)) => assert!(doubted("caches-unproven")),
            (found, None) => assert_eq!(found != due, doubted("caches-not-as-asked"), "{caches:?}"),
            other => panic!("{other:?}"),
        }
    }
    assert!(server(&run_rightly(&short())).caches.is_none());
}

#[test]
fn direct_io_is_not_changed_by_a_server_that_was_not_told_that_it_may() {
    let configuration = RunConfiguration { ddio: Ddio::Off, ..short() };
    let result = session_on(Fabric::right(), |session| session.run(&configuration));
    let message = message(&result);
    assert!(message.contains("start it with --change-ddio"), "{message}");
}
