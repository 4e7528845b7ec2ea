//! Datagrams that no client of a run sent, from a third device that knows the server's queue pair and key.

use std::{sync::Arc, thread, time::Instant};

use onesided_conformance::reference::{Fabric, ReferenceTransport};
use onesided_results::{
    RunConfiguration,
    vocabulary::{Operation, ReceiveQueues, Service},
};
use onesided_runner::RunResult;
use onesided_transport::{
    Access, CompletionQueues, ConnectionAttributes, Endpoint, EndpointAttributes, LocalSegment,
    Opcode, PathMtu, Payload, Region, RegisteredMemory, RemoteSegment, Signal, Transport,
    WorkCompletion, WorkRequest,
};

use crate::{
    evidence::has_doubt,
    session::{SURELY, Session, devices, patient, session, short},
};

const DATAGRAMS: u64 = 10;
/// As long as the run's, so that what is checked at its end may only be of them.
const BYTES: u32 = 64;

/// What the third device sends.
#[derive(Clone, Copy)]
struct Sender {
    has_the_key: bool,
    bytes: u32,
}

/// Sends datagrams to the first queue pair that waits for some.
fn send_foreign(fabric: &Arc<Fabric>, sender: Sender) {
    let device = ReferenceTransport::open(fabric);
    let memory = RegisteredMemory::new(&device, sender.bytes as usize, Access::LOCAL).unwrap();
    let mut endpoint = device.create_endpoint(&attributes()).unwrap();
    let began = Instant::now();
    let mut address = loop {
        match fabric.waiting_for_datagrams().pop() {
            Some(address) => break address,
            None => thread::yield_now(),
        }
        assert!(began.elapsed() < SURELY, "nobody waits for datagrams");
    };
    if !sender.has_the_key {
        address.datagram_key = !address.datagram_key;
    }
    let to = endpoint.destinations(&address, &ConnectionAttributes::reliable(1)).unwrap()[0];
    let local = LocalSegment {
        address: memory.remote().address,
        length: sender.bytes,
        key: memory.region().local_key(),
    };
    for id in 0..DATAGRAMS {
        let request = WorkRequest {
            id,
            opcode: Opcode::Datagram { destination: to, immediate: None },
            local,
            remote: RemoteSegment::NONE,
            signal: Signal::Signaled,
            payload: Payload::Gathered,
        };
        // SAFETY: the memory outlives the endpoint's use, and nobody looks at it.
        unsafe { endpoint.post(0, &[request]) }.unwrap();
        let mut completions = [WorkCompletion::EMPTY; 1];
        while endpoint.poll(&mut completions).unwrap() == 0 {
            assert!(began.elapsed() < SURELY, "datagram {id} is not sent");
        }
    }
}

fn attributes() -> EndpointAttributes {
    EndpointAttributes {
        service: Service::UnreliableDatagram,
        queue_pairs: 1,
        send_queue_depth: 1,
        receive_queue_depth: 0,
        receive_queues: ReceiveQueues::PerQueuePair,
        inline_bytes: 0,
        completion_queues: CompletionQueues::PerThread,
        access: Access::LOCAL,
    }
}

/// A run of one message a millisecond, during which the third device sends, too.
fn disturbed(receive_queues: ReceiveQueues, sender: Sender) -> RunResult {
    let fabric = Arc::new(Fabric::right());
    let (client, server) = (ReferenceTransport::open(&fabric), ReferenceTransport::open(&fabric));
    let configuration = RunConfiguration {
        service: Service::UnreliableDatagram,
        operation: Operation::Send,
        access_bytes: BYTES,
        receive_queues,
        think_time_ns: 1_000_000,
        ..short()
    };
    thread::scope(|scope| {
        let foreign = scope.spawn(|| send_foreign(&fabric, sender));
        let body = |session: Session<'_, _>| session.run(&configuration);
        let (result, _) = session((&client, &server), &patient(), |direct| direct, body);
        foreign.join().unwrap();
        result
    })
}

#[test]
fn datagrams_that_no_client_sent_are_no_messages_of_the_run_and_doubted() {
    // Longer ones than the run's path MTU fit, too: they would stop a queue pair of Soft-RoCE.
    let longer = RunConfiguration::default().mtu_bytes + 1;
    for (receive_queues, bytes) in [
        (ReceiveQueues::PerQueuePair, BYTES),
        (ReceiveQueues::PerQueuePair, longer),
        (ReceiveQueues::PerQueuePair, PathMtu::LARGEST.bytes()),
        (ReceiveQueues::Shared, BYTES),
    ] {
        // On a machine that had no time for it, once more: what is sent last is the run's, and the content right.
        let sender = Sender { has_the_key: true, bytes };
        let mut tries = (0..4).map(|_| disturbed(receive_queues, sender).record);
        let record = tries.find(|record| record.outcome.is_valid()).expect("one of four is valid");
        let totals = record.totals.as_ref().expect("it measured");
        assert_eq!(
            totals.messages_received,
            Some(totals.completions),
            "{receive_queues}, {bytes} bytes"
        );
        let told =
            format!("the server got {DATAGRAMS} datagrams that no client of this run sent; they");
        let is_told = record.doubts.iter().any(|doubt| doubt.explanation.contains(&told));
        assert!(
            is_told && has_doubt(&record, "foreign-datagrams"),
            "{receive_queues}, {bytes} bytes: {:?}",
            record.doubts
        );
    }
}

#[test]
fn datagrams_with_another_key_disturb_no_run() {
    let sender = Sender { has_the_key: false, bytes: BYTES };
    let mut tries = (0..4).map(|_| disturbed(ReceiveQueues::PerQueuePair, sender).record);
    let record = tries.find(|record| record.outcome.is_valid()).expect("one of four is valid");
    let totals = record.totals.as_ref().expect("it measured");
    assert_eq!(totals.messages_received, Some(totals.completions), "{:?}", record.doubts);
    assert!(!has_doubt(&record, "foreign-datagrams"), "{:?}", record.doubts);
}

#[test]
fn a_run_that_nobody_disturbs_has_no_foreign_datagrams() {
    let (client, server) = devices(Fabric::right());
    let configuration = RunConfiguration {
        service: Service::UnreliableDatagram,
        operation: Operation::Send,
        think_time_ns: 1_000_000,
        queue_pairs: 3,
        threads: 2,
        ..short()
    };
    let body = |session: Session<'_, _>| session.run_soundly(&configuration);
    let (result, _) = session((&client, &server), &patient(), |direct| direct, body);
    assert!(!has_doubt(&result.record, "foreign-datagrams"), "{:?}", result.record.doubts);
}
