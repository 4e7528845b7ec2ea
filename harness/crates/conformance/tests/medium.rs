//! What a fabric loses and lets arrive late is what it was told to, and the same each time.

use std::{collections::BTreeSet, sync::Arc};

use onesided_conformance::reference::{Fabric, ReferenceEndpoint, ReferenceTransport};
use onesided_transport::{
    Access, CompletionKind, CompletionQueues, ConnectionAttributes, DATAGRAM_HEADER, Endpoint,
    EndpointAttributes, LocalSegment, Opcode, Payload, ReceiveQueues, ReceiveRequest, Region,
    RegisteredMemory, RemoteSegment, Service, Signal, Transport, WorkCompletion, WorkRequest,
};

const MESSAGES: u32 = 1_000;
/// Polls of both ends after which nothing more comes.
const POLLS: u32 = 4 * MESSAGES;

/// Sends numbered messages of four bytes one after another; the numbers of those that arrived, in order.
fn arrived(fabric: Fabric, service: Service) -> (Arc<Fabric>, Vec<u32>) {
    let fabric = Arc::new(fabric);
    let device = ReferenceTransport::open(&fabric);
    let room = DATAGRAM_HEADER + 4;
    let memory = RegisteredMemory::new(&device, room as usize, Access::LOCAL).unwrap();
    let segment = |length| LocalSegment {
        address: memory.remote().address,
        length,
        key: memory.region().local_key(),
    };
    let make = || device.create_endpoint(&attributes(service)).unwrap();
    let (mut client, mut server) = (make(), make());
    let opcode = meet(&mut client, &mut server, service);
    for id in 0..u64::from(MESSAGES) {
        let receive = ReceiveRequest { id, buffer: Some(segment(room)) };
        // SAFETY: the memory outlives both endpoints, and nobody looks at it.
        unsafe { server.post_receives(0, &[receive]) }.unwrap();
    }
    let mut found = Vec::new();
    for poll in 0..POLLS {
        if poll < MESSAGES {
            let request = WorkRequest {
                id: 0,
                opcode: opcode(poll),
                local: segment(4),
                remote: RemoteSegment::NONE,
                signal: Signal::Unsignaled,
                payload: Payload::Gathered,
            };
            // SAFETY: as above.
            unsafe { client.post(0, &[request]) }.unwrap();
        }
        let mut completions = [WorkCompletion::EMPTY; 64];
        assert_eq!(client.poll(&mut completions).unwrap(), 0, "none is signaled, and none fails");
        let count = server.poll(&mut completions).unwrap();
        found.extend(completions[..count].iter().map(|completion| match completion.kind {
            CompletionKind::Receive { immediate: Some(number), .. } => number,
            other => panic!("{other:?}"),
        }));
    }
    (fabric, found)
}

fn attributes(service: Service) -> EndpointAttributes {
    EndpointAttributes {
        service,
        queue_pairs: 1,
        send_queue_depth: 16,
        receive_queue_depth: MESSAGES,
        receive_queues: ReceiveQueues::PerQueuePair,
        inline_bytes: 0,
        completion_queues: CompletionQueues::PerThread,
        access: Access::LOCAL,
    }
}

/// Lets the client send to the server; what it posts for a number.
fn meet(
    client: &mut ReferenceEndpoint,
    server: &mut ReferenceEndpoint,
    service: Service,
) -> Box<dyn Fn(u32) -> Opcode> {
    let attributes = ConnectionAttributes::reliable(1);
    if service == Service::UnreliableDatagram {
        let to = client.destinations(&server.address(None), &attributes).unwrap()[0];
        return Box::new(move |number| Opcode::Datagram {
            destination: to,
            immediate: Some(number),
        });
    }
    client.connect(&server.address(None), &attributes).unwrap();
    server.connect(&client.address(None), &attributes).unwrap();
    Box::new(|number| Opcode::Send { immediate: Some(number) })
}

fn unreliable() -> [Service; 2] {
    [Service::UnreliableConnection, Service::UnreliableDatagram]
}

fn is_in_order(numbers: &[u32]) -> bool {
    numbers.is_sorted_by(|first, second| first < second)
}

#[test]
fn every_nth_message_of_an_unreliable_service_is_lost_and_no_other() {
    for service in unreliable() {
        let (fabric, numbers) = arrived(Fabric::right().dropping(10), service);
        let due: Vec<_> = (0..MESSAGES).filter(|number| number % 10 != 9).collect();
        assert_eq!(numbers, due, "{service}");
        assert_eq!(fabric.lost(), u64::from(MESSAGES / 10), "{service}");
    }
}

#[test]
fn a_seed_decides_which_messages_are_lost_and_the_share_how_many() {
    for service in unreliable() {
        let lose = |seed| arrived(Fabric::right().losing(0.3, seed), service);
        let (fabric, numbers) = lose(7);
        assert_eq!(numbers.len() as u64 + fabric.lost(), u64::from(MESSAGES), "{service}");
        // 300 +- 14.5: four deviations.
        assert!((242..=358).contains(&fabric.lost()), "{service}: {}", fabric.lost());
        assert!(is_in_order(&numbers), "{service}");
        assert_eq!(numbers, lose(7).1, "{service}");
        assert_ne!(numbers, lose(8).1, "{service}");
        assert_eq!(arrived(Fabric::right().losing(0.0, 7), service).1.len() as u32, MESSAGES);
        assert!(arrived(Fabric::right().losing(1.0, 7), service).1.is_empty());
    }
}

#[test]
fn datagrams_overtake_each_other_and_all_arrive_once() {
    let reorder = |seed| arrived(Fabric::right().reordering(seed), Service::UnreliableDatagram);
    let (fabric, numbers) = reorder(1);
    assert!(!is_in_order(&numbers), "{numbers:?}");
    let distinct: BTreeSet<_> = numbers.iter().copied().collect();
    assert_eq!((numbers.len(), distinct), (MESSAGES as usize, (0..MESSAGES).collect()));
    assert_eq!(fabric.lost(), 0);
    assert_eq!(numbers, reorder(1).1);
    assert_ne!(numbers, reorder(2).1);
}

#[test]
fn a_message_of_a_connection_that_was_overtaken_is_lost_and_none_comes_late() {
    let (fabric, numbers) = arrived(Fabric::right().reordering(1), Service::UnreliableConnection);
    assert!(is_in_order(&numbers), "{numbers:?}");
    assert!(fabric.lost() > 0 && !numbers.is_empty(), "{} lost", fabric.lost());
    assert_eq!(numbers.len() as u64 + fabric.lost(), u64::from(MESSAGES));
}

#[test]
fn a_reliable_service_loses_nothing_and_keeps_its_order_whatever_the_way_does() {
    let fabric = Fabric::right().losing(0.5, 1).reordering(1);
    let (fabric, numbers) = arrived(fabric, Service::ReliableConnection);
    assert_eq!((numbers, fabric.lost()), ((0..MESSAGES).collect(), 0));
}

#[test]
#[should_panic(expected = "one of 0 messages cannot be lost")]
fn one_of_no_messages_is_no_share() {
    let _ = Fabric::right().dropping(0);
}

#[test]
#[should_panic(expected = "from 0 to 1: 1.5")]
fn more_than_all_messages_are_no_share() {
    let _ = Fabric::right().losing(1.5, 0);
}
