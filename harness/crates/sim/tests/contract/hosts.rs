//! A server, and a client's threads with a queue pair each.

use std::{num::NonZeroU32, sync::Arc};

use onesided_sim::{
    Moment, Parameters,
    transport::{HostConditions, SimDevice, SimEndpoint, SimFabric, SimRegion},
};
use onesided_transport::{
    Access, CompletionQueues, ConnectionAttributes, Destination, Endpoint, EndpointAddress,
    EndpointAttributes, LocalSegment, Opcode, PathMtu, Payload, PostError, ReceiveQueues,
    ReceiveRequest, RegisteredMemory, RemoteSegment, Service, Signal, Transport, WorkCompletion,
    WorkRequest,
};

/// Bytes of each side's memory.
const BYTES: usize = 1 << 16;

/// Bytes of a line of them, which is a receive request's.
pub const LINE: usize = 1024;

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
        Self::of_endpoints(parameters, threads, server, attributes, &ENDPOINT)
    }

    /// A thread's queue pair of a service on each host; of datagrams not connected.
    pub fn of_service(parameters: &Parameters, service: Service) -> Self {
        let endpoint = EndpointAttributes { service, ..ENDPOINT };
        let server = HostConditions::default();
        Self::of_endpoints(parameters, 1, server, &attributes(), &endpoint)
    }

    pub fn of_endpoints(
        parameters: &Parameters,
        threads: usize,
        server: HostConditions,
        attributes: &ConnectionAttributes,
        endpoint: &EndpointAttributes,
    ) -> Self {
        let fabric = Arc::new(SimFabric::new(parameters, 1));
        let client = SimDevice::new(&fabric, HostConditions::default());
        let server = SimDevice::new(&fabric, server);
        let memory = |device| RegisteredMemory::new(device, BYTES, Access::REMOTE).unwrap();
        let endpoints = |device: &SimDevice| -> Vec<_> {
            (0..threads).map(|_| device.create_endpoint(endpoint).unwrap()).collect()
        };
        let (mut threads, mut peers) = (endpoints(&client), endpoints(&server));
        let is_connected = endpoint.service != Service::UnreliableDatagram;
        for (thread, peer) in threads.iter_mut().zip(&mut peers).filter(|_| is_connected) {
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

    /// Posts a receive request for so many bytes of the line of the server's memory that has its id.
    pub fn receive(&mut self, id: u64, length: u32) {
        let buffer = Some(self.server.segment(LINE * id as usize, length));
        post_receive(&mut self.peers[0], id, buffer).unwrap();
    }

    /// Polls a thread until something completes; what, and when.
    pub fn wait(&mut self, thread: usize) -> (WorkCompletion, Moment) {
        let completion = completion_of(&mut self.threads[thread]).expect("something completes");
        (completion, self.fabric.now())
    }

    /// Polls the server's thread until a receive request is over; which and how, and when.
    pub fn received(&mut self) -> Option<(WorkCompletion, Moment)> {
        let completion = completion_of(&mut self.peers[0])?;
        Some((completion, self.fabric.now()))
    }
}

/// Polls until something completes; nothing where that does not happen.
pub fn completion_of(endpoint: &mut SimEndpoint) -> Option<WorkCompletion> {
    let mut one = [WorkCompletion::EMPTY];
    (0..10_000).find_map(|_| (endpoint.poll(&mut one).unwrap() == 1).then_some(one[0]))
}

pub fn post_receive(
    endpoint: &mut SimEndpoint,
    id: u64,
    buffer: Option<LocalSegment>,
) -> Result<(), PostError> {
    // SAFETY: as for `post`.
    unsafe { endpoint.post_receives(0, &[ReceiveRequest { id, buffer }]) }
}

pub fn post(endpoint: &mut SimEndpoint, requests: &[WorkRequest]) -> Result<(), PostError> {
    // SAFETY: segments are registered memory that the test keeps; only these requests access it.
    unsafe { endpoint.post(0, requests) }
}

pub const ENDPOINT: EndpointAttributes = EndpointAttributes {
    service: Service::ReliableConnection,
    queue_pairs: 1,
    send_queue_depth: 32,
    receive_queue_depth: 4,
    receive_queues: ReceiveQueues::PerQueuePair,
    inline_bytes: 0,
    completion_queues: CompletionQueues::PerThread,
    access: Access::REMOTE,
};

pub const CONNECTION: Service = Service::UnreliableConnection;
pub const DATAGRAM: Service = Service::UnreliableDatagram;

/// Where a thread's datagrams reach the queue pair of an address.
pub fn destination(thread: &mut SimEndpoint, address: &EndpointAddress) -> Destination {
    thread.destinations(address, &attributes()).unwrap()[0]
}

/// The queue pair that a message of the client names as its sender.
pub fn source(hosts: &Hosts, service: Service) -> Option<NonZeroU32> {
    let number = hosts.threads[0].queue_pair_numbers()[0];
    NonZeroU32::new(number).filter(|_| service == DATAGRAM)
}

/// A message to the server's queue pair, as its service sends them.
pub fn message(hosts: &mut Hosts, service: Service, length: u32) -> WorkRequest {
    let immediate = Some(7);
    let opcode = match service {
        Service::UnreliableDatagram => {
            let address = hosts.peers[0].address(None);
            let destination = destination(&mut hosts.threads[0], &address);
            Opcode::Datagram { destination, immediate }
        }
        _ => Opcode::Send { immediate },
    };
    hosts.request(0, opcode, length)
}
