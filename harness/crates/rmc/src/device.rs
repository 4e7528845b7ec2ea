//! A node as a device: what the contract asks of a back end.

use std::{
    collections::BTreeMap,
    io,
    num::NonZeroU32,
    ptr,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use onesided_placement::{PagesByNode, ResidencyError, residency::sum_by_node};
use onesided_transport::{
    Access, AtomicCapability, CreateEndpointError, DeviceDescription, EndpointAttributes,
    LinkLayer, NotAvailable, PathMtu, PortState, Region, RegisterError, RemoteMemory, Service,
    Transport, Word, ZeroedMemory,
};

use crate::{
    endpoint::RmcEndpoint,
    fabric::{Context, OpenError, OwnNode, StaleNode},
    limits::LIMITS,
    local::{Counted, LocalNode},
    losses::Losses,
    node::Node,
    options::RmcOptions,
    placed::{self, pages_of},
    regions::{FoundRegion, Regions},
    segment,
    shared::{
        delay::HopDelay,
        layout::{NodeMemory, Rings},
    },
};

/// The back end's own name, in every record and plot.
pub const BACK_END: &str = "rmc";

/// Bytes of shared memory that each endpoint takes at the node of its peer.
pub const ROOM_OF_A_CHANNEL: u64 = size_of::<Rings>() as u64;

/// A node of a fabric, opened by this process.
pub struct RmcDevice {
    node: Arc<Node>,
    description: DeviceDescription,
    swept: Vec<StaleNode>,
}

impl RmcDevice {
    /// Joins a context of a fabric as one of its nodes, and starts the node's responder.
    ///
    /// # Errors
    /// [`OpenError`] says which rule of the file system or of the fabric stands against it.
    pub fn open(options: &RmcOptions) -> Result<Self, OpenError> {
        let (asked, longest) = (options.hop_delay, HopDelay::LONGEST);
        if asked > longest {
            return Err(OpenError::DelayTooLong { asked, longest });
        }
        let delay = HopDelay::new(asked)?;
        let context = Context::enter(&options.fabric, options.context)?;
        let swept = context.sweep()?;
        let (number, memory_node) = (options.node, options.memory_node);
        let own = OwnNode::take(&context, number, delay.nanoseconds(), memory_node)?;
        let description = describe(own.number, delay.nanoseconds(), options.drop_every);
        let delay = (delay, options.hop_distances.clone());
        let losses = Losses::new(options.drop_every);
        let local = Arc::new(LocalNode::new(own, context, delay, losses, options.serving));
        let node = Arc::new(Node::start(local, options.responder_cpus.clone())?);
        Ok(Self { node, description, swept })
    }

    #[cfg(test)]
    pub(crate) fn node(&self) -> &Node {
        &self.node
    }

    /// Nodes whose processes had ended without leaving, found and removed on opening.
    pub fn swept(&self) -> &[StaleNode] {
        &self.swept
    }

    /// The context's folder.
    pub fn context(&self) -> &std::path::Path {
        self.node.local.context.folder()
    }

    /// Bytes that are free in the fabric's file system; a channel takes [`ROOM_OF_A_CHANNEL`].
    ///
    /// # Errors
    /// What the kernel says.
    pub fn room_bytes(&self) -> io::Result<u64> {
        self.node.local.context.room_bytes()
    }

    /// On which NUMA nodes the pages of this node's memory are, and were of what was given back since the
    /// last call: how many on each. Of its tables and the rings of its channels those that this process
    /// has touched; its segments; and, where a NUMA node was asked for, what else the device allocated.
    /// Empty where the kernel does not say.
    ///
    /// # Errors
    /// The kernel fails in a way that is neither a refusal nor an answer.
    pub fn pages_by_node(&self) -> Result<PagesByNode, ResidencyError> {
        let local = &self.node.local;
        let tables: &NodeMemory = &local.own.memory;
        let tables = (ptr::from_ref(tables).addr() as u64, size_of::<NodeMemory>() as u64);
        let (outside, had) = local.placed.take();
        let ranges = [tables].into_iter().chain(local.segments.mapped()).chain(outside);
        Ok(sum_by_node(had?, pages_of(ranges)?))
    }

    /// How many nodes of the context are held now, this one included.
    ///
    /// # Errors
    /// The context's folder cannot be listed.
    pub fn living_nodes(&self) -> Result<usize, OpenError> {
        self.node.local.context.living()
    }
}

fn describe(number: u16, hop_ns: u64, drop_every: Option<NonZeroU32>) -> DeviceDescription {
    DeviceDescription {
        name: format!("{}{number}", BACK_END),
        back_end: BACK_END.to_owned(),
        driver: None,
        firmware: None,
        vendor_part: None,
        port: 1,
        port_state: PortState::Active,
        link_layer: LinkLayer::None,
        local_identifier: number,
        // Packets are of a cache line whatever the path MTU; all of them are carried.
        active_mtu: PathMtu::Bytes4096,
        atomic_capability: AtomicCapability::Global,
        services: Service::ALL.to_vec(),
        shared_receives: Service::ALL.to_vec(),
        limits: LIMITS,
        gids: Vec::new(),
        fabric_hop_ns: Some(hop_ns),
        fabric_drop_every: drop_every,
    }
}

impl Transport for RmcDevice {
    type Region = RmcRegion;
    type Endpoint = RmcEndpoint;

    fn description(&self) -> &DeviceDescription {
        &self.description
    }

    unsafe fn register(
        &self,
        address: *mut u8,
        length: usize,
        access: Access,
    ) -> Result<RmcRegion, RegisterError> {
        let (address, length_bytes) = (address as u64, length as u64);
        let local = &self.node.local;
        let segment = local.segments.find(address, length_bytes);
        let version = segment.map(|(_, version)| version);
        let region = FoundRegion { address, length: length_bytes, access, version };
        let key = local.regions.add(region).ok_or_else(|| {
            let what = format!("a node has at most {} regions", Regions::most());
            RegisterError::Refused { length_bytes, source: io::Error::other(what) }
        })?;
        if let Some(place) = segment.filter(|_| access.remote_read) {
            local.shared_region(key).publish(key, (address, length_bytes), place);
        }
        let remote = RemoteMemory { address, length_bytes, key };
        Ok(RmcRegion { node: Arc::clone(&self.node), remote })
    }

    /// In a segment of the context, which peers can copy from, where they may read; of the process alone
    /// where they may not, or where the fabric's file system has no room (counted).
    fn allocate(&self, bytes: usize, access: Access) -> Result<ZeroedMemory, RegisterError> {
        if !access.remote_read {
            return placed::allocate(&self.node, bytes);
        }
        match segment::allocate(&self.node, bytes) {
            Err(RegisterError::Refused { source, .. })
                if matches!(
                    source.kind(),
                    io::ErrorKind::StorageFull
                        | io::ErrorKind::QuotaExceeded
                        | io::ErrorKind::OutOfMemory
                ) =>
            {
                self.node.local.crowded_out.fetch_add(1, Ordering::Relaxed);
                placed::allocate(&self.node, bytes)
            }
            answer => answer,
        }
    }

    fn create_endpoint(
        &self,
        attributes: &EndpointAttributes,
    ) -> Result<RmcEndpoint, CreateEndpointError> {
        self.description.check_service(attributes.service)?;
        self.description.check_receive_queues(attributes.receive_queues, attributes.service)?;
        RmcEndpoint::new(&self.node, attributes)
    }

    fn places_rings(&self) -> Result<(), NotAvailable> {
        let why = "they are in the shared memory of the fabric, and follow no policy of a thread";
        Err(NotAvailable(why.to_owned()))
    }

    fn counters(&self) -> Result<BTreeMap<String, u64>, NotAvailable> {
        let Counted { requests, refused, dropped, slept, abandoned } = &self.node.local.counted;
        let counters = [
            ("responder_requests", requests),
            ("responder_refused", refused),
            ("responder_dropped", dropped),
            ("responder_sleeps", slept),
            ("responder_abandoned_channels", abandoned),
            ("requester_lost", self.node.local.losses.lost()),
            ("segments_without_room", &self.node.local.crowded_out),
        ];
        let read =
            |(name, count): (&str, &AtomicU64)| (name.to_owned(), count.load(Ordering::Relaxed));
        let mut counted: BTreeMap<_, _> = counters.into_iter().map(read).collect();
        let waited_ns = self.node.times.as_ref().ok().and_then(|times| times.waited_ns().ok());
        counted.extend(waited_ns.map(|waited_ns| ("responder_wait_ns".to_owned(), waited_ns)));
        Ok(counted)
    }

    /// A node has no link that could go down: it is there as long as its process.
    fn port_state(&self) -> Result<PortState, NotAvailable> {
        Ok(self.description.port_state)
    }
}

/// Registered memory. Dropping it waits until the responder does not use it any more.
pub struct RmcRegion {
    node: Arc<Node>,
    remote: RemoteMemory,
}

impl Region for RmcRegion {
    fn local_key(&self) -> u32 {
        self.remote.key
    }

    fn remote(&self) -> RemoteMemory {
        self.remote
    }
}

impl Drop for RmcRegion {
    fn drop(&mut self) {
        let local = &self.node.local;
        local.regions.hide(self.remote.key);
        local.shared_region(self.remote.key).withdraw();
        local.settle();
        local.regions.free(self.remote.key);
    }
}

#[cfg(all(test, not(loom)))]
mod datagrams;
#[cfg(all(test, not(loom)))]
mod losing;
#[cfg(all(test, not(loom)))]
mod tests;
