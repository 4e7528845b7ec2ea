//! A run that is set up: buffers taken and proven, queue pairs connected.

use onesided_control::message::{
    ClientMessage, Connection, PinnedClient, Preparation, Prepared, ServerMessage,
};
use onesided_placement::CpuSet;
use onesided_plan::{HostShare, ThreadShare};
use onesided_results::{
    RunConfiguration,
    record::{PlacementProof, SideRecord},
    vocabulary::{LoopShape, Moment, Phase, PlacedMemory, Side},
};
use onesided_transport::{
    Access, Destination, Endpoint, LocalSegment, Region, RemoteMemory, Transport, gid,
};

use super::line::{Line, unexpected};
use crate::{
    data_path::LanePlan,
    error::RunError,
    geometry::{self, Geometry},
    machine::boot_id,
    partial_record::PartialRecord,
    pins::{self, Sharing, Wish},
    places::{Placed, Rings},
    plan::{self, BufferPlan},
    route,
    site::{Site, gid_record},
    verification::Content,
};

/// Everything that a run needs on this side, taken and placed; the peer is not known yet.
pub(super) struct LocalSide<'r, 's, T: Transport> {
    pub site: &'r Site<'s, T>,
    pub configuration: &'r RunConfiguration,
    pub part: HostShare,
    pub pins: Vec<Option<CpuSet>>,
    pub geometry: Geometry,
    pub plan: BufferPlan,
    // Declared in the order in which they must be released.
    pub endpoints: Vec<T::Endpoint>,
    pub rings: Rings,
    registered: T::Region,
    pub buffer: Placed,
    /// Of datagrams: where each of this host's queue pairs sends to.
    pub destinations: Vec<Destination>,
}

/// The same, connected.
pub(super) struct OpenedRun<'r, 's, T: Transport> {
    pub own: LocalSide<'r, 's, T>,
    /// The server's memory.
    pub region: RemoteMemory,
}

/// Asks the server to make ready.
pub(super) fn ask_to_prepare<T: Transport>(
    site: &Site<'_, T>,
    line: &Line<'_>,
    configuration: &RunConfiguration,
    pins: &[Option<CpuSet>],
) -> Result<(), RunError> {
    let preparation = Preparation {
        configuration: configuration.clone(),
        host: site.host().hostname,
        device: site.transport.description().clone(),
        pinned: pinned(pins),
        measurement: site.turn.as_ref().map(|turn| turn.measurement().clone()),
    };
    line.tell(&ClientMessage::Prepare(Box::new(preparation)), Phase::SetUp)
}

/// Which machine this is, and what the run's threads here are pinned to.
pub(super) fn pinned(pins: &[Option<CpuSet>]) -> PinnedClient {
    let cpus = pins.iter().flatten().flat_map(CpuSet::iter).map(|cpu| cpu.0);
    PinnedClient { boot_id: boot_id(), cpus: cpus.collect() }
}

/// What the threads of one client host want.
pub(crate) fn wish<'c>(configuration: &'c RunConfiguration, part: &HostShare) -> Wish<'c> {
    Wish {
        field: "client_threads",
        words: &configuration.client_threads,
        threads: part.shares.len(),
        sharing: Sharing::InTurn,
    }
}

/// The CPUs that this host's threads are pinned to; those of `others` on this machine are taken.
pub(super) fn deal<T: Transport>(
    site: &Site<'_, T>,
    configuration: &RunConfiguration,
    part: &HostShare,
    others: &[PinnedClient],
) -> Result<Vec<Option<CpuSet>>, RunError> {
    let wish = wish(configuration, part);
    let taken = pins::of_clients(others, "another client host");
    let mut dealt = pins::deal(&site.topology, &site.locality, taken, &[wish])?;
    Ok(dealt.remove(0))
}

/// Waits until the server is ready.
pub(super) fn await_prepared(line: &Line<'_>) -> Result<Prepared, RunError> {
    match line.answer(Phase::Connect)? {
        ServerMessage::Prepared(prepared) => Ok(*prepared),
        other => Err(unexpected(Phase::Connect, "its preparation", &other)),
    }
}

impl<'r, 's, T: Transport + Sync> LocalSide<'r, 's, T> {
    /// Takes what a run needs here.
    pub(super) fn new(
        site: &'r Site<'s, T>,
        configuration: &'r RunConfiguration,
        part: HostShare,
        pins: Vec<Option<CpuSet>>,
    ) -> Result<Self, RunError> {
        let device = site.transport.description();
        plan::check_queue_depth(configuration, &device.limits)?;
        plan::check_receive_queues(configuration, Side::Client, device)?;
        let plan = BufferPlan::of(configuration);
        let geometry = Geometry::of(configuration)?;
        let buffer = take_buffer(site, configuration, &geometry, plan, part.queue_pairs().len())?;
        // SAFETY: the memory is released after the registration (the order of the fields), and
        // is not looked at through a slice while requests are in flight.
        let registered = unsafe {
            site.transport.register(buffer.memory.as_ptr(), buffer.memory.len(), Access::REMOTE)
        }
        .map_err(|source| RunError::new(Phase::SetUp, "client_buffers", source))?;
        let ask = site.ask(PlacedMemory::ClientRings, &configuration.client_rings)?;
        let counts = part.shares.iter().map(|share| share.queue_pairs.len());
        let attributes = counts.map(|count| plan::client_endpoint(configuration, count));
        let (endpoints, rings) = site.endpoints(ask, attributes)?;
        Ok(Self {
            site,
            configuration,
            part,
            pins,
            geometry,
            plan,
            endpoints,
            rings,
            registered,
            buffer,
            destinations: Vec::new(),
        })
    }

    /// Connects to the server's queue pairs, and proves where everything is.
    pub(super) fn connect(
        mut self,
        line: &Line<'_>,
        prepared: &Prepared,
        partial: &mut PartialRecord,
    ) -> Result<OpenedRun<'r, 's, T>, RunError> {
        let own = self.site.transport.description();
        let wanted = self.configuration.gid_index.or(self.site.gid_index);
        let gid = gid::choose(own.link_layer, &own.gids, &prepared.device.gids, wanted)
            .map_err(|source| RunError::new(Phase::Connect, "client", source))?;
        route::check(Side::Client, &gid, &prepared.endpoints)?;
        let addresses = self.endpoints.iter().map(|endpoint| endpoint.address(gid.entry)).collect();
        let ping_pong = self.configuration.loop_shape == LoopShape::PingPong;
        let arrivals = ping_pong.then(|| self.registered.remote());
        let connection = Connection { endpoints: addresses, arrivals };
        line.tell(&ClientMessage::Connect(connection), Phase::Connect)?;
        let attributes = plan::connection(self.configuration, prepared.negotiated, gid.entry);
        for (endpoint, theirs) in self.endpoints.iter_mut().zip(&prepared.endpoints) {
            let service = self.configuration.service;
            let destinations = plan::connect(endpoint, service, theirs, &attributes)
                .map_err(|source| RunError::new(Phase::Connect, "client", source))?;
            self.destinations.extend(destinations);
        }
        partial.client = Some(SideRecord {
            device: Some(self.site.device()),
            gid: Some(gid_record(&gid)),
            placement: self.prove(Moment::Before).into_iter().collect::<Result<_, _>>()?,
            counters: self.site.counting_begins(),
            ..SideRecord::on(self.site.host())
        });
        match line.answer(Phase::Connect)? {
            ServerMessage::Connected => Ok(OpenedRun { own: self, region: prepared.region }),
            other => Err(unexpected(Phase::Connect, "its connection", &other)),
        }
    }

    /// Where everything on this side is now.
    pub(super) fn prove(&self, when: Moment) -> Vec<Result<PlacementProof, RunError>> {
        vec![self.buffer.prove(when), self.rings.prove(when)]
    }

    /// Where in the buffer the slots of a queue pair begin.
    pub(super) fn offset(&self, queue_pair: usize) -> usize {
        (queue_pair - self.part.queue_pairs().start) * self.plan.lane_bytes()
    }

    /// Where a queue pair sends datagrams to.
    pub(super) fn destination(&self, queue_pair: usize) -> Option<&Destination> {
        self.destinations.get(queue_pair - self.part.queue_pairs().start)
    }

    /// The local slots of a queue pair.
    pub(super) fn local(&self, queue_pair: usize) -> LocalSegment {
        LocalSegment {
            address: self.buffer.memory.as_ptr() as u64 + self.offset(queue_pair) as u64,
            length: self.configuration.access_bytes,
            key: self.registered.local_key(),
        }
    }

    /// What the memory of both sides should hold.
    pub(super) fn content(&self) -> Content {
        self.geometry.content(self.configuration)
    }
}

impl<'r, 's, T: Transport + Sync> OpenedRun<'r, 's, T> {
    /// The plans of a thread's queue pairs.
    pub(super) fn lanes(&self, share: &ThreadShare) -> Vec<LanePlan> {
        let LocalSide { configuration, plan, .. } = &self.own;
        let lane = |queue_pair| LanePlan {
            template: geometry::template(configuration, self.own.local(queue_pair), self.region),
            slots: plan.requests as u64,
            slot_stride: plan.step() as u64,
            signal_every: configuration.signal_every,
            limit: configuration.operations_per_queue_pair,
            destination: self.own.destination(queue_pair).copied(),
            closing: plan::closing(configuration.service),
        };
        share.queue_pairs.clone().map(lane).collect()
    }
}

fn take_buffer<T: Transport>(
    site: &Site<'_, T>,
    configuration: &RunConfiguration,
    geometry: &Geometry,
    plan: BufferPlan,
    queue_pairs: usize,
) -> Result<Placed, RunError> {
    let ask = site.ask(PlacedMemory::ClientBuffers, &configuration.client_buffers)?;
    let bytes = plan.lane_bytes() * queue_pairs;
    let mut buffer = site.take(ask, bytes)?;
    let content = geometry.content(configuration);
    // SAFETY: it is not registered yet.
    content.fill_buffer(unsafe { &mut buffer.bytes()[..bytes] }, plan.stride);
    Ok(buffer)
}
