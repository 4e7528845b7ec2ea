//! One run's resources on the server: taken, proven, connected, proven again, released.

use std::{ptr::NonNull, time::Duration};

use onesided_access::threads::SharedMemory;
use onesided_control::{
    PeerState,
    message::{Completed, Connection, Finished, PinnedClient, Prepared},
};
use onesided_measure::Ticks;
use onesided_placement::CpuSet;
use onesided_plan::ThreadShare;
use onesided_results::{
    RunConfiguration,
    record::{CacheRecord, PlacementProof, SideRecord, ThreadProof},
    vocabulary::{
        LoopShape, Moment, Operation, Phase, PlacedMemory, ReceiveQueues, Side, ThreadRole,
    },
};
use onesided_transport::{Access, Destination, Region, Transport};

use super::{
    budget::{Amount, Share},
    cpus::Pins,
    hardware::{Counting, DirectIoState, look_at_caches, set_caches},
    host_load::{HostLoad, Interval},
    replenish::Received,
    responder::{Responder, Role},
    wiring::{ClientHost, Wiring},
};
use crate::{
    error::RunError,
    geometry::Geometry,
    places::{Placed, Rings, thread_proof},
    plan,
    site::{Site, gid_record},
    thread::Noted,
    turn::Turn,
    verification::Content,
};

/// A run that the server is ready for.
pub(super) struct PreparedRun<'s, 'a, T: Transport> {
    site: &'s Site<'a, T>,
    configuration: RunConfiguration,
    content: Content,
    // Declared in the order in which they must be released: threads, queue pairs, then the
    // registration, then the memory itself.
    load: Option<HostLoad>,
    responder: Option<Responder<T::Endpoint>>,
    endpoints: Vec<T::Endpoint>,
    rings: Rings,
    registered: T::Region,
    region: Placed,
    wiring: Wiring,
    /// Of datagrams: where each queue pair of the run sends to, of one client host; of several in the order
    /// in which they connected.
    destinations: Vec<Destination>,
    /// Numbers of the clients' queue pairs.
    senders: Vec<u32>,
    pins: Pins,
    counting: Option<Counting>,
    direct_io: DirectIoState,
    caches: Option<CacheRecord>,
    /// When the client was told that it is connected.
    connected: Option<Ticks>,
    during: Vec<PlacementProof>,
    /// When the look in the middle of the run was over.
    looked: Option<Ticks>,
    /// What went wrong in the middle of the run.
    gone_wrong: Option<RunError>,
    /// Given back last.
    _share: Share<'s>,
}

impl<'s, 'a, T: Transport + Sync> PreparedRun<'s, 'a, T> {
    /// Takes everything a run needs for its client hosts, the lead first.
    pub(super) fn new(
        site: &'s Site<'a, T>,
        configuration: &RunConfiguration,
        clients: &[ClientHost<'_>],
    ) -> Result<Self, RunError> {
        let configuration = configuration.clone();
        configuration.check().map_err(|source| {
            RunError::new(Phase::Connect, "the client's configuration", source)
        })?;
        site.check_port()?;
        plan::check_receive_queues(&configuration, Side::Server, site.transport.description())?;
        let wiring = Wiring::plan(site, &configuration, clients)?;
        let geometry = Geometry::of(&configuration)?;
        let share = site.budget.take(Amount::of(&configuration, &geometry))?;
        let content = geometry.content(&configuration);
        let pinned: Vec<PinnedClient> = clients.iter().map(|host| host.pinned.clone()).collect();
        let pins = Pins::deal(site, &configuration, &pinned)?;
        // Before anything that must be released in order: it is what is refused most often.
        let direct_io = DirectIoState::set(site, configuration.ddio)?;
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
            ThreadShare::deal(configuration.queue_pairs as usize, configuration.threads as usize);
        let counts = shares.iter().map(|share| share.queue_pairs.len());
        let attributes = counts.map(|count| plan::server_endpoint(&configuration, count));
        let (endpoints, rings) = site.endpoints(ask, attributes)?;
        Ok(Self {
            site,
            configuration,
            content,
            load: None,
            responder: None,
            endpoints,
            rings,
            registered,
            region,
            wiring,
            destinations: Vec::new(),
            senders: Vec::new(),
            pins,
            counting: None,
            direct_io,
            caches: None,
            connected: None,
            during: Vec::new(),
            looked: None,
            gone_wrong: None,
            _share: share,
        })
    }

    /// Now, by the clock of the run.
    pub(super) fn now(&self) -> Ticks {
        self.site.clock.now()
    }

    /// What a client host must know to connect, and where everything is.
    pub(super) fn announce(&self, host: usize) -> Result<Prepared, RunError> {
        Ok(Prepared {
            region: self.registered.remote(),
            endpoints: self.wiring.addresses(host, &self.endpoints),
            negotiated: self.wiring.negotiated,
            device: self.site.transport.description().clone(),
            side: SideRecord {
                device: Some(self.site.device()),
                gid: Some(gid_record(self.wiring.gid(host))),
                placement: vec![
                    self.region.prove(Moment::Before)?,
                    self.rings.prove(Moment::Before)?,
                ],
                ..SideRecord::on(self.site.host())
            },
        })
    }

    /// Connects to a client host's ends.
    pub(super) fn connect(&mut self, host: usize, connection: &Connection) -> Result<(), RunError> {
        let destinations =
            self.wiring.connect(host, &mut self.endpoints, connection, &self.configuration)?;
        self.destinations.extend(destinations);
        let addresses = connection.endpoints.iter().flat_map(|endpoint| &endpoint.queue_pairs);
        self.senders.extend(addresses.map(|address| address.number));
        Ok(())
    }

    /// Starts the threads that the run needs here, once every client host is connected. `connection`
    /// and `peer` are the lead's.
    pub(super) fn begin(
        &mut self,
        connection: &Connection,
        peer: PeerState,
    ) -> Result<(), RunError> {
        self.start_load()?;
        self.counting = Some(Counting::start(self.site));
        self.start_responder(connection, peer)?;
        self.connected = Some(self.site.clock.now());
        Ok(())
    }

    /// Starts the load, whose memory would push the region out of the caches; then sets these; then
    /// starts the workers.
    fn start_load(&mut self) -> Result<(), RunError> {
        let (site, configuration) = (self.site, &self.configuration);
        let pins = std::mem::take(&mut self.pins.host);
        self.load = HostLoad::start(site, configuration, pins.load)?;
        if let Some(load) = &mut self.load {
            self.during.extend(load.prove(Moment::Before)?);
        }
        let near = near(site, &self.region);
        self.caches = set_caches(&self.region, configuration.cache_state, near, site.clock)?;
        let memory = &self.region.memory;
        let start = NonNull::new(memory.as_ptr()).expect("a mapping does not start at address 0");
        // SAFETY: the region outlives the threads (the order of the fields), and while they run
        // this program looks at it in no other way.
        let region = unsafe { SharedMemory::of_raw(start, memory.len()) }
            .map_err(|source| RunError::new(Phase::SetUp, "server_region", source))?;
        let bytes = Geometry::of(configuration)?.region_bytes as u64;
        if let Some(load) = &mut self.load {
            load.work(site, configuration, region, bytes, pins.workers)?;
        }
        Ok(())
    }

    fn start_responder(
        &mut self,
        connection: &Connection,
        peer: PeerState,
    ) -> Result<(), RunError> {
        let role = match (self.configuration.loop_shape, self.configuration.operation) {
            (LoopShape::PingPong, _) => {
                let arrivals = connection.arrivals.ok_or_else(|| {
                    let what = "a ping-pong's client must say where answers go";
                    RunError::plain(Phase::Connect, what)
                })?;
                let geometry = Geometry::of(&self.configuration)?;
                let to = &self.destinations;
                Role::PingPong(geometry.pongs(&self.configuration, &self.registered, arrivals, to))
            }
            (_, Operation::WriteWithImmediate) => {
                Role::replenish(&self.configuration, Vec::new(), Vec::new())
            }
            (_, Operation::Send) => {
                let geometry = Geometry::of(&self.configuration)?;
                let landings = geometry.landings(&self.configuration, &self.registered);
                let senders = std::mem::take(&mut self.senders);
                Role::replenish(&self.configuration, landings, senders)
            }
            _ => return Ok(()),
        };
        let endpoints = std::mem::take(&mut self.endpoints);
        let pins = self.pins.responders.clone();
        self.responder = Some(Responder::start(role, endpoints, pins, self.site.clock, peer)?);
        Ok(())
    }

    /// How long after the client was told that it is connected the measured interval is half over,
    /// if its threads start at once.
    pub(super) fn to_the_middle(&self) -> Duration {
        let RunConfiguration { warm_up_ms, duration_ms, .. } = self.configuration;
        Duration::from_millis(warm_up_ms + duration_ms / 2)
    }

    /// Proves where everything is, in the middle of the run. What goes wrong is told at its end: the
    /// client is measuring, and would only see its queue pairs break.
    pub(super) fn prove_during(&mut self) {
        match self.proofs(Moment::During) {
            Ok(proofs) => self.during.extend(proofs),
            Err(error) => self.gone_wrong = Some(error),
        }
        self.looked = Some(self.now());
    }

    fn proofs(&mut self, when: Moment) -> Result<Vec<PlacementProof>, RunError> {
        let mut proofs = vec![self.region.prove(when)?, self.rings.prove(when)?];
        if let Some(load) = &mut self.load {
            proofs.extend(load.prove(when)?);
        }
        Ok(proofs)
    }

    /// Stops what runs, proves again, verifies what the region holds after `operations` operations of
    /// all clients. `interval` is the measured one.
    pub(super) fn finish(
        mut self,
        operations: u64,
        interval: Interval,
        turn: Option<&Turn>,
    ) -> Result<Finished, RunError> {
        if let Some(error) = self.gone_wrong.take() {
            return Err(error);
        }
        let counters = self.counting.take().map(|counting| counting.finish(self.site));
        let (mut threads, mut messages) = (Vec::new(), Received::default());
        if let Some(responder) = self.responder.take() {
            let stopped = responder.stop()?;
            self.endpoints = stopped.endpoints;
            threads = self.thread_proofs(&stopped.noted);
            messages = stopped.received;
        }
        let received = self.is_counted().then(|| messages.by_queue_pair.iter().sum());
        let mut placement = std::mem::take(&mut self.during);
        if self.looked.is_some_and(|looked| looked >= interval.end(self.site.clock)) {
            // This process had no CPU in the middle: what it saw later is not of the run.
            placement.retain(|proof| proof.when != Moment::During);
        }
        placement.extend([self.region.prove(Moment::After)?, self.rings.prove(Moment::After)?]);
        let (mut load, mut load_series) = (None, Vec::new());
        if let Some(running) = self.load.take() {
            let report = running.stop(self.site, interval)?;
            placement.extend(report.placement);
            threads.extend(report.threads);
            (load, load_series) = (Some(report.record), report.series);
        }
        look_at_caches(&self.region, &mut self.caches, near(self.site, &self.region))?;
        let direct_io = Some(self.direct_io.restore()?);
        drop(self.endpoints);
        drop(self.registered);
        // SAFETY: it is no longer registered, and the threads that used it have ended.
        let region = unsafe { self.region.bytes() };
        let is_empty = self.configuration.access_bytes == 0;
        let verification = match is_empty {
            false => self.content.check_region(region, operations),
            true => self.content.check_empty(&messages.by_queue_pair, operations),
        };
        let verification = match self.configuration.receive_queues {
            ReceiveQueues::PerQueuePair if !is_empty => verification,
            _ => self.content.check_receivers(verification, &messages.by_queue_pair, operations),
        };
        Ok(Finished {
            placement,
            threads,
            counters: counters.unwrap_or_default(),
            measured_beside: turn.and_then(Turn::others),
            verification,
            received,
            foreign_datagrams: messages.foreign,
            load,
            load_series,
            caches: self.caches,
            direct_io,
            together: None,
        })
    }

    /// Whether messages are counted where they arrive: those that may be lost, those that take from a queue that is
    /// shared, and those that leave nothing in the region. A ping-pong that loses a message ends, and is counted by
    /// its turns.
    fn is_counted(&self) -> bool {
        let RunConfiguration {
            loop_shape, operation, receive_queues, service, access_bytes, ..
        } = self.configuration;
        let is_lossy = !service.is_reliable();
        let is_shared = receive_queues == ReceiveQueues::Shared;
        loop_shape != LoopShape::PingPong
            && operation.consumes_receives()
            && (is_lossy || is_shared || access_bytes == 0)
    }

    /// The measured interval of a run whose only client says when it was. `answered` is when the
    /// client's message came.
    pub(super) fn interval(&self, completed: Completed, answered: Ticks) -> Interval {
        Interval::of(
            self.site.clock,
            self.connected.unwrap_or(answered),
            answered,
            completed.since_connected_ns,
            completed.since_start_ns,
            self.configuration.duration_ms * 1_000_000,
        )
    }

    fn thread_proofs(&self, noted: &[Noted]) -> Vec<ThreadProof> {
        let asked = &self.configuration.server_threads;
        let proof = |(thread, (noted, pin)): (usize, (&Noted, &Option<CpuSet>))| {
            let pin = pin.as_ref();
            let node = pin.and_then(|cpus| self.site.topology.node_of_cpu(cpus.first()));
            let node = node.map(|node| node.0);
            thread_proof(ThreadRole::Responder, thread, asked, pin, node, noted)
        };
        noted.iter().zip(&self.pins.responders).enumerate().map(proof).collect()
    }
}

/// The CPUs of the region's node; absent where any would do.
fn near<'t, T>(site: &'t Site<'_, T>, region: &Placed) -> Option<&'t CpuSet> {
    region.ask.node.and_then(|node| site.topology.node(node)?.cpus.as_ref())
}
