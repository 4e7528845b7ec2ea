//! Every load that a design may ask for, on a back end without defects.

use onesided_conformance::reference::{Fabric, Progress};
use onesided_results::{
    RunConfiguration,
    vocabulary::{AddressPattern, Arrivals, CompletionQueues, LoopShape, Operation, SlotLayout},
};
use onesided_runner::RunResult;

use crate::{
    census::{Batches, Census},
    evidence::{has_doubt, sound},
    fabrics::{run_rightly, session_on},
    observed::ObservedTransport,
    session::{Session, devices, patient, session, short},
};

/// Little's law: requests in flight = rate x latency, so the latencies of a loop that keeps
/// `outstanding` requests in flight add up to no more than that many times the measured time, and
/// the requests that were in flight at either end. How much less depends on the machine.
fn assert_no_more_in_flight(result: &RunResult, outstanding: u64) {
    let counts = sound(result);
    let measured_ns = result.record.totals.as_ref().unwrap().measured_ns;
    let latency = counts.latency();
    let longest_ns = latency.max_ns.unwrap();
    let most = outstanding * (measured_ns + 2 * longest_ns);
    assert!(latency.sum_ns <= u128::from(most), "{} ns > {most} ns", latency.sum_ns);
}

/// Does a run of one thread that keeps `outstanding` requests in flight.
fn assert_in_flight(configuration: &RunConfiguration, outstanding: usize) {
    let (client, server) = devices(Fabric::right());
    let client = ObservedTransport::<Census>::new(client);
    let run = |session: Session<'_, _>| session.run_soundly(configuration);
    let (result, _) = session((&client, &server), &patient(), |direct| direct, run);
    assert_no_more_in_flight(&result, outstanding as u64);
    for census in client.seen() {
        assert_eq!((census.highest, census.short), (outstanding, 0), "{census:?}");
    }
}

#[test]
fn a_closed_loop_keeps_one_request_in_flight() {
    assert_in_flight(&short(), 1);
}

#[test]
fn a_window_keeps_as_many_requests_in_flight_on_every_queue_pair() {
    let configuration =
        RunConfiguration { queue_pairs: 3, window: 8, operation: Operation::Write, ..short() };
    assert_in_flight(&configuration, 3 * 8);
}

#[test]
fn a_saturating_loop_keeps_the_send_queue_full() {
    let configuration = RunConfiguration {
        loop_shape: LoopShape::Saturating,
        send_queue_depth: 32,
        window: 32,
        ..short()
    };
    assert_in_flight(&configuration, 32);
}

/// Does a run of one queue pair, in lists that are no divisor of the window.
fn batches(loop_shape: LoopShape) -> Batches<12> {
    let (client, server) = devices(Fabric::right());
    let client = ObservedTransport::<Batches<12>>::new(client);
    let configuration = RunConfiguration { loop_shape, window: 12, post_list: 5, ..short() };
    let run = |session: Session<'_, _>| session.run_soundly(&configuration);
    let (result, _) = session((&client, &server), &patient(), |direct| direct, run);
    assert_no_more_in_flight(&result, 12);
    client.seen()[0]
}

#[test]
fn a_batch_begins_when_all_of_the_one_before_have_completed() {
    let seen = batches(LoopShape::Batch);
    assert!(seen.begun > 1 && seen.early == 0, "{seen:?}");
    // A loop that does not wait is told from one that does.
    let seen = batches(LoopShape::Closed);
    assert!(seen.early > 0, "{seen:?}");
}

#[test]
fn a_think_time_bounds_the_rate() {
    let configuration = RunConfiguration { think_time_ns: 500_000, ..short() };
    let result = run_rightly(&configuration);
    let operations = sound(&result).operations_in_windows();
    let most = 2 * result.record.configuration.duration_ms;
    assert!(operations <= most, "{operations} operations of 0.5 ms and more, {most} fit");
}

#[test]
fn an_open_loop_asks_at_its_rate_or_says_that_it_is_behind() {
    for arrivals in [Arrivals::Fixed, Arrivals::Poisson] {
        let configuration = RunConfiguration {
            loop_shape: LoopShape::Open,
            arrivals: Some(arrivals),
            rate_ops_per_second: Some(10_000.0),
            queue_pairs: 2,
            window: 64,
            ..short()
        };
        let result = run_rightly(&configuration);
        let operations = sound(&result).operations();
        let due = 10.0 * result.record.configuration.duration_ms as f64;
        let ratio = operations as f64 / due;
        let behind = has_doubt(&result.record, "behind-schedule");
        assert!(ratio < 1.4 && (ratio > 0.6 || behind), "{arrivals}: {operations} of {due}");
    }
}

#[test]
fn an_open_loop_above_what_the_back_end_carries_says_that_it_is_behind() {
    let configuration = RunConfiguration {
        loop_shape: LoopShape::Open,
        arrivals: Some(Arrivals::Fixed),
        rate_ops_per_second: Some(1e9),
        window: 4,
        ..short()
    };
    let result = run_rightly(&configuration);
    sound(&result);
    assert!(has_doubt(&result.record, "behind-schedule"), "{:?}", result.record.doubts);
}

/// Ping-pongs of an operation, of short and long slots.
fn ping_pongs(operation: Operation) -> impl Iterator<Item = RunResult> {
    [1, 64, 1000].into_iter().map(move |access_bytes| {
        let loop_shape = LoopShape::PingPong;
        let configuration = RunConfiguration { loop_shape, operation, access_bytes, ..short() };
        let fabric = Fabric::right().progressing(Progress::ByPosts);
        session_on(fabric, |session| session.run_soundly(&configuration))
    })
}

#[test]
fn a_ping_pong_is_answered_by_the_other_program() {
    for result in ping_pongs(Operation::Write) {
        assert_no_more_in_flight(&result, 1);
        assert_eq!(result.record.server.unwrap().threads.len(), 1, "the server's own thread");
    }
}

#[test]
fn a_write_is_answered_by_a_send_of_the_other_program() {
    for result in ping_pongs(Operation::WriteAnsweredBySend) {
        assert_no_more_in_flight(&result, 1);
        assert_eq!(result.record.server.unwrap().threads.len(), 1, "the server's own thread");
    }
}

#[test]
fn writes_with_immediate_go_on_after_the_first_receives_are_consumed() {
    // Slowly, so that a server thread that is not run for half a second still has receives posted.
    // Where even that is not enough, the machine gets another try.
    let configuration = RunConfiguration {
        operation: Operation::WriteWithImmediate,
        loop_shape: LoopShape::Open,
        arrivals: Some(Arrivals::Fixed),
        rate_ops_per_second: Some(500.0),
        window: 16,
        duration_ms: 1_000,
        ..short()
    };
    let was_awake = |result: &RunResult| {
        result.record.outcome.is_valid()
            && result.counts.as_ref().is_some_and(|counts| counts.operations() > 256)
    };
    let run = |session: Session<'_, _>| session.run_until(&configuration, 1, was_awake);
    let result = session_on(Fabric::right(), run);
    let operations = sound(&result).operations();
    assert!(operations > 256, "{operations} do not consume what was posted at first");
}

#[test]
fn every_operation_is_done_and_verified() {
    for operation in [
        Operation::Read,
        Operation::Write,
        Operation::Mixed,
        Operation::CompareAndSwap,
        Operation::FetchAndAdd,
    ] {
        let configuration = RunConfiguration {
            operation,
            write_fraction: (operation == Operation::Mixed).then_some(0.3),
            queue_pairs: 2,
            window: 4,
            ..short()
        };
        let result = run_rightly(&configuration);
        sound(&result);
        assert!(!result.record.verification.is_empty(), "{operation}");
    }
}

#[test]
fn every_address_pattern_and_layout_is_gone_through_and_verified() {
    let patterns = [
        (AddressPattern::OwnSlot, None, None),
        (AddressPattern::Sequential, Some(64 << 10), None),
        (AddressPattern::Uniform, Some(64 << 10), None),
        (AddressPattern::Zipf, Some(64 << 10), Some(0.99)),
    ];
    let layouts =
        [SlotLayout::Packed, SlotLayout::Padded, SlotLayout::Unaligned, SlotLayout::Spread];
    for (index, (address_pattern, working_set_bytes, zipf_exponent)) in
        patterns.into_iter().enumerate()
    {
        for operation in [Operation::Read, Operation::Write] {
            let configuration = RunConfiguration {
                operation,
                address_pattern,
                working_set_bytes,
                zipf_exponent,
                access_bytes: 40,
                slot_layout: layouts[index % layouts.len()],
                queue_pairs: 2,
                window: 2,
                duration_ms: 100,
                ..short()
            };
            let result = run_rightly(&configuration);
            sound(&result);
            assert!(!result.record.verification.is_empty(), "{address_pattern} {operation}");
        }
    }
}

#[test]
fn swaps_of_words_that_queue_pairs_share_are_not_verified_and_say_so() {
    let configuration = RunConfiguration {
        operation: Operation::CompareAndSwap,
        address_pattern: AddressPattern::Uniform,
        working_set_bytes: Some(4096),
        queue_pairs: 2,
        ..short()
    };
    let result = run_rightly(&configuration);
    sound(&result);
    assert!(has_doubt(&result.record, "content-unverified"), "{:?}", result.record.doubts);
}

#[test]
fn selective_signaling_with_post_lists_counts_every_operation() {
    for (signal_every, post_list, window) in [(4, 4, 16), (8, 2, 16), (3, 5, 13), (16, 16, 16)] {
        let configuration = RunConfiguration {
            operation: Operation::FetchAndAdd,
            queue_pairs: 2,
            signal_every,
            post_list,
            window,
            ..short()
        };
        let result = run_rightly(&configuration);
        let operations = sound(&result).operations();
        let samples = result.record.totals.unwrap().samples;
        let each = operations as f64 / samples as f64 / f64::from(signal_every);
        assert!((0.99..1.01).contains(&each), "{operations} operations, {samples} completions");
    }
}

#[test]
fn threads_share_queue_pairs_however_they_divide() {
    for (threads, queue_pairs) in [(1, 7), (2, 2), (2, 5), (3, 8)] {
        let configuration = RunConfiguration { threads, queue_pairs, window: 2, ..short() };
        let result = run_rightly(&configuration);
        sound(&result);
        assert_eq!(result.record.client.unwrap().threads.len(), threads as usize);
    }
}

#[test]
fn one_completion_queue_for_each_queue_pair_loses_none() {
    let configuration = RunConfiguration {
        completion_queues: CompletionQueues::PerQueuePair,
        queue_pairs: 40,
        threads: 2,
        window: 2,
        ..short()
    };
    sound(&run_rightly(&configuration));
}

#[test]
fn inline_payloads_arrive_as_gathered_ones_do() {
    let configuration = RunConfiguration {
        operation: Operation::Write,
        inline_bytes: Some(64),
        access_bytes: 48,
        window: 4,
        ..short()
    };
    sound(&run_rightly(&configuration));
}
