//! The suite's server end: a device of the other process, asked for everything.

use std::{collections::BTreeMap, io, sync::Arc};

use onesided_transport::{
    Access, ConnectError, ConnectionAttributes, CreateEndpointError, Destination, Destinations,
    DeviceDescription, Endpoint, EndpointAddress, EndpointAttributes, GidEntry, LocalSegment,
    NotAvailable, PollError, PortState, PostError, ReceiveRequest, Region, RegisterError,
    RemoteMemory, Transport, WorkCompletion, WorkRequest,
};

use super::{
    messages::{Answer, Ask, Posted},
    other::{Other, Registered},
};
use crate::Reach;

/// A device there.
pub struct FarDevice {
    other: Arc<Other>,
    device: u64,
    description: Box<DeviceDescription>,
}

impl FarDevice {
    pub(super) fn new(other: &Arc<Other>, device: u64, description: DeviceDescription) -> Self {
        Self { other: Arc::clone(other), device, description: Box::new(description) }
    }
}

impl Drop for FarDevice {
    fn drop(&mut self) {
        self.other.give_back(&Ask::Close { device: self.device });
    }
}

/// Memory registered there.
pub struct FarRegion {
    other: Arc<Other>,
    registered: Registered,
}

impl Region for FarRegion {
    fn local_key(&self) -> u32 {
        self.registered.local_key
    }

    fn remote(&self) -> RemoteMemory {
        self.registered.remote
    }
}

impl Drop for FarRegion {
    fn drop(&mut self) {
        self.other.give_back(&Ask::Deregister { region: self.registered.region });
    }
}

impl Transport for FarDevice {
    type Region = FarRegion;
    type Endpoint = FarEndpoint;

    fn description(&self) -> &DeviceDescription {
        &self.description
    }

    unsafe fn register(
        &self,
        address: *mut u8,
        length: usize,
        access: Access,
    ) -> Result<FarRegion, RegisterError> {
        let registered = self.other.register(self.device, address as u64, length, access);
        Ok(FarRegion { other: Arc::clone(&self.other), registered })
    }

    fn create_endpoint(
        &self,
        attributes: &EndpointAttributes,
    ) -> Result<FarEndpoint, CreateEndpointError> {
        let (device, endpoint) = (self.device, self.other.handle());
        match self.other.ask(&Ask::Create { device, endpoint, attributes: *attributes }) {
            Answer::Created(address) => {
                let numbers = address.queue_pairs.iter().map(|pair| pair.number).collect();
                Ok(FarEndpoint { other: Arc::clone(&self.other), endpoint, address, numbers })
            }
            other => panic!("cannot create an endpoint: {other:?}"),
        }
    }

    fn places_rings(&self) -> Result<(), NotAvailable> {
        Err(NotAvailable("they are on the other machine".to_owned()))
    }

    fn counters(&self) -> Result<BTreeMap<String, u64>, NotAvailable> {
        Err(NotAvailable("they are on the other machine".to_owned()))
    }

    fn port_state(&self) -> Result<PortState, NotAvailable> {
        Ok(self.description.port_state)
    }
}

/// An endpoint there.
pub struct FarEndpoint {
    other: Arc<Other>,
    endpoint: u64,
    address: EndpointAddress,
    numbers: Vec<u32>,
}

impl Drop for FarEndpoint {
    fn drop(&mut self) {
        self.other.give_back(&Ask::Drop { endpoint: self.endpoint });
    }
}

impl Endpoint for FarEndpoint {
    fn queue_pair_numbers(&self) -> &[u32] {
        &self.numbers
    }

    fn address(&self, gid: Option<GidEntry>) -> EndpointAddress {
        EndpointAddress { gid: gid.map(|entry| entry.gid), ..self.address.clone() }
    }

    fn connect(
        &mut self,
        peer: &EndpointAddress,
        attributes: &ConnectionAttributes,
    ) -> Result<(), ConnectError> {
        let (endpoint, peer, attributes) = (self.endpoint, peer.clone(), attributes.clone());
        self.other
            .ask_for_done(&Ask::Connect { endpoint, peer, attributes })
            .unwrap_or_else(|why| panic!("cannot connect there: {why}"));
        Ok(())
    }

    fn destinations(
        &mut self,
        peer: &EndpointAddress,
        attributes: &ConnectionAttributes,
    ) -> Result<Vec<Destination>, ConnectError> {
        let (endpoint, peer, attributes) = (self.endpoint, peer.clone(), attributes.clone());
        match self.other.ask(&Ask::Destinations { endpoint, peer, attributes }) {
            // Nothing is posted to them from here.
            Answer::Destinations(count) => {
                Ok(Destinations::of_new_endpoint().add((0..count).map(|_| ())))
            }
            other => panic!("cannot learn destinations there: {other:?}"),
        }
    }

    unsafe fn post(
        &mut self,
        queue_pair: usize,
        requests: &[WorkRequest],
    ) -> Result<(), PostError> {
        let there = |place| self.other.address(place);
        let requests = requests.iter().map(|request| Posted::new(request, there)).collect();
        self.other
            .ask_for_done(&Ask::Post { endpoint: self.endpoint, queue_pair, requests })
            .unwrap_or_else(|why| panic!("cannot post there: {why}"));
        Ok(())
    }

    unsafe fn post_receives(
        &mut self,
        queue_pair: usize,
        requests: &[ReceiveRequest],
    ) -> Result<(), PostError> {
        let there = |at: LocalSegment| (self.other.address(at.address), at.length, at.key);
        let request = |request: &ReceiveRequest| (request.id, request.buffer.map(there));
        let requests = requests.iter().map(request).collect();
        let ask = Ask::PostReceives { endpoint: self.endpoint, queue_pair, requests };
        match self.other.ask(&ask) {
            Answer::Done => Ok(()),
            Answer::Full { request } => Err(PostError::QueueFull { queue_pair, request }),
            Answer::Invalid { request, why } => {
                Err(PostError::Invalid { queue_pair, request, source: io::Error::other(why) })
            }
            other => panic!("cannot post receive requests there: {other:?}"),
        }
    }

    fn poll(&mut self, completions: &mut [WorkCompletion]) -> Result<usize, PollError> {
        let room = completions.len();
        match self.other.ask(&Ask::Poll { endpoint: self.endpoint, room }) {
            Answer::Polled(polled) => {
                for (place, polled) in completions.iter_mut().zip(&polled) {
                    *place = (*polled).into();
                }
                Ok(polled.len())
            }
            other => panic!("cannot poll there: {other:?}"),
        }
    }
}
