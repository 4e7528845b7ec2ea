//! One run's resources on the server: taken, proven, connected, proven again, released.

use onesided_control::{
    PeerState,
    message::{Completed, Connection, Finished, Preparation, Prepared},
};
use onesided_placement::CpuSet;
use onesided_results::{
    RunConfiguration,
    record::{CounterRecord, SideRecord, ThreadProof},
    vocabulary::{LoopShape, Moment, Operation, Phase, PlacedMemory, Side, ThreadRole},
};
use onesided_transport::{
    Access, Endpoint, GidChoice, Negotiated, Region, Transport, gid, negotiate,
};

use super::responder::{Responder, Role};
use crate::{
    error::RunError,
    geometry::Geometry,
    places::{Placed, Rings, one_each, thread_proof},
    plan, route,
    share::Share,
    site::{Site, gid_record},
    thread::Seen,
    verification::Content,
};

/// A run that the server is ready for.
pub(super) struct PreparedRun<'s, 'a, T: Transport> {
    site: &'s Site<'a, T>,
    configuration: RunConfiguration,
    content: Content,
    // Declared in the order in which they must be released: queue pairs, then the registration,
    // then the memory itself.
    responder: Option<Responder<T::Endpoint>>,
    endpoints: Vec<T::Endpoint>,
    rings: Rings,
    registered: T::Region,
    region: Placed,
    negotiated: Negotiated,
    gid: GidChoice,
    cpus: Option<CpuSet>,
    counters: CounterRecord,
}

impl<'s, 'a, T: Transport + Sync> PreparedRun<'s, 'a, T> {
    /// Takes everything a run needs.
    pub(super) fn new(site: &'s Site<'a, T>, preparation: &Preparation) -> Result<Self, RunError> {
        let configuration = preparation.configuration.clone();
        configuration.check().map_err(|source| {
            RunError::new(Phase::Connect, "the client's configuration", source)
        })?;
        site.check_port()?;
        let own = site.transport.description();
        let negotiated = negotiate(
            plan::path_mtu(&configuration)?,
            configuration.max_rd_atomic,
            preparation.device.connection_limits(),
            own.connection_limits(),
        )
        .map_err(|source| RunError::new(Phase::Connect, "", source))?;
        let gid = gid::choose(own.link_layer, &own.gids, &preparation.device.gids, site.gid_index)
            .map_err(|source| RunError::new(Phase::Connect, "server", source))?;
        let geometry = Geometry::of(&configuration)?;
        let content = geometry.content(&configuration);
        let cpus = site.cpus("server_threads", &configuration.server_threads)?;
        let ask = site.ask(PlacedMemory::ServerRegion, &configuration.server_region)?;
        let mut region = site.take(ask, geometry.region_bytes)?;
        // SAFETY: it is not registered yet.
        content.fill_region(unsafe { region.bytes() });
        // SAFETY: the memory is released after the registration (the order of the fields), and it
        // is only looked at through a slice before the first peer and after the last.
        let registered = unsafe {
            site.transport.register(region.memory.as_ptr(), region.memory.len(), Access::REMOTE)
        }
        .map_err(|source| RunError::new(Phase::SetUp, "server_region", source))?;
        let ask = site.ask(PlacedMemory::ServerRings, &configuration.server_rings)?;
        let shares =
            Share::deal(configuration.queue_pairs as usize, configuration.threads as usize);
        let counts = shares.iter().map(|share| share.queue_pairs.len());
        let attributes = counts.map(|count| plan::server_endpoint(&configuration, count));
        let (endpoints, rings) = site.endpoints(ask, attributes)?;
        Ok(Self {
            site,
            configuration,
            content,
            responder: None,
            endpoints,
            rings,
            registered,
            region,
            negotiated,
            gid,
            cpus,
            counters: CounterRecord::default(),
        })
    }

    /// What the client must know to connect, and where everything is.
    pub(super) fn announce(&self) -> Result<Prepared, RunError> {
        let address = |endpoint: &T::Endpoint| endpoint.address(self.gid.entry);
        Ok(Prepared {
            region: self.registered.remote(),
            endpoints: self.endpoints.iter().map(address).collect(),
            negotiated: self.negotiated,
            device: self.site.transport.description().clone(),
            side: SideRecord {
                host: self.site.host(),
                device: Some(self.site.device()),
                gid: Some(gid_record(&self.gid)),
                placement: vec![
                    self.region.prove(Moment::Before)?,
                    self.rings.prove(Moment::Before)?,
                ],
                threads: Vec::new(),
                counters: CounterRecord::default(),
                load: None,
                caches: None,
                direct_io: None,
            },
        })
    }

    /// Connects to the client's ends and starts the threads that the run needs here.
    pub(super) fn connect(
        &mut self,
        connection: &Connection,
        peer: PeerState,
    ) -> Result<(), RunError> {
        if connection.endpoints.len() != self.endpoints.len() {
            let (theirs, ours) = (connection.endpoints.len(), self.endpoints.len());
            let what = format!("the client names {theirs} endpoints, the run has {ours}");
            return Err(RunError::plain(Phase::Connect, what));
        }
        route::check(Side::Server, &self.gid, &connection.endpoints)?;
        let attributes = plan::connection(&self.configuration, self.negotiated, self.gid.entry);
        for (endpoint, theirs) in self.endpoints.iter_mut().zip(&connection.endpoints) {
            endpoint
                .connect(theirs, &attributes)
                .map_err(|source| RunError::new(Phase::Connect, "server", source))?;
        }
        self.counters.before = self.site.transport.counters();
        let role = match (self.configuration.loop_shape, self.configuration.operation) {
            (LoopShape::PingPong, _) => {
                let arrivals = connection.arrivals.ok_or_else(|| {
                    let what = "a ping-pong's client must say where answers go";
                    RunError::plain(Phase::Connect, what)
                })?;
                let geometry = Geometry::of(&self.configuration)?;
                Role::PingPong(geometry.pongs(&self.configuration, &self.registered, arrivals))
            }
            (_, Operation::WriteWithImmediate) => {
                Role::Replenish { depth: plan::receives(&self.configuration) }
            }
            _ => return Ok(()),
        };
        let endpoints = std::mem::take(&mut self.endpoints);
        let pins = one_each(self.cpus.as_ref(), endpoints.len());
        self.responder = Some(Responder::start(role, endpoints, pins, self.site.clock, peer)?);
        Ok(())
    }

    /// Stops what runs, proves again, verifies what the region holds.
    pub(super) fn finish(mut self, completed: Completed) -> Result<Finished, RunError> {
        let mut threads = Vec::new();
        if let Some(responder) = self.responder.take() {
            let (endpoints, seen) = responder.stop()?;
            self.endpoints = endpoints;
            let pins = one_each(self.cpus.as_ref(), seen.len());
            threads = self.thread_proofs(&seen, &pins);
        }
        self.counters.after = self.site.transport.counters();
        let placement = vec![self.region.prove(Moment::After)?, self.rings.prove(Moment::After)?];
        drop(self.endpoints);
        drop(self.registered);
        // SAFETY: it is no longer registered.
        let region = unsafe { self.region.bytes() };
        let verification = self.content.check_region(region, completed.operations);
        Ok(Finished { placement, threads, counters: self.counters, verification })
    }

    fn thread_proofs(&self, seen: &[Vec<Seen>], pins: &[Option<CpuSet>]) -> Vec<ThreadProof> {
        let asked = &self.configuration.server_threads;
        let proof = |(thread, (seen, pin)): (usize, (&Vec<_>, &Option<CpuSet>))| {
            let pin = pin.as_ref();
            let node = pin.and_then(|cpus| self.site.topology.node_of_cpu(cpus.first()));
            thread_proof(ThreadRole::Responder, thread, asked, pin, node.map(|node| node.0), seen)
        };
        seen.iter().zip(pins).enumerate().map(proof).collect()
    }
}
