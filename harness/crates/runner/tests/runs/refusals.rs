//! Runs that one of the sides cannot do, and what the record says about them.

use std::sync::Arc;

use onesided_conformance::reference::{Fabric, ReferenceTransport};
use onesided_results::{RunConfiguration, vocabulary::Phase};
use onesided_runner::{RunResult, SessionSummary};
use onesided_transport::{DeviceDescription, PortState};

use crate::{
    evidence::{failure, has_doubt, sound},
    session::{patient, session, short},
};

/// Does runs one after another against a server whose device is otherwise than the client's.
fn against<const RUNS: usize>(
    change: impl FnOnce(&mut DeviceDescription),
    configurations: [&RunConfiguration; RUNS],
) -> ([RunResult; RUNS], SessionSummary) {
    let fabric = Arc::new(Fabric::right());
    let client = ReferenceTransport::open(&fabric);
    let server = ReferenceTransport::open(&fabric).described(change);
    let (results, served) = session(
        (&client, &server),
        &patient(),
        |direct| direct,
        |session| configurations.map(|configuration| session.run_soundly(configuration)),
    );
    (results, served.unwrap())
}

#[test]
fn a_server_that_has_no_more_queue_pairs_refuses_with_its_limit_and_serves_the_next_run() {
    let many = RunConfiguration { queue_pairs: 9, ..short() };
    let (results, served) = against(|device| device.limits.queue_pairs = 8, [&many, &short()]);
    let (phase, message) = failure(&results[0]);
    assert_eq!(phase, Phase::Connect);
    let due =
        "the server says (set-up): queue pairs: queue pairs 9 is above the device's limit of 8";
    assert_eq!(message, due);
    sound(&results[1]);
    assert_eq!(served.failed, 1);
}

#[test]
fn a_node_that_the_server_does_not_have_is_its_refusal() {
    let elsewhere = RunConfiguration { server_region: "node:77".to_owned(), ..short() };
    let (results, _) = against(|_| {}, [&elsewhere]);
    let (_, message) = failure(&results[0]);
    let told = message.starts_with("the server says (set-up): server-region = node:77: ");
    assert!(told && message.contains("77"), "{message}");
}

#[test]
fn a_server_whose_port_is_down_says_what_to_do() {
    let (results, served) = against(|device| device.port_state = PortState::Inactive, [&short()]);
    let (_, message) = failure(&results[0]);
    assert!(message.contains("is not active: bring its link up"), "{message}");
    assert_eq!((served.finished, served.failed), (0, 1));
}

#[test]
fn a_run_that_the_client_cannot_do_is_abandoned_and_the_next_one_is_done() {
    let deep = RunConfiguration { send_queue_depth: 4096, ..short() };
    let impossible = RunConfiguration { window: 0, ..short() };
    let (results, served) = against(|_| {}, [&deep, &impossible, &short()]);
    let (phase, message) = failure(&results[0]);
    assert_eq!(phase, Phase::SetUp);
    // By the number that was asked for, not by what the runner makes of it.
    let told = "send_queue_depth (--send-queue-depth) is 4096; allowed: at most 4095,";
    assert!(message.starts_with(told), "{message}");
    assert!(failure(&results[1]).1.contains("window is 0; allowed: 1 to 2097152"));
    sound(&results[2]);
    assert_eq!(served.failed, 1, "the second was never asked for");
}

#[test]
fn fewer_outstanding_reads_than_asked_are_agreed_on_and_told() {
    let asked = RunConfiguration { max_rd_atomic: 16, window: 16, ..short() };
    let lower = |device: &mut DeviceDescription| device.limits.max_rd_atomic_as_responder = 4;
    let ([result], _) = against(lower, [&asked]);
    sound(&result);
    assert_eq!(result.record.negotiated.as_ref().unwrap().max_rd_atomic, 4);
    assert!(has_doubt(&result.record, "max-rd-atomic-lowered"), "{:?}", result.record.doubts);
}

#[test]
fn a_software_device_on_either_side_is_told() {
    let ([result], _) = against(|device| device.driver = Some("rdma_rxe".to_owned()), [&short()]);
    sound(&result);
    assert!(has_doubt(&result.record, "software-device"), "{:?}", result.record.doubts);
}
