//! What is sent over unreliable services: when it is over, and when it is there.

use std::sync::{Arc, atomic::Ordering::Relaxed};

use onesided_sim::{
    ByReach, ByVerb, Moment, Parameters,
    transport::{HostConditions, SimDevice, SimFabric},
};
use onesided_transport::{
    CompletionKind, CompletionStatus, DATAGRAM_HEADER, Endpoint, EndpointAttributes, Opcode,
    Payload, Service, Transport, WorkCompletion, WorkRequest,
};

use crate::{
    hosts::{
        CONNECTION, DATAGRAM, ENDPOINT, Hosts, LINE, attributes, message, post_receive, source,
    },
    times::distinct,
};

/// When a message of a service is over at its sender, and when the server's thread has it.
fn times(parameters: &Parameters, service: Service, length: u32) -> (Moment, Moment) {
    let mut hosts = Hosts::of_service(parameters, service);
    hosts.receive(5, LINE as u32);
    let request = message(&mut hosts, service, length);
    hosts.post(0, &[request]).unwrap();
    let (completion, sent) = hosts.wait(0);
    assert_eq!(completion.status, CompletionStatus::Success);
    let (received, at) = hosts.received().expect("it arrives");
    let source = source(&hosts, service);
    assert_eq!(received.kind, CompletionKind::Receive { length, immediate: Some(7), source });
    (sent, at)
}

#[test]
fn an_unreliable_request_is_over_when_it_has_left_the_card_and_a_reliable_one_when_answered() {
    // Thread, doorbell, card, one packet; completion and poll.
    let (left, seen) = (1 + 2 + 4 + 8, 256 + 512);
    // The way and the responder's card.
    let there = 16 + 32;
    for service in [CONNECTION, DATAGRAM] {
        let told = times(&distinct(), service, 8);
        let expected = (left + seen, left + there + seen);
        assert_eq!(told, (Moment(expected.0 * 1_000), Moment(expected.1 * 1_000)), "{service}");
    }
    // An acknowledgement is one more packet, and goes the same way back.
    let told = times(&distinct(), Service::ReliableConnection, 8);
    let expected = (left + there + 8 + 16 + seen, left + there + seen);
    assert_eq!(told.0, Moment(expected.0 * 1_000));
}

#[test]
fn a_long_unreliable_request_is_over_when_its_last_packet_has_left() {
    // 1000 bytes are 4 packets of 256; the first is on its way before the last.
    let told = times(&distinct(), CONNECTION, 1_000).0;
    assert_eq!(told, Moment((1 + 2 + 4 + 4 * 8 + 256 + 512) * 1_000));
    // A datagram is one packet, whatever path MTU connections have.
    let told = times(&distinct(), DATAGRAM, 900).0;
    assert_eq!(told, Moment((1 + 2 + 4 + 8 + 256 + 512) * 1_000));
}

#[test]
fn bytes_of_a_write_over_an_unreliable_connection_are_there_when_memory_has_them_and_not_before() {
    let mut hosts = Hosts::of_service(&distinct(), CONNECTION);
    hosts.client.words()[0].store(9, Relaxed);
    let write = hosts.request(0, Opcode::Write, 8);
    hosts.post(0, &[write]).unwrap();
    let mut one = [WorkCompletion::EMPTY];
    while hosts.fabric.now() < Moment((1 + 2 + 4 + 8 + 16 + 32) * 1_000) {
        assert_eq!(hosts.server.words()[0].load(Relaxed), 0, "at {:?}", hosts.fabric.now());
        assert_eq!(hosts.threads[0].poll(&mut one).unwrap(), 0);
    }
    assert_eq!(hosts.server.words()[0].load(Relaxed), 9);
}

/// A machine on which the way takes longer than all else.
fn far() -> Parameters {
    Parameters { one_way_ns: 1e6, completion_ns: 1.0, ..Parameters::ideal() }
}

#[test]
fn memory_is_free_once_an_unreliable_request_is_over_although_its_bytes_are_under_way() {
    for service in [CONNECTION, DATAGRAM] {
        let mut hosts = Hosts::of_service(&far(), service);
        hosts.client.words()[0].store(9, Relaxed);
        hosts.receive(0, LINE as u32);
        let request = message(&mut hosts, service, 8);
        hosts.post(0, &[request]).unwrap();
        assert_eq!(hosts.wait(0).1, Moment(1_000));
        hosts.client.words()[0].store(1, Relaxed);
        hosts.received().expect("it arrives");
        let header = if service == DATAGRAM { DATAGRAM_HEADER as usize } else { 0 };
        assert_eq!(hosts.server.words()[header / 8].load(Relaxed), 9, "{service}");
    }
}

#[test]
fn what_has_left_the_card_arrives_although_its_queue_pair_is_dropped() {
    for service in [CONNECTION, DATAGRAM] {
        let mut hosts = Hosts::of_service(&far(), service);
        hosts.receive(3, LINE as u32);
        let request = message(&mut hosts, service, 8);
        hosts.post(0, &[request]).unwrap();
        hosts.wait(0);
        hosts.threads.clear();
        let (received, at) = hosts.received().expect("it arrives");
        assert_eq!((received.id, at), (3, Moment(1_000_001_000)), "{service}");
    }
}

#[test]
fn a_request_of_a_datagram_is_longer_in_cache_lines() {
    let line = 100.0;
    let parameters = Parameters { wqe_line_ns: line, ..Parameters::ideal() };
    let sent = |service| {
        let endpoint = EndpointAttributes { service, inline_bytes: 64, ..ENDPOINT };
        let conditions = HostConditions::default();
        let mut hosts = Hosts::of_endpoints(&parameters, 1, conditions, &attributes(), &endpoint);
        // Headers of 36 and 68 bytes (Kalia et al., table 1) before 20: one line of 64, and two.
        let request = message(&mut hosts, service, 20);
        hosts.post(0, &[WorkRequest { payload: Payload::Inline, ..request }]).unwrap();
        hosts.wait(0).1
    };
    assert_eq!((sent(CONNECTION), sent(DATAGRAM)), (Moment(100_000), Moment(200_000)));
}

#[test]
fn keys_of_datagrams_are_those_of_the_seed_and_differ_between_endpoints() {
    let keys = |seed| {
        let fabric = Arc::new(SimFabric::new(&distinct(), seed));
        let device = SimDevice::new(&fabric, HostConditions::default());
        let endpoint = EndpointAttributes { service: DATAGRAM, ..ENDPOINT };
        let key = |_| device.create_endpoint(&endpoint).unwrap().address(None).datagram_key;
        (0..8).map(key).collect::<Vec<_>>()
    };
    let told = keys(1);
    assert_eq!(keys(1), told);
    assert_ne!(keys(2), told);
    let different: std::collections::BTreeSet<_> = told.iter().collect();
    assert_eq!(different.len(), told.len(), "{told:?}");
    assert!(told.iter().all(|key| key >> 31 == 0));
}

#[test]
fn messages_over_an_unreliable_connection_land_in_order_although_memory_is_ready_for_a_later_one() {
    // Room for three writes that memory has not taken, each of which keeps its line for 500 ns.
    let line_ns = ByVerb::all(ByReach { local: 500.0, remote: 500.0 });
    let parameters = Parameters { line_ns, posted_writes: 3.0, ..Parameters::ideal() };
    let endpoint = EndpointAttributes { service: CONNECTION, receive_queue_depth: 8, ..ENDPOINT };
    let conditions = HostConditions::default();
    let mut hosts = Hosts::of_endpoints(&parameters, 1, conditions, &attributes(), &endpoint);
    // Three of one line are through after 500, 1000 and 1500 ns. The fourth takes the first one's room, is
    // through after 1000 ns, and leaves its room to the seventh: the sixth gets that of the third, later.
    let list = [0, 0, 0, 1, 2, 3, 4].map(|line| {
        let immediate = post_receive(&mut hosts.peers[0], 0, None).map(|()| line).unwrap();
        let write = hosts.request(0, Opcode::WriteWithImmediate { immediate }, 8);
        WorkRequest { remote: hosts.place(64 * line as usize), ..write }
    });
    hosts.post(0, &list).unwrap();
    let landed = [(); 7].map(|()| hosts.received().expect("it arrives"));
    let told = landed.map(|(received, at)| match received.kind {
        CompletionKind::Receive { immediate, .. } => (immediate.expect("it has one"), at.ns()),
        CompletionKind::Request => panic!("{received:?}"),
    });
    let expected = [(0, 0), (0, 0), (0, 0), (1, 500), (2, 1_000), (3, 1_500), (4, 1_500)];
    assert_eq!(told, expected);
}
