//! A host's card, as the contract's device.

use std::{collections::BTreeMap, sync::Arc};

use onesided_transport::{
    Access, AtomicCapability, CreateEndpointError, DeviceDescription, EndpointAttributes,
    LinkLayer, NotAvailable, PortState, Region, RegisterError, RemoteMemory, Service, Transport,
    Word,
};

use super::{
    BACK_END, SimEndpoint,
    fabric::{HostConditions, SimFabric},
    limits::{self, ACTIVE_MTU, LIMITS},
    memory::Mapped,
    regions::Registered,
};

/// The card of a host of a fabric. A clone is the same card, opened again.
#[derive(Clone, Debug)]
pub struct SimDevice {
    fabric: Arc<SimFabric>,
    host: usize,
    description: DeviceDescription,
}

impl SimDevice {
    /// Adds a host to a fabric and opens its card.
    pub fn new(fabric: &Arc<SimFabric>, conditions: HostConditions) -> Self {
        let host = fabric.state().add_host(conditions);
        Self { fabric: Arc::clone(fabric), host, description: description(host) }
    }

    /// The fabric that it is on.
    pub fn fabric(&self) -> &Arc<SimFabric> {
        &self.fabric
    }
}

fn description(host: usize) -> DeviceDescription {
    DeviceDescription {
        name: format!("{BACK_END}{host}"),
        back_end: BACK_END.to_owned(),
        driver: None,
        firmware: None,
        vendor_part: None,
        port: 1,
        port_state: PortState::Active,
        link_layer: LinkLayer::None,
        local_identifier: u16::try_from(host).unwrap_or(u16::MAX),
        active_mtu: ACTIVE_MTU,
        atomic_capability: AtomicCapability::Device,
        services: Service::ALL.to_vec(),
        shared_receives: Service::ALL.to_vec(),
        limits: LIMITS,
        gids: Vec::new(),
        fabric_hop_ns: None,
        fabric_drop_every: None,
    }
}

impl Transport for SimDevice {
    type Region = SimRegion;
    type Endpoint = SimEndpoint;

    fn description(&self) -> &DeviceDescription {
        &self.description
    }

    #[expect(unsafe_code, reason = "the contract's own, and what it promises handed on")]
    unsafe fn register(
        &self,
        address: *mut u8,
        length: usize,
        access: Access,
    ) -> Result<SimRegion, RegisterError> {
        let (start, length) = (address.expose_provenance() as u64, length as u64);
        // SAFETY: the caller's, until the region is dropped, which ends this.
        let mapped = unsafe { Mapped::new(start, length) };
        let mut state = self.fabric.state();
        let place = state.hosts[self.host].place(start, length);
        let key = state.regions.add(Registered { host: self.host, access, mapped, place });
        let remote = RemoteMemory { address: start, length_bytes: length, key };
        Ok(SimRegion { fabric: Arc::clone(&self.fabric), remote })
    }

    fn create_endpoint(
        &self,
        attributes: &EndpointAttributes,
    ) -> Result<SimEndpoint, CreateEndpointError> {
        self.description.check_service(attributes.service)?;
        self.description.check_receive_queues(attributes.receive_queues, attributes.service)?;
        let mut state = self.fabric.state();
        let taken = state.hosts[self.host].queue_pairs;
        attributes.check(&limits::LIMITS, taken, limits::INLINE_BYTES)?;
        let (endpoint, slots, numbers) = state.add_endpoint(self.host, attributes);
        drop(state);
        Ok(SimEndpoint::new(&self.fabric, attributes.service, endpoint, (slots, numbers)))
    }

    fn places_rings(&self) -> Result<(), NotAvailable> {
        Err(NotAvailable("a simulated card has none".to_owned()))
    }

    fn counters(&self) -> Result<BTreeMap<String, u64>, NotAvailable> {
        Err(NotAvailable("a simulated card keeps none".to_owned()))
    }

    fn port_state(&self) -> Result<PortState, NotAvailable> {
        Ok(self.description.port_state)
    }
}

/// Registered memory, until it is dropped.
#[derive(Debug)]
pub struct SimRegion {
    fabric: Arc<SimFabric>,
    remote: RemoteMemory,
}

impl Region for SimRegion {
    fn local_key(&self) -> u32 {
        self.remote.key
    }

    fn remote(&self) -> RemoteMemory {
        self.remote
    }
}

impl Drop for SimRegion {
    fn drop(&mut self) {
        self.fabric.state().regions.remove(self.remote.key);
    }
}
