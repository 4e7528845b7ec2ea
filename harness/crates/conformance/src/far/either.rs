//! A device of this process or of the other one; the suite has one type for both ends.

use std::collections::BTreeMap;

use onesided_transport::{
    Access, ConnectError, ConnectionAttributes, CreateEndpointError, Destination,
    DeviceDescription, Endpoint, EndpointAddress, EndpointAttributes, GidEntry, NotAvailable,
    PollError, PortState, PostError, ReceiveRequest, Region, RegisterError, RemoteMemory,
    Transport, WorkCompletion, WorkRequest, ZeroedMemory,
};

use super::FarDevice;

/// Either device.
pub enum Either<T> {
    /// Of this process.
    Here(T),
    /// Of the other one.
    There(FarDevice),
}

/// Memory of either.
pub struct AnyRegion(Box<dyn Region>);

/// An endpoint of either.
pub struct AnyEndpoint(Box<dyn Endpoint>);

impl Region for AnyRegion {
    fn local_key(&self) -> u32 {
        self.0.local_key()
    }

    fn remote(&self) -> RemoteMemory {
        self.0.remote()
    }
}

impl<T: Transport> Transport for Either<T> {
    type Region = AnyRegion;
    type Endpoint = AnyEndpoint;

    fn description(&self) -> &DeviceDescription {
        match self {
            Self::Here(device) => device.description(),
            Self::There(device) => device.description(),
        }
    }

    unsafe fn register(
        &self,
        address: *mut u8,
        length: usize,
        access: Access,
    ) -> Result<AnyRegion, RegisterError> {
        // SAFETY: the caller's.
        unsafe {
            Ok(AnyRegion(match self {
                Self::Here(device) => Box::new(device.register(address, length, access)?),
                Self::There(device) => Box::new(device.register(address, length, access)?),
            }))
        }
    }

    fn allocate(&self, bytes: usize, access: Access) -> Result<ZeroedMemory, RegisterError> {
        match self {
            Self::Here(device) => device.allocate(bytes, access),
            // Its addresses only name places of the other process, which allocates itself.
            Self::There(_) => ZeroedMemory::of_heap(bytes),
        }
    }

    fn create_endpoint(
        &self,
        attributes: &EndpointAttributes,
    ) -> Result<AnyEndpoint, CreateEndpointError> {
        Ok(AnyEndpoint(match self {
            Self::Here(device) => Box::new(device.create_endpoint(attributes)?),
            Self::There(device) => Box::new(device.create_endpoint(attributes)?),
        }))
    }

    fn places_rings(&self) -> Result<(), NotAvailable> {
        match self {
            Self::Here(device) => device.places_rings(),
            Self::There(device) => device.places_rings(),
        }
    }

    fn counters(&self) -> Result<BTreeMap<String, u64>, NotAvailable> {
        match self {
            Self::Here(device) => device.counters(),
            Self::There(device) => device.counters(),
        }
    }

    fn port_state(&self) -> Result<PortState, NotAvailable> {
        match self {
            Self::Here(device) => device.port_state(),
            Self::There(device) => device.port_state(),
        }
    }
}

impl Endpoint for AnyEndpoint {
    fn queue_pair_numbers(&self) -> &[u32] {
        self.0.queue_pair_numbers()
    }

    fn address(&self, gid: Option<GidEntry>) -> EndpointAddress {
        self.0.address(gid)
    }

    fn connect(
        &mut self,
        peer: &EndpointAddress,
        attributes: &ConnectionAttributes,
    ) -> Result<(), ConnectError> {
        self.0.connect(peer, attributes)
    }

    fn destinations(
        &mut self,
        peer: &EndpointAddress,
        attributes: &ConnectionAttributes,
    ) -> Result<Vec<Destination>, ConnectError> {
        self.0.destinations(peer, attributes)
    }

    unsafe fn post(
        &mut self,
        queue_pair: usize,
        requests: &[WorkRequest],
    ) -> Result<(), PostError> {
        // SAFETY: the caller's.
        unsafe { self.0.post(queue_pair, requests) }
    }

    unsafe fn post_receives(
        &mut self,
        queue_pair: usize,
        requests: &[ReceiveRequest],
    ) -> Result<(), PostError> {
        // SAFETY: the caller's.
        unsafe { self.0.post_receives(queue_pair, requests) }
    }

    fn poll(&mut self, completions: &mut [WorkCompletion]) -> Result<usize, PollError> {
        self.0.poll(completions)
    }
}
