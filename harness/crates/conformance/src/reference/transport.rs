//! The set-up half of the contract on top of the fabric.

use std::{
    collections::{BTreeMap, VecDeque},
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use onesided_transport::{
    Access, AtomicCapability, CompletionQueues, CreateEndpointError, DeviceDescription,
    DeviceLimits, EndpointAttributes, LinkLayer, NotAvailable, PathMtu, PortState, ReceiveQueues,
    Region, RegisterError, RemoteMemory, Service, Transport, Word,
};

use super::{
    defect::Defect,
    endpoint::{Queues, ReferenceEndpoint},
    fabric::{Fabric, Phase, QueuePair, ReceiveQueue, RegisteredRegion},
};

/// Ours: small enough that a test can go beyond each.
const LIMITS: DeviceLimits = DeviceLimits {
    queue_pairs: 1_000,
    queue_depth: 4_096,
    shared_receive_queue_depth: 4_096,
    completion_queue_entries: 8_192,
    max_rd_atomic_as_responder: 16,
    max_rd_atomic_as_requester: 16,
};

/// A device of a fabric.
pub struct ReferenceTransport {
    fabric: Arc<Fabric>,
    description: DeviceDescription,
    /// Its only counter, by name, which counts how often it was looked at.
    counter: Option<(String, AtomicU64)>,
    /// What is done before the port's state is told.
    on_port_state: Box<dyn Fn() + Send + Sync>,
}

fn description() -> DeviceDescription {
    DeviceDescription {
        name: "reference0".to_owned(),
        back_end: "reference-in-process".to_owned(),
        driver: None,
        firmware: None,
        vendor_part: None,
        port: 1,
        port_state: PortState::Active,
        link_layer: LinkLayer::None,
        local_identifier: 0,
        active_mtu: PathMtu::Bytes4096,
        atomic_capability: AtomicCapability::Device,
        services: Service::ALL.to_vec(),
        shared_receives: Service::ALL.to_vec(),
        limits: LIMITS,
        gids: Vec::new(),
        fabric_hop_ns: None,
        fabric_drop_every: None,
    }
}

impl ReferenceTransport {
    /// Opens a device of a fabric.
    pub fn open(fabric: &Arc<Fabric>) -> Self {
        let (fabric, on_port_state) = (Arc::clone(fabric), Box::new(|| ()));
        Self { fabric, description: description(), counter: None, on_port_state }
    }

    /// The same device, said to be otherwise: it holds to the limits that it then has, and the
    /// port is in the state that it then tells.
    pub fn described(mut self, change: impl FnOnce(&mut DeviceDescription)) -> Self {
        change(&mut self.description);
        self
    }

    /// The same device with one counter of that name, which rises whenever counters are read.
    pub fn counting(self, name: &str) -> Self {
        Self { counter: Some((name.to_owned(), AtomicU64::new(0))), ..self }
    }

    /// The same device, which calls `act` before it tells the state of its port.
    pub fn on_port_state(self, act: impl Fn() + Send + Sync + 'static) -> Self {
        Self { on_port_state: Box::new(act), ..self }
    }
}

impl Transport for ReferenceTransport {
    type Region = ReferenceRegion;
    type Endpoint = ReferenceEndpoint;

    fn description(&self) -> &DeviceDescription {
        &self.description
    }

    unsafe fn register(
        &self,
        address: *mut u8,
        length: usize,
        access: Access,
    ) -> Result<ReferenceRegion, RegisterError> {
        let mut state = self.fabric.state();
        let key = state.new_key();
        let (address, length) = (address as u64, length as u64);
        state.regions.insert(key, RegisteredRegion { address, length, access });
        let told = length - u64::from(state.is(Defect::TellsAShorterRegion));
        let remote = RemoteMemory { address, length_bytes: told, key };
        Ok(ReferenceRegion { fabric: Arc::clone(&self.fabric), remote })
    }

    fn create_endpoint(
        &self,
        attributes: &EndpointAttributes,
    ) -> Result<ReferenceEndpoint, CreateEndpointError> {
        let EndpointAttributes { service, receive_queues, .. } = *attributes;
        self.description.check_service(service)?;
        self.description.check_receive_queues(receive_queues, service)?;
        self.check_limits(attributes)?;
        let is_shared = receive_queues == ReceiveQueues::Shared;
        let lacks = !service.is_reliable() && self.fabric.is(Defect::NamesAServiceThatItLacks)
            || is_shared && self.fabric.is(Defect::NamesSharedReceivesThatItLacks);
        if lacks {
            let source = io::Error::from(io::ErrorKind::Unsupported);
            let (what, count) = ("queue pair", attributes.queue_pairs);
            return Err(CreateEndpointError::Refused { what, index: 0, count, source });
        }
        let mut state = self.fabric.state();
        if state.poisoned {
            let (what, count) = ("queue pair", attributes.queue_pairs);
            let source = io::Error::from(io::ErrorKind::Other);
            return Err(CreateEndpointError::Refused { what, index: 0, count, source });
        }
        let datagram_key = match attributes.service {
            Service::UnreliableDatagram => state.new_key(),
            _ => 0,
        };
        let mut numbers = Vec::new();
        let mut completion_queues = Vec::new();
        for _ in 0..attributes.queue_pairs {
            let number = state.new_handle();
            let shared = attributes.completion_queues == CompletionQueues::PerThread;
            if !shared || completion_queues.is_empty() {
                let one = self.fabric.is(Defect::SharesOneCompletionQueue);
                completion_queues.push(if one { 0 } else { number });
            }
            let completion_queue = completion_queues[completion_queues.len() - 1];
            state.completion_queues.entry(completion_queue).or_default();
            numbers.push(number);
            let first = self.fabric.is(Defect::NamesTheFirstQueuePair);
            let reported_number = if first { numbers[0] } else { number };
            let receive_queue = if is_shared { numbers[0] } else { number };
            state.receive_queues.entry(receive_queue).or_insert_with(|| ReceiveQueue {
                posted: VecDeque::new(),
                depth: attributes.receive_queue_depth as usize,
                is_shared,
            });
            let queues = (completion_queue, receive_queue);
            let made = queue_pair(attributes, datagram_key, queues, reported_number);
            state.queue_pairs.insert(number, made);
        }
        drop(state);
        let fabric = Arc::clone(&self.fabric);
        let queues = Queues { numbers, completion_queues };
        Ok(ReferenceEndpoint::new(fabric, queues, (attributes.service, datagram_key)))
    }

    fn places_rings(&self) -> Result<(), NotAvailable> {
        Ok(())
    }

    fn counters(&self) -> Result<BTreeMap<String, u64>, NotAvailable> {
        let none = || NotAvailable("the reference keeps none".to_owned());
        let (name, count) = self.counter.as_ref().ok_or_else(none)?;
        Ok([(name.clone(), count.fetch_add(1, Ordering::Relaxed))].into())
    }

    fn port_state(&self) -> Result<PortState, NotAvailable> {
        (self.on_port_state)();
        Ok(self.description.port_state)
    }
}

impl ReferenceTransport {
    fn check_limits(&self, attributes: &EndpointAttributes) -> Result<(), CreateEndpointError> {
        let asked = attributes.beside(&self.description.limits);
        for (index, (what, asked, limit)) in asked.into_iter().enumerate() {
            let ignored = match index {
                0 => self.fabric.is(Defect::HasNoLimitOnQueuePairs),
                1 | 2 => self.fabric.is(Defect::HasNoLimitOnDepth),
                _ => self.fabric.is(Defect::HasNoLimitOnQueuePairs),
            };
            if asked > limit && !ignored {
                return Err(CreateEndpointError::AboveLimit { what, asked, limit });
            }
        }
        Ok(())
    }
}

fn queue_pair(
    attributes: &EndpointAttributes,
    datagram_key: u32,
    (completion_queue, receive_queue): (u32, u32),
    reported_number: u32,
) -> QueuePair {
    let phase = match attributes.service {
        Service::UnreliableDatagram => Phase::Open,
        _ => Phase::Initialized,
    };
    QueuePair {
        service: attributes.service,
        datagram_key,
        phase,
        access: attributes.access,
        send_depth: attributes.send_queue_depth as usize,
        inline_bytes: attributes.inline_bytes as usize,
        completion_queue,
        reported_number,
        send: VecDeque::new(),
        sent: 0,
        expected: 0,
        receive_queue,
        attempts: 0,
    }
}

/// Registered memory, until it is dropped.
pub struct ReferenceRegion {
    fabric: Arc<Fabric>,
    remote: RemoteMemory,
}

impl Region for ReferenceRegion {
    fn local_key(&self) -> u32 {
        self.remote.key
    }

    fn remote(&self) -> RemoteMemory {
        self.remote
    }
}

impl Drop for ReferenceRegion {
    fn drop(&mut self) {
        if !self.fabric.is(Defect::KeepsDeregisteredRegions) {
            self.fabric.state().regions.remove(&self.remote.key);
        }
    }
}
