//! Two endpoints on one device, connected to each other, with memory on both sides.

use std::{
    cell::UnsafeCell,
    time::{Duration, Instant},
};

use onesided_transport::{
    Access, CompletionKind, CompletionQueues, CompletionStatus, ConnectionAttributes, Endpoint,
    EndpointAttributes, LocalSegment, Opcode, PathMtu, Payload, ReceiveQueues, Region,
    RemoteSegment, Service, Signal, Transport, WorkCompletion, WorkRequest, gid,
};
use onesided_verbs::{VerbsDevice, VerbsEndpoint, VerbsRegion};

/// Bytes of each side's memory.
pub const LENGTH: usize = 16 * 1024;

/// Longer than anything here takes, even emulated on a busy host: the longest is a queue pair whose
/// peer is gone, which gives up after four times 67 ms (`timeout` 14, `retry_cnt` 3).
const PATIENCE: Duration = Duration::from_secs(60);

/// A longer time between two polls is not waiting: this thread, or all of an emulated machine, had
/// no CPU.
const LONGEST_WAIT: Duration = Duration::from_millis(100);

/// Memory that a device may change at any time, so it is only accessed through its address.
pub struct Memory {
    // Before the words: deregistered before they are freed.
    pub region: VerbsRegion,
    words: Box<[UnsafeCell<u64>]>,
}

impl Memory {
    pub fn new(device: &VerbsDevice, access: Access) -> Self {
        let words: Box<[_]> = (0..LENGTH / 8).map(|_| UnsafeCell::new(0)).collect();
        // SAFETY: the words live as long as the region, and are only accessed as volatile.
        let region = unsafe { device.register(words[0].get().cast(), LENGTH, access) };
        Self { region: region.expect("the memory can be registered"), words }
    }

    pub fn set(&self, word: usize, value: u64) {
        // SAFETY: the word is in bounds; tests wait before they touch what is being moved.
        unsafe { self.words[word].get().write_volatile(value) }
    }

    pub fn get(&self, word: usize) -> u64 {
        // SAFETY: as in `set`.
        unsafe { self.words[word].get().read_volatile() }
    }

    pub fn local(&self, word: usize, length: u32) -> LocalSegment {
        let address = self.region.remote().address + 8 * word as u64;
        LocalSegment { address, length, key: self.region.local_key() }
    }

    pub fn remote(&self, word: usize) -> RemoteSegment {
        let remote = self.region.remote();
        RemoteSegment { address: remote.address + 8 * word as u64, key: remote.key }
    }
}

/// What most tests make their endpoints of.
pub fn attributes(queue_pairs: usize, completion_queues: CompletionQueues) -> EndpointAttributes {
    EndpointAttributes {
        service: Service::ReliableConnection,
        queue_pairs,
        send_queue_depth: 16,
        receive_queue_depth: 4,
        receive_queues: ReceiveQueues::PerQueuePair,
        inline_bytes: 64,
        completion_queues,
        access: Access::REMOTE,
    }
}

/// A connection to the device's own port.
pub fn connection(device: &VerbsDevice) -> ConnectionAttributes {
    let description = device.description();
    let gids = &description.gids;
    let choice = gid::choose(description.link_layer, gids, gids, None).expect("there is a way");
    ConnectionAttributes {
        gid: choice.entry,
        path_mtu: PathMtu::Bytes1024.min(description.active_mtu),
        max_rd_atomic: 4.min(description.limits.max_rd_atomic_as_responder),
        timeout_exponent: 14,
        retry_count: 3,
        rnr_retry: 3,
        hop_limit: 1,
    }
}

/// A client and a server end with memory.
pub struct LoopBack {
    pub client: VerbsEndpoint,
    pub server: VerbsEndpoint,
    pub client_memory: Memory,
    pub server_memory: Memory,
}

impl LoopBack {
    pub fn new(device: &VerbsDevice, attributes: &EndpointAttributes) -> Self {
        let mut client = device.create_endpoint(attributes).expect("a client can be made");
        let mut server = device.create_endpoint(attributes).expect("a server can be made");
        let connection = connection(device);
        let (to_client, to_server) =
            (client.address(connection.gid), server.address(connection.gid));
        client.connect(&to_server, &connection).expect("the client connects");
        server.connect(&to_client, &connection).expect("the server connects");
        let client_memory = Memory::new(device, Access::LOCAL);
        let server_memory = Memory::new(device, Access::REMOTE);
        Self { client, server, client_memory, server_memory }
    }

    /// One queue pair and one completion queue.
    pub fn single(device: &VerbsDevice) -> Self {
        Self::new(device, &attributes(1, CompletionQueues::PerThread))
    }

    /// A signaled request from the client's first bytes to the server's.
    pub fn request(&self, id: u64, opcode: Opcode, length: u32) -> WorkRequest {
        WorkRequest {
            id,
            opcode,
            local: self.client_memory.local(0, length),
            remote: self.server_memory.remote(0),
            signal: Signal::Signaled,
            payload: Payload::Gathered,
        }
    }

    /// Posts to the client's queue pair; nothing may be refused.
    pub fn post(&mut self, queue_pair: usize, requests: &[WorkRequest]) {
        // SAFETY: all requests of the tests refer to memory of `self`.
        unsafe { self.client.post(queue_pair, requests) }.expect("the post is accepted");
    }

    /// Posts one request and waits for its success.
    pub fn execute(&mut self, request: WorkRequest) {
        self.post(0, &[request]);
        let [completion] = completions(&mut self.client, 1)[..] else {
            panic!("one completion was waited for")
        };
        assert_eq!(completion.id, request.id);
        assert_eq!(completion.queue_pair_number, self.client.queue_pair_numbers()[0]);
        assert_eq!(completion.status, CompletionStatus::Success);
        assert_eq!(completion.kind, CompletionKind::Request);
    }
}

/// Waits for exactly `count` completions, and then a little for one too many.
///
/// It gives up only after polls that found nothing for [`PATIENCE`] in all. Whether time has
/// elapsed says little: a machine that stood still for as long has its completions in the queue.
pub fn completions(endpoint: &mut VerbsEndpoint, count: usize) -> Vec<WorkCompletion> {
    let (mut waited, mut polled) = (Duration::ZERO, Instant::now());
    let mut all = Vec::new();
    let mut some = [WorkCompletion::EMPTY; 8];
    while all.len() < count {
        let taken = endpoint.poll(&mut some).expect("the completion queue works");
        all.extend_from_slice(&some[..taken]);
        let between = polled.elapsed();
        polled += between;
        if taken > 0 {
            continue;
        }
        waited += between.min(LONGEST_WAIT);
        assert!(
            waited < PATIENCE,
            "only {} of {count} completions came; of queue pairs {:?}: {all:?}",
            all.len(),
            endpoint.queue_pair_numbers()
        );
        std::thread::yield_now();
    }
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(2) {
        let taken = endpoint.poll(&mut some).expect("the completion queue works");
        all.extend_from_slice(&some[..taken]);
    }
    assert_eq!(all.len(), count, "{all:?}");
    all
}
