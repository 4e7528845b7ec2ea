//! Runs over services that send nothing again: what arrived is counted, and what did not is doubted.

use std::sync::Arc;

use onesided_conformance::reference::{Fabric, Progress, ReferenceTransport};
use onesided_results::{
    RunConfiguration,
    record::Outcome,
    vocabulary::{LoopShape, Operation, Service},
};
use onesided_runner::RunResult;
use onesided_transport::{Destinations, Opcode, Word};

use crate::{
    census::Answers,
    evidence::{failure, has_doubt, sound},
    observed::ObservedTransport,
    session::{Session, devices, patient, session, short},
};

/// One message a millisecond: fewer than the server has receive requests, whenever its thread is run.
fn calm(service: Service, operation: Operation) -> RunConfiguration {
    RunConfiguration { service, operation, think_time_ns: 1_000_000, ..short() }
}

fn run(fabric: Fabric, configuration: &RunConfiguration) -> RunResult {
    let (client, server) = devices(fabric);
    let body = |session: Session<'_, _>| session.run_soundly(configuration);
    session((&client, &server), &patient(), |direct| direct, body).0
}

#[test]
fn messages_of_every_service_arrive_and_are_counted_where_they_may_not() {
    for service in [Service::UnreliableConnection, Service::UnreliableDatagram] {
        let result = run(Fabric::right(), &calm(service, Operation::Send));
        sound(&result);
        assert!(
            !has_doubt(&result.record, "messages-lost"),
            "{service}: {:?}",
            result.record.doubts
        );
        let totals = result.record.totals.as_ref().expect("it measured");
        // One signal each: what completed is what was sent.
        assert_eq!(totals.messages_sent, Some(totals.completions), "{service}");
        assert_eq!(totals.messages_received, Some(totals.completions), "{service}");
    }
    let reliable = run(Fabric::right(), &calm(Service::ReliableConnection, Operation::Send));
    let reliable = reliable.record.totals.expect("it measured");
    assert_eq!((reliable.messages_sent, reliable.messages_received), (None, None));
}

/// A load whose last messages no signal is for is closed by one request more, which is no message.
#[test]
fn messages_are_counted_whether_or_not_each_asks_for_a_completion() {
    for service in [Service::UnreliableConnection, Service::UnreliableDatagram] {
        let result = run(
            Fabric::right().progressing(Progress::ByPosts),
            &RunConfiguration { access_bytes: 64, ..closed_by_one_more(service) },
        );
        counted_but_for_what_closes(&result, service);
    }
}

#[test]
fn header_only_messages_are_counted_one_by_one_and_what_closes_a_run_is_none() {
    for &service in Service::ALL {
        let empty =
            RunConfiguration { access_bytes: 0, queue_pairs: 2, ..closed_by_one_more(service) };
        counted_but_for_what_closes(&run(Fabric::right(), &empty), service);
    }
}

/// Its time ends it, and of eight messages in flight every third is signaled: two of each queue
/// pair are always left over.
fn closed_by_one_more(service: Service) -> RunConfiguration {
    RunConfiguration {
        think_time_ns: 20_000_000,
        send_queue_depth: 8,
        window: 8,
        signal_every: 3,
        ..calm(service, Operation::Send)
    }
}

fn counted_but_for_what_closes(result: &RunResult, service: Service) {
    sound(result);
    let record = &result.record;
    assert!(!has_doubt(record, "messages-lost"), "{service}: {:?}", record.doubts);
    let totals = record.totals.as_ref().expect("it measured");
    // Two left over and the one that closes ask for one completion together.
    let closing = u64::from(record.configuration.queue_pairs);
    let sent = 3 * totals.completions - closing;
    let counted = (totals.messages_sent, totals.messages_received);
    assert_eq!(counted, (Some(sent), Some(sent)), "{service}: {totals:?}");
    if record.configuration.access_bytes == 0 {
        let [found] = &record.verification[..] else { panic!("{:?}", record.verification) };
        assert_eq!((found.checked, found.mismatched), (sent, 0), "{service}");
    }
}

/// 30 is no multiple of 4: were the last two not signaled, only the time would end this run.
#[test]
fn a_load_ends_with_its_last_operation_whatever_is_signaled() {
    for &service in Service::ALL {
        let asked = RunConfiguration {
            access_bytes: 0,
            queue_pairs: 2,
            threads: 2,
            send_queue_depth: 4,
            window: 4,
            signal_every: 4,
            warm_up_ms: 0,
            duration_ms: 60_000,
            window_ms: 1_000,
            operations_per_queue_pair: Some(30),
            ..calm(service, Operation::Send)
        };
        let result = run(Fabric::right(), &asked);
        let record = &result.record;
        let totals = record.totals.as_ref().expect("it measured");
        // Not `operations`: a thread without CPU may have done some before the interval began.
        assert_eq!(totals.completions, 16, "{service}: {totals:?}");
        assert!(totals.measured_ns < 30_000_000_000, "{service}: {totals:?}");
        assert_eq!(totals.messages_received, Some(60), "{service}: {totals:?}");
    }
}

#[test]
fn a_fifth_of_the_messages_lost_is_a_doubt_that_says_how_many() {
    for service in [Service::UnreliableConnection, Service::UnreliableDatagram] {
        let result = run(Fabric::right().dropping(5), &calm(service, Operation::Send));
        assert!(
            has_doubt(&result.record, "messages-lost"),
            "{service}: {:?}",
            result.record.doubts
        );
        assert!(result.record.outcome.is_valid(), "{:?}", result.record.outcome);
        let totals = result.record.totals.as_ref().expect("it measured");
        let (sent, received) = (totals.completions, totals.messages_received.expect("counted"));
        assert_eq!(totals.messages_sent, Some(sent), "{service}: lost ones were sent, too");
        // Not always from the first on: a run that had no CPU is done again over the same fabric.
        let lost = sent - received;
        assert!((sent / 5..=sent / 5 + 1).contains(&lost), "{service}: {lost} of {sent}");
        let said = format!("{lost} of {sent} messages did not arrive");
        let told =
            |doubt: &onesided_results::record::DoubtRecord| doubt.explanation.contains(&said);
        assert!(result.record.doubts.iter().any(told), "{said}: {:?}", result.record.doubts);
    }
}

#[test]
fn a_run_of_which_no_message_arrives_is_invalid() {
    for service in [Service::UnreliableConnection, Service::UnreliableDatagram] {
        let (client, server) = devices(Fabric::right().dropping(1));
        let asked = calm(service, Operation::Send);
        // On a machine that had no time for it, longer.
        let sent = |result: &RunResult| {
            result.record.totals.as_ref().and_then(|totals| totals.messages_sent) > Some(0)
        };
        let body = |session: Session<'_, _>| session.run_until(&asked, 4, sent);
        let result = session((&client, &server), &patient(), |direct| direct, body).0;
        let record = &result.record;
        assert!(has_doubt(record, "nothing-arrived"), "{service}: {:?}", record.doubts);
        assert!(!has_doubt(record, "messages-lost"), "{service}: {:?}", record.doubts);
        assert_eq!(record.outcome, Outcome::Invalid, "{service}");
    }
}

#[test]
fn datagrams_that_overtake_each_other_are_all_counted() {
    let asked = calm(Service::UnreliableDatagram, Operation::Send);
    let result = run(Fabric::right().reordering(1), &asked);
    sound(&result);
    assert!(!has_doubt(&result.record, "messages-lost"), "{:?}", result.record.doubts);
    let totals = result.record.totals.as_ref().expect("it measured");
    assert_eq!(totals.messages_received, Some(totals.completions));
}

#[test]
fn messages_lost_by_chance_are_counted_to_the_last() {
    for service in [Service::UnreliableConnection, Service::UnreliableDatagram] {
        // One run only: what a fabric lost is of this one.
        let lossy = || {
            let fabric = Arc::new(Fabric::right().losing(0.2, 1).reordering(1));
            let (client, server) =
                (ReferenceTransport::open(&fabric), ReferenceTransport::open(&fabric));
            let body = |session: Session<'_, _>| session.run(&calm(service, Operation::Send));
            (session((&client, &server), &patient(), |direct| direct, body).0, fabric)
        };
        // On a machine that had no time for it, once more: of a few messages none may be lost.
        let mut tries = (0..8).map(|_| lossy());
        let is_lossy = |(result, fabric): &(RunResult, Arc<Fabric>)| {
            result.record.outcome.is_valid() && fabric.lost() > 0
        };
        let (result, fabric) = tries.find(is_lossy).expect("one is valid, and loses a message");
        assert!(has_doubt(&result.record, "messages-lost"), "{:?}", result.record.doubts);
        let totals = result.record.totals.as_ref().expect("it measured");
        let arrived = totals.messages_received.expect("counted");
        assert_eq!(arrived + fabric.lost(), totals.completions, "{service}");
    }
}

#[test]
fn every_loop_and_operation_of_a_service_comes_to_its_end() {
    let saturating = RunConfiguration {
        loop_shape: LoopShape::Saturating,
        send_queue_depth: 16,
        window: 16,
        post_list: 4,
        signal_every: 4,
        queue_pairs: 3,
        threads: 2,
        ..short()
    };
    let ping_pong = RunConfiguration { loop_shape: LoopShape::PingPong, ..short() };
    let uc = Service::UnreliableConnection;
    for (service, operation, shape) in [
        (uc, Operation::Write, &saturating),
        (uc, Operation::WriteWithImmediate, &saturating),
        (uc, Operation::Send, &saturating),
        (Service::UnreliableDatagram, Operation::Send, &saturating),
        (uc, Operation::Write, &ping_pong),
        (uc, Operation::Send, &ping_pong),
        (uc, Operation::WriteAnsweredBySend, &ping_pong),
        (Service::UnreliableDatagram, Operation::Send, &ping_pong),
    ] {
        let result = run(
            Fabric::right().progressing(Progress::ByPosts),
            &RunConfiguration { service, operation, ..shape.clone() },
        );
        assert!(result.record.outcome.is_valid(), "{service} {operation}: {:?}", result.record);
    }
}

/// The other side waits for the answer, and for nothing else.
#[test]
fn a_message_is_answered_before_its_receive_request_is_posted_again() {
    for service in [Service::ReliableConnection, Service::UnreliableDatagram] {
        let configuration = RunConfiguration {
            loop_shape: LoopShape::PingPong,
            operation: Operation::Send,
            service,
            ..short()
        };
        let (client, server) = devices(Fabric::right().progressing(Progress::ByPosts));
        let server = ObservedTransport::<Answers>::new(server);
        let body = |session: Session<'_, _>| session.run_soundly(&configuration);
        let (result, _) = session((&client, &server), &patient(), |direct| direct, body);
        sound(&result);
        for seen in server.seen() {
            assert!(seen.posted > 1 && seen.again > 1, "{service}: {seen:?}");
            assert_eq!(seen.early, 0, "{service}: {seen:?}");
        }
    }
}

#[test]
fn a_ping_pong_that_loses_a_message_ends_and_says_what_may_be() {
    let configuration = RunConfiguration {
        service: Service::UnreliableDatagram,
        operation: Operation::Send,
        loop_shape: LoopShape::PingPong,
        // No device repeats anything here: patience is short.
        retry_count: 0,
        timeout_exponent: 1,
        ..short()
    };
    let (client, server) = devices(Fabric::right().dropping(2));
    let body = |session: Session<'_, _>| session.run(&configuration);
    let (result, _) = session((&client, &server), &patient(), |direct| direct, body);
    let (_, message) = failure(&result);
    assert!(message.contains("an unreliable service may have lost the message"), "{message}");
}

#[test]
fn a_server_whose_device_lacks_the_service_says_what_it_has() {
    let fabric = Arc::new(Fabric::right());
    let client = ReferenceTransport::open(&fabric);
    let reliable_only = vec![Service::ReliableConnection];
    let server =
        ReferenceTransport::open(&fabric).described(|device| device.services = reliable_only);
    let asked = calm(Service::UnreliableDatagram, Operation::Send);
    let body = |session: Session<'_, _>| session.run(&asked);
    let (result, _) = session((&client, &server), &patient(), |direct| direct, body);
    let (_, message) = failure(&result);
    let due = "reference0 has no queue pairs of the service ud; it has those of: rc";
    assert!(message.contains(due), "{message}");
}

#[test]
fn a_configuration_may_ask_of_a_service_what_its_queue_pairs_have() {
    for &service in Service::ALL {
        for &operation in Operation::ALL {
            let write_fraction = (operation == Operation::Mixed).then_some(0.5);
            let loop_shape = match operation {
                Operation::WriteAnsweredBySend => LoopShape::PingPong,
                _ => short().loop_shape,
            };
            let asked =
                RunConfiguration { service, operation, write_fraction, loop_shape, ..short() };
            let destination = Destinations::of_new_endpoint().add([()])[0];
            let datagram = Opcode::Datagram { destination, immediate: None };
            let needs = match operation {
                Operation::Read => vec![Opcode::Read],
                Operation::Write => vec![Opcode::Write],
                Operation::Mixed => vec![Opcode::Read, Opcode::Write],
                Operation::WriteWithImmediate => vec![Opcode::WriteWithImmediate { immediate: 0 }],
                Operation::Send if service == Service::UnreliableDatagram => vec![datagram],
                Operation::Send => vec![Opcode::Send { immediate: None }],
                Operation::WriteAnsweredBySend => {
                    vec![Opcode::Write, Opcode::Send { immediate: None }]
                }
                Operation::CompareAndSwap => vec![Opcode::CompareAndSwap { compare: 0, swap: 0 }],
                Operation::FetchAndAdd => vec![Opcode::FetchAndAdd { add: 0 }],
            };
            let has = needs.iter().all(|opcode| opcode.is_of(service));
            assert_eq!(asked.check().is_ok(), has, "{service} {operation}: {:?}", asked.check());
        }
    }
}
