//! Both ends of a simulated run, as far as a model has them.

use onesided_results::{
    RunConfiguration,
    record::{
        DeviceRecord, FurtherClientRecord, HostManifest, PlacementProof, SideRecord, ThreadProof,
    },
    vocabulary::{MemorySpread, Moment, PlacedMemory, PlacementMethod, ThreadRole},
};

use super::SimulatedMachine;
use crate::covered::{Covered, Placed};

/// What a model is called where a machine has a name.
pub(super) const NAME: &str = "sim";
/// The card's node in records.
const CARD_NODE: u32 = 0;

/// Writes both ends of runs on a machine.
pub(super) struct Sides<'a> {
    pub machine: &'a SimulatedMachine,
    pub configuration: &'a RunConfiguration,
    pub covered: &'a Covered,
}

impl Sides<'_> {
    /// The first client host, with its share of the threads.
    pub(super) fn client(&self) -> SideRecord {
        self.client_host(0)
    }

    /// The other client hosts.
    pub(super) fn further_clients(&self) -> Vec<FurtherClientRecord> {
        let further = |host| {
            let (first, end) = (self.first_thread(host), self.first_thread(host + 1));
            let (first_queue_pair, last) =
                (self.first_queue_pair(first), self.first_queue_pair(end));
            FurtherClientRecord {
                side: self.client_host(host),
                first_thread: first as u32,
                threads: (end - first) as u32,
                first_queue_pair,
                queue_pairs: last - first_queue_pair,
            }
        };
        (1..self.covered.scenario.client_hosts).map(further).collect()
    }

    /// The server.
    pub(super) fn server(&self) -> SideRecord {
        let places = &self.covered.places;
        let mut placement = vec![
            proof(PlacedMemory::ServerRegion, &places.region, Some(places.region.node())),
            memory(PlacedMemory::ServerRings, &places.server_rings),
        ];
        let workers = places.workers.as_ref();
        let mut threads: Vec<_> = (0..self.configuration.workers)
            .filter_map(|worker| Some(thread(ThreadRole::Worker, worker, workers?)))
            .collect();
        if let Some(load) = &self.covered.load {
            placement.extend(load.memory.iter().map(|at| memory(PlacedMemory::LoadBuffer, at)));
            let count = self.configuration.load_thread_count.unwrap_or(0);
            let bound = load.threads.as_ref();
            threads.extend(
                (0..count).filter_map(|index| Some(thread(ThreadRole::Load, index, bound?))),
            );
        }
        self.side(placement, threads)
    }

    fn client_host(&self, host: usize) -> SideRecord {
        let places = &self.covered.places;
        let placement = vec![
            memory(PlacedMemory::ClientBuffers, &places.client_buffers),
            memory(PlacedMemory::ClientRings, &places.client_rings),
        ];
        let threads = self.first_thread(host)..self.first_thread(host + 1);
        let place = &places.client_threads;
        let threads = threads.map(|index| thread(ThreadRole::Client, index as u32, place));
        self.side(placement, threads.collect())
    }

    fn first_thread(&self, host: usize) -> usize {
        let scenario = &self.covered.scenario;
        host * scenario.threads / scenario.client_hosts
    }

    fn first_queue_pair(&self, thread: usize) -> u32 {
        let scenario = &self.covered.scenario;
        (thread * scenario.load.run_queue_pairs / scenario.threads) as u32
    }

    fn side(&self, placement: Vec<PlacementProof>, threads: Vec<ThreadProof>) -> SideRecord {
        SideRecord {
            device: Some(self.device()),
            placement,
            threads,
            ..SideRecord::on(host(self.machine))
        }
    }

    fn device(&self) -> DeviceRecord {
        DeviceRecord {
            name: NAME.to_owned(),
            nic: self.machine.nic.clone(),
            driver: None,
            firmware: None,
            vendor_part: None,
            port: 1,
            link_layer: "simulated".to_owned(),
            active_mtu_bytes: self.configuration.mtu_bytes,
            atomic_capability: None,
            services: Vec::new(),
            shared_receives: Vec::new(),
            node: Some(CARD_NODE),
            node_evidence: "by definition: the model has the card on its first node".to_owned(),
            fabric_hop_ns: None,
            fabric_drop_every: None,
        }
    }
}

/// Nothing of the machine that the simulator runs on is in it: the numbers do not depend on that.
fn host(machine: &SimulatedMachine) -> HostManifest {
    HostManifest {
        hostname: NAME.to_owned(),
        kernel: "none: simulated".to_owned(),
        topology_source: "model".to_owned(),
        harness_version: machine.harness_version.clone(),
        harness_revision: machine.harness_revision.clone(),
        ..HostManifest::default()
    }
}

/// Memory whose locality tables have only where it was asked for.
fn memory(what: PlacedMemory, place: &Placed) -> PlacementProof {
    proof(what, place, place.given.then(|| place.node()))
}

/// A model has no pages to look up: the node is the one that was taken.
fn proof(what: PlacedMemory, place: &Placed, resolved_node: Option<u32>) -> PlacementProof {
    PlacementProof {
        what,
        asked: place.asked.clone(),
        resolved_node,
        pages: 0,
        page_bytes: 0,
        by_node: Default::default(),
        unproven_pages: 0,
        misplaced: Vec::new(),
        misplaced_not_listed: 0,
        spread: MemorySpread::NotAsked,
        when: Moment::Before,
        method: PlacementMethod::Simulated,
    }
}

fn thread(role: ThreadRole, thread: u32, place: &Placed) -> ThreadProof {
    ThreadProof {
        role,
        thread,
        asked: place.asked.clone(),
        asked_cpus: None,
        // As measured ones, whose clients are where they were seen and whose workers where they
        // were asked to be.
        resolved_node: (role == ThreadRole::Client || place.given).then(|| place.node()),
        seen: Vec::new(),
        activity: None,
    }
}
