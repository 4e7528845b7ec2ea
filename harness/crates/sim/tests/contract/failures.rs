//! What goes wrong takes its time, too.

use onesided_sim::{ByVerb, Moment, Parameters, transport::HostConditions};
use onesided_transport::{
    CompletionKind, CompletionStatus, ConnectionAttributes, Endpoint, Opcode, PostError,
    ReceiveRequest, WorkCompletion,
};

use crate::hosts::{Hosts, attributes, post};

const MICROSECOND: u64 = 1_000_000;

fn machine() -> Parameters {
    Parameters { memory_ns: ByVerb::all(1e5), one_way_ns: 100.0, ..Parameters::ideal() }
}

fn connected(attributes: &ConnectionAttributes) -> Hosts {
    Hosts::connected(&machine(), 1, HostConditions::default(), attributes)
}

#[test]
fn a_refusal_does_not_wait_for_memory_and_ends_both_queue_pairs() {
    let mut hosts = Hosts::new(&machine(), 1);
    // SAFETY: no buffer is given.
    unsafe { hosts.peers[0].post_receives(0, &[ReceiveRequest { id: 7, buffer: None }]) }.unwrap();
    let mut read = hosts.request(0, Opcode::Read, 8);
    read.remote.key ^= 1;
    hosts.post(0, &[read]).unwrap();
    let (completion, at) = hosts.wait(0);
    assert_eq!(completion.status, CompletionStatus::RemoteAccessError);
    assert_eq!(at, Moment(200_000));
    let mut one = [WorkCompletion::EMPTY];
    assert_eq!(hosts.peers[0].poll(&mut one).unwrap(), 1);
    let kind = CompletionKind::Receive { length: 0, immediate: None, source: None };
    assert_eq!((one[0].id, one[0].status, one[0].kind), (7, CompletionStatus::Flushed, kind));
    hosts.post(0, &[read]).unwrap();
    assert_eq!(hosts.wait(0).0.status, CompletionStatus::Flushed);
}

#[test]
fn a_lost_peer_is_given_up_after_the_time_out_of_each_try() {
    let limits = ConnectionAttributes { timeout_exponent: 3, retry_count: 2, ..attributes() };
    let mut hosts = connected(&limits);
    hosts.peers.clear();
    let read = hosts.request(0, Opcode::Read, 8);
    hosts.post(0, &[read, read]).unwrap();
    let (completion, at) = hosts.wait(0);
    assert_eq!(completion.status, CompletionStatus::RetryExceeded);
    // 4.096 µs * 2^3 of waiting, thrice, from when it was on its way.
    assert_eq!(at, Moment(3 * 8 * 4_096_000 + 100_000));
    assert_eq!(hosts.wait(0).0.status, CompletionStatus::Flushed);
}

#[test]
fn a_write_with_immediate_waits_for_a_receive_that_comes_in_time() {
    let mut hosts = connected(&ConnectionAttributes { rnr_retry: 7, ..attributes() });
    let write = hosts.request(0, Opcode::WriteWithImmediate { immediate: 9 }, 8);
    hosts.post(0, &[write]).unwrap();
    let mut one = [WorkCompletion::EMPTY];
    // For ever means that no poll does: it is asked again each 0.64 ms.
    for _ in 0..20 {
        assert_eq!(hosts.threads[0].poll(&mut one).unwrap(), 0);
    }
    assert!(hosts.fabric.now() > Moment(10 * 640 * MICROSECOND));
    // SAFETY: no buffer is given.
    unsafe { hosts.peers[0].post_receives(0, &[ReceiveRequest { id: 7, buffer: None }]) }.unwrap();
    assert_eq!(hosts.wait(0).0.status, CompletionStatus::Success);
    assert_eq!(hosts.peers[0].poll(&mut one).unwrap(), 1);
    assert_eq!(
        one[0].kind,
        CompletionKind::Receive { length: 8, immediate: Some(9), source: None }
    );
}

#[test]
fn bytes_move_when_memory_has_the_answer_and_not_before() {
    let mut hosts = Hosts::new(&machine(), 1);
    let before = |hosts: &Hosts| hosts.client.words()[0].load(std::sync::atomic::Ordering::Relaxed);
    hosts.server.words()[0].store(1, std::sync::atomic::Ordering::Relaxed);
    let read = hosts.request(0, Opcode::Read, 8);
    hosts.post(0, &[read]).unwrap();
    let mut one = [WorkCompletion::EMPTY];
    while hosts.fabric.now() < Moment(100_100_000) {
        assert_eq!(before(&hosts), 0);
        // What is stored until then is what is read.
        hosts.server.words()[0].store(2, std::sync::atomic::Ordering::Relaxed);
        hosts.threads[0].poll(&mut one).unwrap();
    }
    hosts.server.words()[0].store(3, std::sync::atomic::Ordering::Relaxed);
    hosts.wait(0);
    assert_eq!(before(&hosts), 2);
}

#[test]
fn a_connection_without_reads_in_flight_or_made_twice_is_refused() {
    let mut hosts = Hosts::new(&machine(), 1);
    let peer = hosts.peers[0].address(None);
    let again = hosts.threads[0].connect(&peer, &attributes()).unwrap_err().to_string();
    assert!(again.ends_with("it was connected before"), "{again}");
    let none = ConnectionAttributes { max_rd_atomic: 0, ..attributes() };
    let none = hosts.threads[0].connect(&peer, &none).unwrap_err().to_string();
    assert!(none.ends_with("max_rd_atomic 0 is not within 1 and 128"), "{none}");
}

#[test]
fn an_atomic_of_another_length_is_refused() {
    let mut hosts = Hosts::new(&machine(), 1);
    let add = hosts.request(0, Opcode::FetchAndAdd { add: 1 }, 16);
    let refused = post(&mut hosts.threads[0], &[add]);
    assert!(matches!(refused, Err(PostError::Invalid { request: 0, .. })), "{refused:?}");
}
