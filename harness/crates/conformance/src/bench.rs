//! Two opened ends, and what properties make on them.

use std::sync::Arc;

use onesided_transport::{
    Access, AtomicCapability, CompletionQueues, ConnectionAttributes, CreateEndpointError,
    Destination, DeviceDescription, Endpoint, EndpointAddress, EndpointAttributes, GidEntry,
    LinkLayer, Opcode, PathMtu, ReceiveQueues, Service, Transport, gid, negotiate,
};

use crate::{
    deviation::Deviation,
    fixture::{Capability, Fixture, Reach},
    memory::Memory,
    pair::{Pair, Party},
};

/// The endpoints of a fixture's back end.
pub(crate) type EndpointOf<F> = <<F as Fixture>::Transport as Transport>::Endpoint;
/// The memory of a fixture's back end.
pub(crate) type MemoryOf<F> = Memory<<<F as Fixture>::Transport as Transport>::Region>;
/// Two connected endpoints of a fixture's back end.
pub(crate) type PairOf<F> = Pair<EndpointOf<F>>;

/// What a property runs on.
pub(crate) struct Bench<'a, F: Fixture> {
    fixture: &'a F,
    pub(crate) client: F::Transport,
    pub(crate) server: F::Transport,
    /// Of connections whose set-up names none.
    pub(crate) service: Service,
}

/// How two endpoints are made and connected.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup {
    /// That of the bench where it names none.
    pub(crate) service: Option<Service>,
    pub(crate) queue_pairs: usize,
    pub(crate) send_queue_depth: u32,
    pub(crate) receive_queue_depth: u32,
    pub(crate) receive_queues: ReceiveQueues,
    pub(crate) inline_bytes: u32,
    pub(crate) completion_queues: CompletionQueues,
    /// What peers may do through the queue pairs of either end.
    pub(crate) access: Access,
    /// Lowered to what the ports carry.
    pub(crate) path_mtu: PathMtu,
    /// Lowered to what the devices can do.
    pub(crate) max_rd_atomic: u8,
    pub(crate) timeout_exponent: u8,
    pub(crate) retry_count: u8,
    pub(crate) rnr_retry: u8,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            service: None,
            queue_pairs: 1,
            send_queue_depth: 64,
            receive_queue_depth: 0,
            receive_queues: ReceiveQueues::PerQueuePair,
            inline_bytes: 0,
            completion_queues: CompletionQueues::PerThread,
            access: Access::REMOTE,
            path_mtu: PathMtu::Bytes1024,
            max_rd_atomic: 4,
            // 0.5 s, seven times: an emulated CPU was away for longer than seven times the usual 67 ms.
            timeout_exponent: 17,
            retry_count: 6,
            rnr_retry: 6,
        }
    }
}

impl<'a, F: Fixture> Bench<'a, F> {
    /// Opens both ends, for connections of a service.
    pub(crate) fn open(fixture: &'a F, service: Service) -> Result<Self, Deviation> {
        let client = fixture.client().map_err(Deviation::set_up("open the client's end"))?;
        let server = fixture.server().map_err(Deviation::set_up("open the server's end"))?;
        Ok(Self { fixture, client, server, service })
    }

    /// Why a capability is not there; `None` where it is.
    pub(crate) fn lacks(&self, capability: Capability) -> Option<String> {
        let capability = match (capability, self.service) {
            (Capability::SharedReceives, Service::UnreliableConnection) => {
                Capability::SharedReceivesOfUnreliableConnections
            }
            (Capability::UnreliableArrival, Service::ReliableConnection) => return None,
            (capability, _) => capability,
        };
        let denied = || match capability {
            Capability::Atomics if !self.has_atomics() => {
                Some("the device's description says it has no atomics".to_owned())
            }
            Capability::Atomics if !self.service.is_reliable() => {
                Some(format!("queue pairs of the service {} have none", self.service))
            }
            Capability::UnreliableConnection => self.has_not(Service::UnreliableConnection),
            Capability::UnreliableDatagram => self.has_not(Service::UnreliableDatagram),
            Capability::SharedReceives => self.shares_not(Service::ReliableConnection),
            Capability::SharedReceivesOfUnreliableConnections => {
                self.shares_not(Service::UnreliableConnection)
            }
            Capability::SharedReceivesOfDatagrams => self.shares_not(Service::UnreliableDatagram),
            _ => None,
        };
        self.fixture.lacks(capability).or_else(denied)
    }

    /// Whether connections have reads.
    pub(crate) fn has_reads(&self) -> bool {
        Opcode::Read.is_of(self.service)
    }

    fn has_not(&self, service: Service) -> Option<String> {
        let ends = [self.client.description(), self.server.description()];
        ends.into_iter()
            .find_map(|end| end.check_service(service).err())
            .map(|refused| refused.to_string())
    }

    fn shares_not(&self, service: Service) -> Option<String> {
        let ends = [self.client.description(), self.server.description()];
        ends.into_iter()
            .find_map(|end| end.check_receive_queues(ReceiveQueues::Shared, service).err())
            .map(|refused| refused.to_string())
    }

    fn has_atomics(&self) -> bool {
        let ends = [self.client.description(), self.server.description()];
        ends.iter().all(|end| end.atomic_capability != AtomicCapability::None)
    }

    /// Without atomics where the device has none: some refuse the right itself.
    fn granted(&self, access: Access) -> Access {
        Access { remote_atomic: access.remote_atomic && self.has_atomics(), ..access }
    }

    /// Memory of the client that peers may access in every way.
    pub(crate) fn client_memory(&self, length: usize) -> Result<MemoryOf<F>, Deviation> {
        self.memory(&self.client, "the client's", None, length, Access::REMOTE)
    }

    /// Memory of the server that peers may access in every way.
    pub(crate) fn server_memory(&self, length: usize) -> Result<MemoryOf<F>, Deviation> {
        self.server_memory_for(length, Access::REMOTE)
    }

    /// Memory of the server that peers may access as said.
    pub(crate) fn server_memory_for(
        &self,
        length: usize,
        access: Access,
    ) -> Result<MemoryOf<F>, Deviation> {
        self.memory(&self.server, "the server's", self.fixture.reach(), length, access)
    }

    fn memory(
        &self,
        device: &F::Transport,
        whose: &'static str,
        reach: Option<Arc<dyn Reach>>,
        length: usize,
        access: Access,
    ) -> Result<MemoryOf<F>, Deviation> {
        let access = self.granted(access);
        Memory::register(device, whose, reach, length, access)
            .map_err(|error| Deviation::set_up("register memory")(error.into()))
    }

    /// An endpoint on a device of this bench, not connected.
    pub(crate) fn endpoint(
        &self,
        device: &F::Transport,
        setup: &Setup,
    ) -> Result<Party<EndpointOf<F>>, CreateEndpointError> {
        let endpoint = device.create_endpoint(&EndpointAttributes {
            service: setup.service.unwrap_or(self.service),
            queue_pairs: setup.queue_pairs,
            send_queue_depth: setup.send_queue_depth,
            receive_queue_depth: setup.receive_queue_depth,
            receive_queues: setup.receive_queues,
            inline_bytes: setup.inline_bytes,
            completion_queues: setup.completion_queues,
            access: self.granted(setup.access),
        })?;
        Ok(Party::new(endpoint, self.fixture.patience(), self.fixture.settling()))
    }

    /// Two endpoints, connected to each other.
    pub(crate) fn connect(&self, setup: &Setup) -> Result<PairOf<F>, Deviation> {
        let refused =
            |error: CreateEndpointError| Deviation::set_up("create an endpoint")(Box::new(error));
        let client = self.endpoint(&self.client, setup).map_err(refused)?;
        let server = self.endpoint(&self.server, setup).map_err(refused)?;
        self.join(client, server, setup)
    }

    /// Two endpoints of datagrams, and where the client reaches each queue pair of the server.
    pub(crate) fn datagrams(
        &self,
        setup: &Setup,
    ) -> Result<(PairOf<F>, Vec<Destination>), Deviation> {
        let service = Service::UnreliableDatagram;
        let setup = Setup { service: Some(service), ..*setup };
        let refused =
            |error: CreateEndpointError| Deviation::set_up("create an endpoint")(Box::new(error));
        let mut client = self.endpoint(&self.client, &setup).map_err(refused)?;
        let server = self.endpoint(&self.server, &setup).map_err(refused)?;
        let (_, gid) = self.gids()?;
        let address = server.endpoint.address(gid);
        let destinations = self.destinations(&mut client, &address, &setup)?;
        let path_mtu = setup.path_mtu.min(self.largest_mtu());
        Ok((Pair { client, server, service, path_mtu }, destinations))
    }

    /// Where the client reaches the queue pairs of an address.
    pub(crate) fn destinations(
        &self,
        client: &mut Party<EndpointOf<F>>,
        address: &EndpointAddress,
        setup: &Setup,
    ) -> Result<Vec<Destination>, Deviation> {
        let (gid, _) = self.gids()?;
        let attributes = self.attributes(setup, gid)?;
        client
            .endpoint
            .destinations(address, &attributes)
            .map_err(|error| Deviation::set_up("learn destinations")(error.into()))
    }

    /// Connects two endpoints to each other.
    pub(crate) fn join(
        &self,
        mut client: Party<EndpointOf<F>>,
        mut server: Party<EndpointOf<F>>,
        setup: &Setup,
    ) -> Result<PairOf<F>, Deviation> {
        let (client_gid, server_gid) = self.gids()?;
        let client_attributes = self.attributes(setup, client_gid)?;
        let server_attributes =
            ConnectionAttributes { gid: server_gid, ..client_attributes.clone() };
        let client_address = client.endpoint.address(client_gid);
        let server_address = server.endpoint.address(server_gid);
        for (party, peer, attributes) in [
            (&mut server, &client_address, &server_attributes),
            (&mut client, &server_address, &client_attributes),
        ] {
            party
                .endpoint
                .connect(peer, attributes)
                .map_err(|error| Deviation::set_up("connect")(error.into()))?;
        }
        let service = setup.service.unwrap_or(self.service);
        Ok(Pair { client, server, service, path_mtu: client_attributes.path_mtu })
    }

    /// The largest path MTU that both ports carry.
    pub(crate) fn largest_mtu(&self) -> PathMtu {
        self.client.description().active_mtu.min(self.server.description().active_mtu)
    }

    /// The connection attributes of both ends, but for the GID.
    pub(crate) fn attributes(
        &self,
        setup: &Setup,
        gid: Option<GidEntry>,
    ) -> Result<ConnectionAttributes, Deviation> {
        let refused = |error| Deviation::set_up("agree on a connection")(Box::new(error));
        let client = self.client.description().connection_limits();
        let server = self.server.description().connection_limits();
        let mtu = setup.path_mtu.min(self.largest_mtu());
        let there = negotiate(mtu, setup.max_rd_atomic, client, server).map_err(refused)?;
        let back = negotiate(mtu, setup.max_rd_atomic, server, client).map_err(refused)?;
        Ok(ConnectionAttributes {
            gid,
            path_mtu: there.path_mtu,
            max_rd_atomic: there.max_rd_atomic.min(back.max_rd_atomic),
            timeout_exponent: setup.timeout_exponent,
            retry_count: setup.retry_count,
            rnr_retry: setup.rnr_retry,
            hop_limit: 64,
        })
    }

    /// The GIDs that client and server use towards each other.
    pub(crate) fn gids(&self) -> Result<(Option<GidEntry>, Option<GidEntry>), Deviation> {
        let (client, server) = (self.client.description(), self.server.description());
        Ok((self.gid(client, server)?, self.gid(server, client)?))
    }

    fn gid(
        &self,
        own: &DeviceDescription,
        peer: &DeviceDescription,
    ) -> Result<Option<GidEntry>, Deviation> {
        if own.link_layer == LinkLayer::None {
            return Ok(None);
        }
        gid::choose(own.link_layer, &own.gids, &peer.gids, self.fixture.gid_index())
            .map(|choice| choice.entry)
            .map_err(|error| Deviation::set_up("choose a GID")(Box::new(error)))
    }
}
