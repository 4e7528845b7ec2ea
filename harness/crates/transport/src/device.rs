//! A device that was opened: what it is, what it can do, what it makes.

use std::{collections::BTreeMap, num::NonZeroU32};

use onesided_vocabulary::{ReceiveQueues, Service, Word};
use serde::{Deserialize, Serialize};

use crate::{
    connection::ConnectionLimits,
    endpoint::{CreateEndpointError, Endpoint, EndpointAttributes},
    gid::GidEntry,
    memory::{Access, Region, RegisterError},
    mtu::PathMtu,
    zeroed::ZeroedMemory,
};

/// A back end: an opened device with its port.
///
/// Everything here is set-up. Objects may outlive neither the device nor each other's parents;
/// an implementation keeps parents alive itself.
pub trait Transport {
    /// Registered memory of this back end.
    type Region: Region + 'static;
    /// A thread's queue pairs on this back end.
    type Endpoint: Endpoint + 'static;

    /// What was opened. Stays the same while it is open.
    fn description(&self) -> &DeviceDescription;

    /// Registers `length` bytes at `address`.
    ///
    /// # Errors
    /// [`RegisterError`], where the limit on locked memory is told apart.
    ///
    /// # Safety
    /// The memory must be mapped, readable and writable until the region is dropped, and code of
    /// this process must expect it to change under its hands where `access` lets peers write.
    unsafe fn register(
        &self,
        address: *mut u8,
        length: usize,
        access: Access,
    ) -> Result<Self::Region, RegisterError>;

    /// Zeroed memory to register, where peers with such access reach it best. Any other memory
    /// does, too.
    ///
    /// # Errors
    /// There is no room for it.
    fn allocate(&self, bytes: usize, access: Access) -> Result<ZeroedMemory, RegisterError> {
        let _ = access;
        ZeroedMemory::of_heap(bytes)
    }

    /// Makes the queue pairs and completion queue(s) of one thread.
    ///
    /// Memory for their rings is allocated by the calling thread and follows its memory policy.
    ///
    /// # Errors
    /// When an attribute is above the device's limits, or the device refuses.
    fn create_endpoint(
        &self,
        attributes: &EndpointAttributes,
    ) -> Result<Self::Endpoint, CreateEndpointError>;

    /// Whether the rings of an endpoint are memory that its thread takes while it is made, and that
    /// follows that thread's memory policy.
    ///
    /// # Errors
    /// Where they are instead, so that it is of no use to ask where their pages are.
    fn places_rings(&self) -> Result<(), NotAvailable>;

    /// The device's own counters by name, as they are now.
    ///
    /// # Errors
    /// Why there are none. A back end without counters says so.
    fn counters(&self) -> Result<BTreeMap<String, u64>, NotAvailable>;

    /// State of the port now, which may differ from the one in the description.
    ///
    /// # Errors
    /// Why it cannot be told, for instance because the device was removed.
    fn port_state(&self) -> Result<PortState, NotAvailable>;
}

/// Why a back end does not say something: stands in the record in its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not available, because {0}")]
pub struct NotAvailable(pub String);

/// The network below a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LinkLayer {
    /// InfiniBand: addressed by LID, optionally with a global route header.
    Infiniband,
    /// Ethernet (RoCE): a global route header always.
    Ethernet,
    /// No network: a back end within one machine.
    None,
}

/// State of a port, as far as a run cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PortState {
    /// Packets flow.
    Active,
    /// Anything else: down, initializing, armed.
    Inactive,
}

/// With whom the device's atomics are atomic (`enum ibv_atomic_cap`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AtomicCapability {
    /// No atomics.
    None,
    /// Among operations of this device only.
    Device,
    /// Also with this machine's CPUs and other devices.
    Global,
}

/// Limits that the device reports; actual ones can be lower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceLimits {
    /// Queue pairs in all.
    pub queue_pairs: u32,
    /// Work requests in one send or receive queue.
    pub queue_depth: u32,
    /// Receive requests in one queue that queue pairs share; 0 where they cannot.
    #[serde(default)]
    pub shared_receive_queue_depth: u32,
    /// Entries in one completion queue.
    pub completion_queue_entries: u32,
    /// Outstanding reads and atomics per queue pair that it answers.
    pub max_rd_atomic_as_responder: u8,
    /// Outstanding reads and atomics per queue pair that it starts.
    pub max_rd_atomic_as_requester: u8,
}

/// What a device is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceDescription {
    /// Name in the RDMA subsystem, for instance `mlx5_0` or `rxe0`.
    pub name: String,
    /// The back end's own name, for every record and plot.
    pub back_end: String,
    /// The kernel driver, where it can be told.
    pub driver: Option<String>,
    /// Firmware version as the device says it.
    pub firmware: Option<String>,
    /// Vendor part id.
    pub vendor_part: Option<u32>,
    /// Port number, from 1.
    pub port: u8,
    /// State of the port when it was opened.
    pub port_state: PortState,
    /// Network below the port.
    pub link_layer: LinkLayer,
    /// The port's local identifier; 0 on Ethernet. Of an emulated fabric, the node's number.
    pub local_identifier: u16,
    /// The MTU that the port has now.
    pub active_mtu: PathMtu,
    /// Reach of its atomics.
    pub atomic_capability: AtomicCapability,
    /// Services that its queue pairs can be of. No verb tells it: found by making one of each.
    #[serde(default = "connected_only")]
    pub services: Vec<Service>,
    /// Services of which queue pairs can share a receive queue. Found by making one of each; none in older
    /// descriptions.
    #[serde(default)]
    pub shared_receives: Vec<Service>,
    /// Limits.
    pub limits: DeviceLimits,
    /// Used entries of the port's GID table.
    pub gids: Vec<GidEntry>,
    /// The delay of a hop that an emulated fabric adds, in nanoseconds; absent where the fabric is
    /// not emulated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fabric_hop_ns: Option<u64>,
    /// Of so many messages that a queue pair sends over an unreliable service one is lost on purpose, as an
    /// emulated fabric can be asked to; absent where none is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fabric_drop_every: Option<NonZeroU32>,
}

/// What older descriptions do not say: these devices were used for reliable connections.
fn connected_only() -> Vec<Service> {
    vec![Service::ReliableConnection]
}

impl DeviceDescription {
    /// Refuses a service that the device does not have.
    ///
    /// # Errors
    /// [`CreateEndpointError::NoService`], with those that it has.
    pub fn check_service(&self, service: Service) -> Result<(), CreateEndpointError> {
        if self.services.contains(&service) {
            return Ok(());
        }
        let (device, there) = (self.name.clone(), words(&self.services));
        Err(CreateEndpointError::NoService { device, service, there })
    }

    /// Refuses receive queues that the device cannot give to queue pairs of a service.
    ///
    /// # Errors
    /// [`CreateEndpointError::NoSharedReceives`], with the services of which they can share one.
    pub fn check_receive_queues(
        &self,
        receive_queues: ReceiveQueues,
        service: Service,
    ) -> Result<(), CreateEndpointError> {
        match receive_queues {
            ReceiveQueues::Shared if !self.shared_receives.contains(&service) => {
                let (device, there) = (self.name.clone(), words(&self.shared_receives));
                Err(CreateEndpointError::NoSharedReceives { device, service, there })
            }
            ReceiveQueues::Shared | ReceiveQueues::PerQueuePair => Ok(()),
        }
    }

    /// What the peer needs for [`crate::negotiate`].
    pub fn connection_limits(&self) -> ConnectionLimits {
        ConnectionLimits {
            active_mtu: self.active_mtu,
            max_rd_atomic_as_requester: self.limits.max_rd_atomic_as_requester,
            max_rd_atomic_as_responder: self.limits.max_rd_atomic_as_responder,
        }
    }
}

fn words(services: &[Service]) -> String {
    match services {
        [] => "none".to_owned(),
        _ => services.iter().map(|service| service.word()).collect::<Vec<_>>().join(", "),
    }
}
