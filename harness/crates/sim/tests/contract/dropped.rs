//! What unreliable services drop in silence, and what a mistake at home does.

use std::sync::{Arc, atomic::Ordering::Relaxed};

use onesided_sim::{
    Parameters,
    transport::{HostConditions, SimDevice, SimFabric},
};
use onesided_transport::{
    Access, CompletionKind, CompletionStatus, DATAGRAM_HEADER, Endpoint, EndpointAttributes,
    LocalSegment, Opcode, Payload, RegisteredMemory, RemoteMemory, RemoteSegment, Signal,
    Transport, WorkCompletion, WorkRequest,
};

use crate::{
    hosts::{
        CONNECTION, DATAGRAM, ENDPOINT, Hosts, LINE, attributes, completion_of, destination,
        message, post, post_receive, source,
    },
    times::distinct,
};

#[test]
fn a_message_that_finds_no_receive_request_is_dropped_and_takes_none_that_comes_later() {
    for service in [CONNECTION, DATAGRAM] {
        let mut hosts = Hosts::of_service(&distinct(), service);
        let request = message(&mut hosts, service, 8);
        hosts.post(0, &[request]).unwrap();
        assert_eq!(hosts.wait(0).0.status, CompletionStatus::Success);
        assert_eq!(hosts.received(), None);
        hosts.receive(5, LINE as u32);
        assert_eq!(hosts.received(), None, "it was dropped");
        hosts.post(0, &[request]).unwrap();
        assert_eq!(hosts.received().map(|(received, _)| received.id), Some(5));
    }
}

#[test]
fn a_message_that_does_not_fit_or_may_not_be_written_leaves_its_receive_request_to_the_next() {
    for (service, header) in [(CONNECTION, 0), (DATAGRAM, DATAGRAM_HEADER)] {
        let mut hosts = Hosts::of_service(&distinct(), service);
        hosts.receive(5, header + 8);
        let long = message(&mut hosts, service, 9);
        let short = message(&mut hosts, service, 8);
        hosts.post(0, &[long, short]).unwrap();
        for _ in 0..2 {
            assert_eq!(hosts.wait(0).0.status, CompletionStatus::Success);
        }
        let (received, _) = hosts.received().expect("the short one arrives");
        let source = source(&hosts, service);
        let kind = CompletionKind::Receive { length: 8, immediate: Some(7), source };
        assert_eq!(
            (received.id, received.status, received.kind),
            (5, CompletionStatus::Success, kind)
        );
        let buffer = hosts.server.segment(0, header + 8);
        let wrong = LocalSegment { key: buffer.key ^ 1, ..buffer };
        post_receive(&mut hosts.peers[0], 6, Some(wrong)).unwrap();
        hosts.post(0, &[short]).unwrap();
        assert_eq!(hosts.wait(0).0.status, CompletionStatus::Success);
        assert_eq!(hosts.received(), None, "{service}: its buffer is not registered");
    }
}

#[test]
fn an_immediate_without_a_receive_request_writes_nothing() {
    let mut hosts = Hosts::of_service(&distinct(), CONNECTION);
    hosts.client.words()[0].store(9, Relaxed);
    let write = hosts.request(0, Opcode::WriteWithImmediate { immediate: 1 }, 8);
    hosts.post(0, &[write]).unwrap();
    assert_eq!(hosts.wait(0).0.status, CompletionStatus::Success);
    assert_eq!(hosts.received(), None);
    assert_eq!(hosts.server.words()[0].load(Relaxed), 0);
    post_receive(&mut hosts.peers[0], 4, None).unwrap();
    hosts.post(0, &[write]).unwrap();
    let (received, _) = hosts.received().expect("it arrives");
    assert_eq!(
        received.kind,
        CompletionKind::Receive { length: 8, immediate: Some(1), source: None }
    );
    assert_eq!(hosts.server.words()[0].load(Relaxed), 9);
}

#[test]
fn a_queue_pair_that_grants_no_writes_or_has_gone_has_them_dropped() {
    let endpoint = EndpointAttributes { service: CONNECTION, access: Access::LOCAL, ..ENDPOINT };
    let conditions = HostConditions::default();
    let mut hosts = Hosts::of_endpoints(&distinct(), 1, conditions, &attributes(), &endpoint);
    hosts.client.words()[0].store(9, Relaxed);
    let write = hosts.request(0, Opcode::Write, 8);
    for is_there in [true, false] {
        if !is_there {
            hosts.peers.clear();
        }
        hosts.post(0, &[write, write]).unwrap();
        for _ in 0..2 {
            assert_eq!(hosts.wait(0).0.status, CompletionStatus::Success);
        }
    }
    assert_eq!(hosts.server.words()[0].load(Relaxed), 0);
}

/// What a queue pair that is written to does before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Before {
    Connects,
    ConnectsToAnother,
    ConnectsAndFails,
    Nothing,
}

/// The word that is there once a write of 9 is over and nothing happens any more.
fn written(before: Before) -> u64 {
    let fabric = Arc::new(SimFabric::new(&distinct(), 1));
    let [here, there] = [(); 2].map(|()| SimDevice::new(&fabric, HostConditions::default()));
    let memory = |device| RegisteredMemory::new(device, LINE, Access::REMOTE).unwrap();
    let (source, target) = (memory(&here), memory(&there));
    let endpoint = EndpointAttributes { service: CONNECTION, ..ENDPOINT };
    let made = |device: &SimDevice| device.create_endpoint(&endpoint).unwrap();
    let (mut sender, other, mut receiver) = (made(&here), made(&here), made(&there));
    let peer = if before == Before::ConnectsToAnother { &other } else { &sender };
    let peer = (before != Before::Nothing).then(|| peer.address(None));
    if let Some(peer) = peer {
        receiver.connect(&peer, &attributes()).unwrap();
    }
    sender.connect(&receiver.address(None), &attributes()).unwrap();
    source.words()[0].store(9, Relaxed);
    let RemoteMemory { address, key, .. } = target.remote();
    let write = WorkRequest {
        id: 1,
        opcode: Opcode::Write,
        local: source.segment(0, 8),
        remote: RemoteSegment { address, key },
        signal: Signal::Signaled,
        payload: Payload::Gathered,
    };
    if before == Before::ConnectsAndFails {
        // The memory of the other host is not its own.
        post(&mut receiver, &[write]).unwrap();
        let failed = completion_of(&mut receiver).expect("it is over").status;
        assert_eq!(failed, CompletionStatus::LocalProtectionError);
    }
    post(&mut sender, &[write]).unwrap();
    let sent = completion_of(&mut sender).expect("it is over").status;
    assert_eq!(sent, CompletionStatus::Success, "{before:?}");
    assert_eq!(completion_of(&mut sender), None);
    target.words()[0].load(Relaxed)
}

#[test]
fn a_queue_pair_takes_writes_of_its_peer_alone_and_none_while_it_is_in_error_or_has_no_peer() {
    assert_eq!(written(Before::Connects), 9);
    for before in [Before::ConnectsToAnother, Before::ConnectsAndFails, Before::Nothing] {
        assert_eq!(written(before), 0, "{before:?}");
    }
}

#[test]
fn a_datagram_to_a_queue_pair_of_another_service_never_arrives() {
    let mut hosts = Hosts::of_service(&distinct(), DATAGRAM);
    let device = SimDevice::new(&hosts.fabric, HostConditions::default());
    let endpoint = EndpointAttributes { service: CONNECTION, ..ENDPOINT };
    let mut connection = device.create_endpoint(&endpoint).unwrap();
    // It takes the sender for its peer.
    connection.connect(&hosts.threads[0].address(None), &attributes()).unwrap();
    post_receive(&mut connection, 5, None).unwrap();
    let destination = destination(&mut hosts.threads[0], &connection.address(None));
    let request = hosts.request(0, Opcode::Datagram { destination, immediate: None }, 0);
    hosts.post(0, &[request]).unwrap();
    assert_eq!(hosts.wait(0).0.status, CompletionStatus::Success);
    let mut one = [WorkCompletion::EMPTY];
    assert!((0..100).all(|_| connection.poll(&mut one).unwrap() == 0));
}

#[test]
fn a_local_mistake_ends_an_unreliable_queue_pair_and_nothing_behind_it_is_sent() {
    for service in [CONNECTION, DATAGRAM] {
        let mut hosts = Hosts::of_service(&distinct(), service);
        hosts.receive(1, LINE as u32);
        let right = message(&mut hosts, service, 8);
        let local = LocalSegment { key: right.local.key ^ 1, ..right.local };
        let wrong = WorkRequest { id: 8, local, ..right };
        hosts.post(0, &[wrong, WorkRequest { id: 9, ..right }]).unwrap();
        let ended = [hosts.wait(0).0, hosts.wait(0).0].map(|ended| (ended.id, ended.status));
        let expected =
            [(8, CompletionStatus::LocalProtectionError), (9, CompletionStatus::Flushed)];
        assert_eq!(ended, expected, "{service}");
        assert_eq!(hosts.received(), None, "{service}");
    }
}

#[test]
fn what_is_refused_when_it_arrives_costs_the_responder_no_bus() {
    // A nanosecond a byte on PCI Express: 1000 bytes hold up what comes next.
    let parameters = Parameters { pcie_ns_per_byte: 1.0, ..distinct() };
    let landed = |is_right: bool| {
        let mut hosts = Hosts::of_service(&parameters, CONNECTION);
        post_receive(&mut hosts.peers[0], 1, None).unwrap();
        let mut first = hosts.request(0, Opcode::Write, 1_000);
        first.remote.key ^= u32::from(!is_right);
        let second = hosts.request(0, Opcode::WriteWithImmediate { immediate: 1 }, 8);
        hosts.post(0, &[first, second]).unwrap();
        hosts.received().expect("it arrives").1
    };
    // The second is a packet behind four, and 8 bytes of its own.
    let alone = landed(false);
    assert!(landed(true).since(alone).ns() > 900.0, "{:?} and {alone:?}", landed(true));
}
