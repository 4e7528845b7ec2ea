use std::{mem::ManuallyDrop, ptr::NonNull, sync::atomic::Ordering};

use onesided_transport::{
    Access, CompletionQueues, CompletionStatus, ConnectionAttributes, Endpoint, EndpointAttributes,
    ReceiveQueues, RegisteredMemory, Service, Signal, Transport, WorkCompletion,
};

use super::*;
use crate::{
    RmcDevice, RmcOptions, RmcRegion,
    shared::{
        delay::Stamp,
        packet::{Reply, Status},
        ring::Sender,
    },
};

const LINES: usize = 512;

/// A connected endpoint whose peer can be stopped: nothing of it is dropped, since a node that
/// answers nothing would be waited for.
struct Pair {
    client: ManuallyDrop<RmcEndpoint>,
    _server: ManuallyDrop<RmcEndpoint>,
    there: ManuallyDrop<RmcDevice>,
    local: ManuallyDrop<RegisteredMemory<RmcRegion>>,
    remote: ManuallyDrop<RegisteredMemory<RmcRegion>>,
    _fabric: tempfile::TempDir,
}

impl Pair {
    fn with(queue_pairs: usize, reads: u8) -> Self {
        let fabric = tempfile::tempdir_in("/dev/shm").unwrap();
        let options = RmcOptions { fabric: fabric.path().to_owned(), ..RmcOptions::default() };
        let [here, there] = [(); 2].map(|()| RmcDevice::open(&options).unwrap());
        let attributes = EndpointAttributes {
            service: Service::ReliableConnection,
            queue_pairs,
            send_queue_depth: 64,
            receive_queue_depth: 0,
            receive_queues: ReceiveQueues::PerQueuePair,
            inline_bytes: 0,
            completion_queues: CompletionQueues::PerThread,
            access: Access::REMOTE,
        };
        let [mut client, mut server] =
            [&here, &there].map(|node| node.create_endpoint(&attributes).unwrap());
        let connection = ConnectionAttributes::reliable(reads);
        server.connect(&client.address(None), &connection).unwrap();
        client.connect(&server.address(None), &connection).unwrap();
        let memory = |node| RegisteredMemory::new(node, 64 * LINES, Access::REMOTE).unwrap();
        let (local, remote) = (memory(&here), memory(&there));
        Self {
            client: ManuallyDrop::new(client),
            _server: ManuallyDrop::new(server),
            there: ManuallyDrop::new(there),
            local: ManuallyDrop::new(local),
            remote: ManuallyDrop::new(remote),
            _fabric: fabric,
        }
    }

    /// Nobody executes anything any more.
    fn stop(&self) {
        self.there.node().local.end();
    }

    fn post(&mut self, queue_pair: usize, opcode: Opcode, line: usize, length: u32) {
        let RemoteSegment { address, key } =
            RemoteSegment { address: self.remote.remote().address, key: self.remote.remote().key };
        let request = WorkRequest {
            id: line as u64,
            opcode,
            local: self.local.segment(64 * line, length),
            remote: RemoteSegment { address: address + 64 * line as u64, key },
            signal: Signal::Signaled,
            payload: Payload::Gathered,
        };
        // SAFETY: the memory is never dropped, and accessed by atomics.
        unsafe { self.client.post(queue_pair, &[request]) }.unwrap();
    }

    fn poll(&mut self) -> Vec<u64> {
        let mut completions = [WorkCompletion::EMPTY; 16];
        let count = self.client.poll(&mut completions).unwrap();
        let ended = completions[..count].iter();
        ended
            .map(|done| {
                assert_eq!(done.status, CompletionStatus::Success);
                done.id
            })
            .collect()
    }
}

/// Of 300 that were under way each place of the table has had a packet of one line.
#[test]
fn replies_to_what_is_not_under_way_are_not_taken() {
    let mut pair = Pair::with(1, 16);
    for number in 0..300 {
        pair.post(0, Opcode::Read, number, 64);
        while pair.poll().is_empty() {}
    }
    pair.stop();
    pair.local.words().iter().for_each(|word| word.store(7, Ordering::Relaxed));
    pair.post(0, Opcode::Read, 500, 64);
    pair.post(0, Opcode::Read, 501, 64);
    let rings = &pair.there.node().local.own.memory.rings[0];
    // SAFETY: the responder has ended; the rings stay.
    let mut replies = unsafe { Sender::new(NonNull::from(&rings.replies)) };
    for number in 0..303_u64 {
        let (status, stamp) = (Status::Done, Stamp(0));
        let reply =
            Reply { transfer: number as u8, status, payload: true, lines: 1, stamp, found: 0 };
        // SAFETY: the requester has taken what was there.
        unsafe { replies.publish_line(reply.words()) };
    }
    let mut ended = Vec::new();
    for _ in 0..100 {
        ended.extend(pair.poll());
    }
    assert_eq!(ended, [500, 501], "two were under way, and three were answered");
    let is_written = |(word, value): (usize, u64)| (value != 7).then_some(word / 8);
    let values = pair.local.words().iter().map(|word| word.load(Ordering::Relaxed));
    let lines: Vec<_> = values.enumerate().filter_map(is_written).collect();
    assert!(lines.iter().all(|line| [500, 501].contains(line)), "{lines:?}");
}

#[test]
fn reads_and_atomics_are_under_way_up_to_their_limit_and_writes_behind_them_are_not() {
    let mut pair = Pair::with(1, 2);
    pair.stop();
    for line in 0..5 {
        pair.post(0, Opcode::Read, line, 64);
    }
    assert_eq!((pair.client.in_flight.count(), pair.client.queues[0].reads), (2, 2));
    pair.post(0, Opcode::Write, 5, 64);
    assert_eq!(pair.client.in_flight.count(), 2, "it is behind a read that waits");
}

#[test]
fn queue_pairs_that_wait_for_their_turn_are_not_overtaken() {
    let mut pair = Pair::with(2, 16);
    pair.stop();
    pair.post(0, Opcode::Write, 0, 64 * 64);
    assert_eq!(pair.client.ready.len(), 1, "half of it was one turn");
    let before = pair.client.in_flight.count();
    pair.post(1, Opcode::Read, 100, 64);
    assert_eq!((pair.client.ready.len(), pair.client.in_flight.count()), (2, before));
}
