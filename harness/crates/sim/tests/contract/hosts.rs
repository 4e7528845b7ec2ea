//! A server, and a client's threads with a queue pair each.

use std::sync::Arc;

use onesided_sim::{
    Moment, Parameters,
    transport::{HostConditions, SimDevice, SimEndpoint, SimFabric, SimRegion},
};
use onesided_transport::{
    Access, CompletionQueues, ConnectionAttributes, Endpoint, EndpointAttributes, Opcode, PathMtu,
    Payload, PostError, ReceiveQueues, RegisteredMemory, RemoteSegment, Service, Signal, Transport,
    WorkCompletion, WorkRequest,
};

/// Bytes of each side's memory.
const BYTES: usize = 1 << 16;

/// How a connection is made, where a test does not say otherwise.
pub fn attributes() -> ConnectionAttributes {
    ConnectionAttributes { path_mtu: PathMtu::Bytes256, ..ConnectionAttributes::reliable(1) }
}

pub struct Hosts {
    pub fabric: Arc<SimFabric>,
    pub client: RegisteredMemory<SimRegion>,
    pub server: RegisteredMemory<SimRegion>,
    pub threads: Vec<SimEndpoint>,
    pub peers: Vec<SimEndpoint>,
}

impl Hosts {
    pub fn new(parameters: &Parameters, threads: usize) -> Self {
        Self::connected(parameters, threads, HostConditions::default(), &attributes())
    }

    pub fn connected(
        parameters: &Parameters,
        threads: usize,
        server: HostConditions,
        attributes: &ConnectionAttributes,
    ) -> Self {
        let fabric = Arc::new(SimFabric::new(parameters, 1));
        let client = SimDevice::new(&fabric, HostConditions::default());
        let server = SimDevice::new(&fabric, server);
        let memory = |device| RegisteredMemory::new(device, BYTES, Access::REMOTE).unwrap();
        let endpoints = |device: &SimDevice| -> Vec<_> {
            (0..threads).map(|_| device.create_endpoint(&ENDPOINT).unwrap()).collect()
        };
        let (mut threads, mut peers) = (endpoints(&client), endpoints(&server));
        for (thread, peer) in threads.iter_mut().zip(&mut peers) {
            peer.connect(&thread.address(None), attributes).unwrap();
            thread.connect(&peer.address(None), attributes).unwrap();
        }
        Self { client: memory(&client), server: memory(&server), fabric, threads, peers }
    }

    /// A request of a length to the line of the server's memory that has its thread's number.
    pub fn request(&self, thread: usize, opcode: Opcode, length: u32) -> WorkRequest {
        let RemoteSegment { address, key } = self.place(64 * thread);
        WorkRequest {
            id: thread as u64,
            opcode,
            local: self.client.segment(64 * thread, length),
            remote: RemoteSegment { address, key },
            signal: Signal::Signaled,
            payload: Payload::Gathered,
        }
    }

    pub fn place(&self, offset: usize) -> RemoteSegment {
        let remote = self.server.remote();
        RemoteSegment { address: remote.address + offset as u64, key: remote.key }
    }

    pub fn post(&mut self, thread: usize, requests: &[WorkRequest]) -> Result<(), PostError> {
        post(&mut self.threads[thread], requests)
    }

    /// Polls a thread until something completes; what, and when.
    pub fn wait(&mut self, thread: usize) -> (WorkCompletion, Moment) {
        let mut one = [WorkCompletion::EMPTY];
        for _ in 0..10_000 {
            if self.threads[thread].poll(&mut one).unwrap() == 1 {
                return (one[0], self.fabric.now());
            }
        }
        panic!("nothing completes");
    }
}

pub fn post(endpoint: &mut SimEndpoint, requests: &[WorkRequest]) -> Result<(), PostError> {
    // SAFETY: segments are registered memory that the test keeps; only these requests access it.
    unsafe { endpoint.post(0, requests) }
}

const ENDPOINT: EndpointAttributes = EndpointAttributes {
    service: Service::ReliableConnection,
    queue_pairs: 1,
    send_queue_depth: 32,
    receive_queue_depth: 4,
    receive_queues: ReceiveQueues::PerQueuePair,
    inline_bytes: 0,
    completion_queues: CompletionQueues::PerThread,
    access: Access::REMOTE,
};
