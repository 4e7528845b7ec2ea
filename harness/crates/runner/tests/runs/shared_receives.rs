//! Runs whose queue pairs share a receive queue: every message finds a request, and is counted for the queue pair
//! that got it.

use std::sync::Arc;

use onesided_conformance::reference::{Defect, Fabric, Progress, ReferenceTransport};
use onesided_results::{
    RunConfiguration,
    record::{Outcome, RunRecord},
    vocabulary::{LoopShape, Operation, Phase, ReceiveQueues, Service},
};
use onesided_transport::{DeviceDescription, Word};

use crate::{
    evidence::{failure, has_doubt, sound},
    fabrics::{run_rightly, run_wrongly, session_on},
    session::{Session, patient, session, short},
};

/// One message in two milliseconds of each of three queue pairs, which two threads of the server receive: fewer than
/// they have receive requests, whenever they are run.
fn shared(service: Service, operation: Operation) -> RunConfiguration {
    RunConfiguration {
        service,
        operation,
        receive_queues: ReceiveQueues::Shared,
        queue_pairs: 3,
        threads: 2,
        think_time_ns: 2_000_000,
        ..short()
    }
}

/// As many messages came as were sent.
fn all_came(record: &RunRecord) {
    let totals = record.totals.as_ref().expect("it measured");
    assert!(!has_doubt(record, "messages-lost"), "{:?}", record.doubts);
    assert_eq!(totals.messages_sent, Some(totals.completions), "{totals:?}");
    assert_eq!(totals.messages_received, totals.messages_sent, "{totals:?}");
}

#[test]
fn messages_of_every_service_take_from_a_shared_queue_and_all_are_counted() {
    for &service in Service::ALL {
        let result = run_rightly(&shared(service, Operation::Send));
        sound(&result);
        all_came(&result.record);
    }
    for service in [Service::ReliableConnection, Service::UnreliableConnection] {
        let result = run_rightly(&shared(service, Operation::WriteWithImmediate));
        sound(&result);
        all_came(&result.record);
    }
}

#[test]
fn a_shared_queue_serves_many_times_what_it_holds() {
    // It holds 256 requests for the two queue pairs of a thread: without refills they would be used up.
    let many = RunConfiguration {
        operations_per_queue_pair: Some(150),
        warm_up_ms: 20,
        duration_ms: 60_000,
        window_ms: 1000,
        ..shared(Service::ReliableConnection, Operation::Send)
    };
    let result = run_rightly(&many);
    sound(&result);
    all_came(&result.record);
    let totals = result.record.totals.expect("it measured");
    assert_eq!(totals.messages_received, Some(3 * 150));
}

#[test]
fn every_loop_comes_to_its_end_whichever_side_receives() {
    let saturating = RunConfiguration {
        loop_shape: LoopShape::Saturating,
        send_queue_depth: 16,
        window: 16,
        post_list: 4,
        signal_every: 4,
        think_time_ns: 0,
        ..shared(Service::UnreliableConnection, Operation::Send)
    };
    let ping_pong = RunConfiguration {
        loop_shape: LoopShape::PingPong,
        queue_pairs: 2,
        threads: 2,
        think_time_ns: 0,
        ..shared(Service::ReliableConnection, Operation::Send)
    };
    let (rc, uc) = (Service::ReliableConnection, Service::UnreliableConnection);
    for (service, operation, shape) in [
        // Over a reliable connection a server that gets no CPU fails the run.
        (uc, Operation::Send, &saturating),
        (uc, Operation::WriteWithImmediate, &saturating),
        (Service::UnreliableDatagram, Operation::Send, &saturating),
        (rc, Operation::Send, &ping_pong),
        (uc, Operation::WriteWithImmediate, &ping_pong),
        (rc, Operation::WriteAnsweredBySend, &ping_pong),
        (Service::UnreliableDatagram, Operation::Send, &ping_pong),
    ] {
        let asked = RunConfiguration { service, operation, ..shape.clone() };
        let result = session_on(Fabric::right().progressing(Progress::ByPosts), |session| {
            session.run_soundly(&asked)
        });
        assert!(result.record.outcome.is_valid(), "{service} {operation}: {:?}", result.record);
    }
}

#[test]
fn a_fifth_of_the_messages_lost_is_counted_over_a_shared_queue_too() {
    for service in [Service::UnreliableConnection, Service::UnreliableDatagram] {
        let result = session_on(Fabric::right().dropping(5), |session| {
            session.run_soundly(&shared(service, Operation::Send))
        });
        assert!(has_doubt(&result.record, "messages-lost"), "{:?}", result.record.doubts);
        let totals = result.record.totals.as_ref().expect("it measured");
        let (sent, received) = (totals.completions, totals.messages_received.expect("counted"));
        // Of each queue pair every fifth, the last part of five rounded.
        let most = sent - sent / 5 + 3;
        assert!((1..=most).contains(&received), "{service}: {received} of {sent}");
    }
}

#[test]
fn a_device_that_names_the_first_queue_pair_for_all_makes_the_run_invalid() {
    let asked = shared(Service::ReliableConnection, Operation::Send);
    let result = run_wrongly(Defect::NamesTheFirstOfSharedReceives, &asked);
    let record = &result.record;
    assert_eq!(record.outcome, Outcome::Invalid, "{:?}", record.doubts);
    assert!(has_doubt(record, "content-wrong"), "{:?}", record.doubts);
    let told = record.verification.iter().filter_map(|found| found.first_mismatch.as_deref());
    assert_eq!(told.collect::<Vec<_>>(), ["2 queue pairs received messages, 3 are due"]);
}

#[test]
fn a_device_that_serves_the_first_queue_pair_alone_fails_the_run() {
    let asked = shared(Service::ReliableConnection, Operation::Send);
    let result = run_wrongly(Defect::ServesSharedReceivesToTheFirst, &asked);
    let (_, message) = failure(&result);
    assert!(message.contains("no receive request posted"), "{message}");
}

/// Asks a server whose device is otherwise.
fn refusal(
    change: impl FnOnce(&mut DeviceDescription),
    asked: &RunConfiguration,
) -> (Phase, String) {
    let fabric = Arc::new(Fabric::right());
    let client = ReferenceTransport::open(&fabric);
    let server = ReferenceTransport::open(&fabric).described(change);
    let body = |session: Session<'_, _>| session.run(asked);
    let (result, _) = session((&client, &server), &patient(), |direct| direct, body);
    let (phase, message) = failure(&result);
    (phase, message.to_owned())
}

#[test]
fn a_server_whose_device_cannot_share_says_of_which_services_it_can() {
    let asked = shared(Service::UnreliableDatagram, Operation::Send);
    let (phase, message) =
        refusal(|device| device.shared_receives = vec![Service::ReliableConnection], &asked);
    assert_eq!(phase, Phase::Connect);
    assert!(message.contains("(set-up)"), "{message}");
    let due = "receive_queues (--receive-queues) = shared: queue pairs of the service ud cannot share a receive \
               queue on reference0; those that can: rc";
    assert!(message.contains(due), "{message}");
}

#[test]
fn more_than_the_longest_shared_queue_takes_is_refused_by_flags_value_and_limit() {
    let asked = RunConfiguration {
        window: 1024,
        send_queue_depth: 1024,
        queue_pairs: 5,
        ..shared(Service::ReliableConnection, Operation::Send)
    };
    let (phase, message) = refusal(|_| (), &asked);
    assert_eq!(phase, Phase::Connect);
    assert!(message.contains("(set-up)"), "{message}");
    let due = "3 queue pairs of a thread (--queue-pairs, --threads) with window = 1024 (--window) need shared \
               receive queue depth 6144; allowed: at most 4096, the limit of reference0";
    assert!(message.contains(due), "{message}");
}
