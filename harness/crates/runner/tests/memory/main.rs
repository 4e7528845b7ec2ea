//! What a run allocates: nothing while it measures, and no more when it does more operations.
//!
//! This binary has an allocator of its own that counts, which is why these tests are apart.

mod counting_allocator;
#[path = "../runs/observed.rs"]
mod observed;
#[path = "../runs/session.rs"]
mod session;
mod watched;

use std::sync::{Arc, Mutex, PoisonError};

use onesided_conformance::reference::{Fabric, Progress, ReferenceTransport};
use onesided_results::{
    RunConfiguration,
    vocabulary::{AddressPattern, Arrivals, CompletionQueues, LoopShape, Operation, Service},
};

use counting_allocator::{
    allocations_of_this_thread, bytes_in_use, highest_use, reset_highest_use,
};
use observed::ObservedTransport;
use session::{devices, patient, session, short};
use watched::Watched;

/// One test at a time: use of memory is the process's.
static ALONE: Mutex<()> = Mutex::new(());

/// Does one run; gives what each client thread allocated between its first and its last call of the
/// back end, without what the back end itself did.
fn allocations_in_the_data_path(
    progress: Progress,
    configuration: &RunConfiguration,
) -> Vec<Watched> {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let (client, server) = devices(Fabric::right().progressing(progress));
    let client = ObservedTransport::<Watched>::new(client);
    let run = |session: session::Session<'_, _>| session.run_soundly(configuration);
    let (result, _) = session((&client, &server), &patient(), |direct| direct, run);
    assert!(result.record.outcome.is_valid(), "{:?}", result.record.outcome);
    client.seen()
}

fn assert_none(progress: Progress, configuration: &RunConfiguration) {
    let threads = allocations_in_the_data_path(progress, configuration);
    assert!(threads.len() >= configuration.threads as usize);
    for thread in threads {
        assert!(thread.calls > 3, "{thread:?} watched nothing");
        assert_eq!(thread.allocations, 0, "{thread:?}: {configuration:?}");
    }
}

#[test]
fn no_load_allocates_between_the_first_post_and_the_last_completion() {
    let windowed = RunConfiguration { threads: 2, queue_pairs: 4, window: 16, ..short() };
    let open = RunConfiguration {
        loop_shape: LoopShape::Open,
        arrivals: Some(Arrivals::Poisson),
        rate_ops_per_second: Some(20_000.0),
        address_pattern: AddressPattern::Zipf,
        zipf_exponent: Some(0.99),
        working_set_bytes: Some(1 << 16),
        operation: Operation::Mixed,
        write_fraction: Some(0.5),
        window: 64,
        ..short()
    };
    let listed = RunConfiguration {
        operation: Operation::FetchAndAdd,
        signal_every: 3,
        post_list: 5,
        window: 13,
        completion_queues: CompletionQueues::PerQueuePair,
        queue_pairs: 3,
        ..short()
    };
    for configuration in [short(), windowed, open, listed] {
        assert_none(Progress::ByPolls, &configuration);
    }
}

/// Also where the message goes is found without an allocation, for each datagram.
#[test]
fn no_message_of_any_service_allocates_between_the_first_post_and_the_last_completion() {
    let services =
        [Service::ReliableConnection, Service::UnreliableConnection, Service::UnreliableDatagram];
    for service in services {
        let sends = RunConfiguration { operation: Operation::Send, service, ..short() };
        // Slow enough that the server never runs out of receive requests.
        let calm = RunConfiguration { think_time_ns: 1_000_000, ..sends.clone() };
        assert_none(Progress::ByPolls, &calm);
        if service != Service::ReliableConnection {
            let listed = RunConfiguration { post_list: 4, signal_every: 4, window: 16, ..sends };
            assert_none(Progress::ByPolls, &listed);
        }
    }
}

#[test]
fn a_ping_pong_allocates_nothing_between_its_first_and_last_round() {
    let configuration = RunConfiguration {
        loop_shape: LoopShape::PingPong,
        operation: Operation::Write,
        ..short()
    };
    assert_none(Progress::ByPosts, &configuration);
}

#[test]
fn an_allocation_between_two_calls_of_the_back_end_is_seen() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut watched = Watched::default();
    watched.call(|| ());
    let kept = std::hint::black_box(vec![1_u8; 100]);
    watched.call(|| drop(std::hint::black_box(vec![2_u8; 100])));
    assert_eq!((watched.calls, watched.allocations), (2, 1));
    drop(kept);
    assert!(allocations_of_this_thread() > 0);
}

/// What a run used.
#[derive(Debug)]
struct Used {
    /// By how many bytes the use of the heap rose at its highest.
    bytes: usize,
    /// Buckets of its latencies that are not empty.
    buckets: usize,
}

/// Does one run of so many operations.
fn highest_use_of(operations: u64) -> Used {
    let fabric = Arc::new(Fabric::right());
    let (client, server) = (ReferenceTransport::open(&fabric), ReferenceTransport::open(&fabric));
    let configuration = RunConfiguration {
        operation: Operation::FetchAndAdd,
        operations_per_queue_pair: Some(operations),
        window: 16,
        warm_up_ms: 0,
        // It ends with the operations; this is for a machine with other work.
        duration_ms: 60_000,
        window_ms: 1000,
        ..short()
    };
    let run = |session: session::Session<'_, _>| {
        let before = bytes_in_use();
        reset_highest_use();
        let result = session.run(&configuration);
        let bytes = highest_use() - before;
        let [verification] = &result.record.verification[..] else {
            panic!("one check: {:?}", result.record)
        };
        assert_eq!((verification.checked, verification.mismatched), (operations, 0));
        let counts = result.counts.expect("the run has operations");
        Used { bytes, buckets: counts.latency().buckets.len() }
    };
    session((&client, &server), &patient(), |direct| direct, run).0
}

#[test]
fn use_of_memory_does_not_grow_with_the_number_of_operations() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // The first run also pays for what a process allocates once.
    highest_use_of(100);
    let few = highest_use_of(10_000);
    let many = highest_use_of(1_000_000);
    // More buckets of a histogram are in use, which has an end (27,000 of 1 ns to 60 s); a busy machine
    // fills many. A bucket takes 24 bytes, where it is counted, in a list that doubles, and in the
    // run's sum: 70 to 145 are seen. One byte an operation would be 1,000,000 more.
    let allowed = few.bytes + 200_000 + 150 * many.buckets;
    assert!(many.bytes < allowed, "{few:?}, then {many:?}: more than {allowed} bytes");
}
