//! Two nodes of a fabric of this test, and memory of theirs.

use std::{
    sync::atomic::{AtomicU8, AtomicU64, Ordering},
    time::{Duration, Instant},
};

use onesided_rmc::{RmcDevice, RmcEndpoint, RmcOptions, RmcRegion};
use onesided_transport::{
    Access, CompletionQueues, CompletionStatus, ConnectionAttributes, Endpoint, EndpointAttributes,
    LocalSegment, Opcode, Payload, ReceiveQueues, ReceiveRequest, RegisteredMemory, RemoteMemory,
    RemoteSegment, Service, Signal, Transport, WorkCompletion, WorkRequest, ZeroedMemory,
};

/// A fabric that goes with the test.
pub struct Fabric(tempfile::TempDir);

impl Fabric {
    pub fn new() -> Self {
        Self(tempfile::tempdir_in("/dev/shm").expect("/dev/shm can be written"))
    }

    pub fn open(&self) -> RmcDevice {
        self.open_as(RmcOptions::default())
    }

    /// A node that behaves so.
    pub fn open_as(&self, options: RmcOptions) -> RmcDevice {
        let fabric = self.0.path().to_owned();
        RmcDevice::open(&RmcOptions { fabric, ..options }).expect("a node is free")
    }
}

/// Where memory of a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lies {
    /// Where only its process is: peers get what they read in replies.
    OnTheHeap,
    /// In a segment, which peers copy long reads from.
    InASegment,
}

/// Registered words that are accessed by atomics only.
pub struct Memory(RegisteredMemory<RmcRegion>);

impl Memory {
    pub fn of(device: &RmcDevice, lines: usize, lies: Lies) -> Self {
        let memory = match lies {
            Lies::OnTheHeap => ZeroedMemory::of_heap(lines * 64),
            Lies::InASegment => device.allocate(lines * 64, Access::REMOTE),
        };
        let memory = memory.expect("there is room");
        Self(RegisteredMemory::of(device, memory, Access::REMOTE).expect("there is a place"))
    }

    pub fn word(&self, index: usize) -> &AtomicU64 {
        // SAFETY: aligned, inside memory that lives as long as `self`, and atomics only.
        unsafe { AtomicU64::from_ptr(self.0.at(8 * index, 8).as_ptr().cast()) }
    }

    fn byte(&self, index: usize) -> &AtomicU8 {
        // SAFETY: as above.
        unsafe { AtomicU8::from_ptr(self.0.at(index, 1).as_ptr()) }
    }

    pub fn put(&self, offset: usize, bytes: &[u8]) {
        for (index, byte) in bytes.iter().enumerate() {
            self.byte(offset + index).store(*byte, Ordering::Relaxed);
        }
    }

    pub fn get(&self, offset: usize, length: usize) -> Vec<u8> {
        (offset..offset + length).map(|index| self.byte(index).load(Ordering::Relaxed)).collect()
    }

    pub fn segment(&self, offset: usize, length: usize) -> LocalSegment {
        self.0.segment(offset, length as u32)
    }

    pub fn remote(&self) -> RemoteMemory {
        self.0.remote()
    }

    pub fn at(&self, offset: usize) -> RemoteSegment {
        let remote = self.0.remote();
        RemoteSegment { address: remote.address + offset as u64, key: remote.key }
    }
}

/// A connected queue pair; its other end stays as long as it.
pub struct Link {
    pub client: RmcEndpoint,
    server: RmcEndpoint,
}

impl Link {
    pub fn between(here: &RmcDevice, there: &RmcDevice) -> Self {
        let attributes = EndpointAttributes {
            service: Service::ReliableConnection,
            queue_pairs: 1,
            send_queue_depth: 64,
            receive_queue_depth: 2,
            receive_queues: ReceiveQueues::PerQueuePair,
            inline_bytes: 0,
            completion_queues: CompletionQueues::PerThread,
            access: Access::REMOTE,
        };
        // For ever: a test that lacks CPUs between two lines must not use up what it is not about.
        let connection =
            ConnectionAttributes { rnr_retry: 7, ..ConnectionAttributes::reliable(16) };
        let mut client = here.create_endpoint(&attributes).expect("within the limits");
        let mut server = there.create_endpoint(&attributes).expect("within the limits");
        server.connect(&client.address(None), &connection).expect("one fabric");
        client.connect(&server.address(None), &connection).expect("one fabric");
        Self { client, server }
    }

    /// Posts all and waits for the success of each, in order.
    pub fn succeed(&mut self, operations: &[(Opcode, LocalSegment, RemoteSegment)]) {
        let mut ended = self.end(operations).into_iter();
        assert!(ended.all(|status| status == CompletionStatus::Success));
    }

    /// Posts all at once.
    pub fn post(&mut self, operations: &[(Opcode, LocalSegment, RemoteSegment)]) {
        let request = |(id, &(opcode, local, remote)): (u64, &_)| WorkRequest {
            id,
            opcode,
            local,
            remote,
            signal: Signal::Signaled,
            payload: Payload::Gathered,
        };
        let requests: Vec<_> = (0..).zip(operations).map(request).collect();
        // SAFETY: memory of this test lives longer than its operations.
        unsafe { self.client.post(0, &requests) }.expect("there is room");
    }

    /// How those ended that have.
    pub fn poll(&mut self) -> Vec<CompletionStatus> {
        let mut some = [WorkCompletion::EMPTY; 32];
        let polled = self.client.poll(&mut some).expect("the queue is whole");
        some[..polled].iter().map(|done| done.status).collect()
    }

    /// Lets the other end receive once.
    pub fn receive(&mut self, buffer: Option<LocalSegment>) {
        // SAFETY: memory of this test lives longer than its operations.
        unsafe { self.server.post_receives(0, &[ReceiveRequest { id: 0, buffer }]) }
            .expect("there is room");
    }

    /// Posts one and waits for its end.
    pub fn try_one(
        &mut self,
        operation: (Opcode, LocalSegment, RemoteSegment),
    ) -> Result<(), CompletionStatus> {
        match self.end(&[operation])[0] {
            CompletionStatus::Success => Ok(()),
            failed => Err(failed),
        }
    }

    fn end(
        &mut self,
        operations: &[(Opcode, LocalSegment, RemoteSegment)],
    ) -> Vec<CompletionStatus> {
        self.post(operations);
        let (mut ended, mut some) = (Vec::new(), [WorkCompletion::EMPTY; 32]);
        let start = Instant::now();
        while ended.len() < operations.len() {
            let polled = self.client.poll(&mut some).expect("the queue is whole");
            for done in &some[..polled] {
                assert_eq!(done.id, ended.len() as u64, "in order");
                ended.push(done.status);
            }
            let waited = start.elapsed();
            assert!(waited < Duration::from_secs(30), "completion {} never comes", ended.len());
        }
        ended
    }
}
