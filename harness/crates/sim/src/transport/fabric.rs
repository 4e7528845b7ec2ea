//! Virtual time, and all that is in it.

use std::{
    collections::{BTreeMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
};

use onesided_load::Random;
use onesided_transport::{Destinations, WorkCompletion};

use super::{
    addressee::Addressee, messages::Messages, queue_pair::SimQueuePair, receives::ReceiveQueue,
    regions::Regions,
};
use crate::{
    Locality,
    host::{Requester, Responder, ThreadCosts},
    parameters::Parameters,
    scenario::{HostLoad, Workers},
    stations::{LinesPlan, Server},
    time::{Moment, Span},
    tournament::Tournament,
};

/// Places begin on a page, so that low bits of addresses are those of places.
const PAGE_BYTES: u64 = 4096;

/// What a host's memory counts as: more than any cache holds, because what of it is in use is not
/// known.
pub(super) const MEMORY_BYTES: u64 = u64::MAX;

/// The random stream of the keys of datagrams, apart from those of hosts, which count up from 0.
const KEYS_STREAM: u64 = u64::MAX;

/// What connects simulated devices: all that are opened on one fabric reach each other, and share
/// its virtual time.
#[derive(Debug)]
pub struct SimFabric {
    state: Mutex<State>,
}

/// What a host is like, beside the parameters that all hosts of a fabric have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostConditions {
    /// Where its registered memory is, as its card sees it.
    pub memory: Locality,
    /// Who else uses its regions.
    pub workers: Workers,
    /// Who else uses its memory.
    pub load: HostLoad,
}

impl Default for HostConditions {
    /// Memory on the card's node, that nobody else uses.
    fn default() -> Self {
        let load = HostLoad::default();
        Self { memory: Locality::RdmaLocal, workers: Workers::NONE, load }
    }
}

impl SimFabric {
    /// A fabric of hosts with these parameters, at the beginning of its time. What is drawn depends
    /// on the seed and on the order in which hosts are made.
    pub fn new(parameters: &Parameters, seed: u64) -> Self {
        let state = State {
            parameters: parameters.clone(),
            one_way: Span::of_ns(parameters.one_way_ns),
            completion: Span::of_ns(parameters.completion_ns),
            seed,
            now: Moment::default(),
            hosts: Vec::new(),
            regions: Regions::default(),
            endpoints: Vec::new(),
            queue_pairs: Vec::new(),
            receive_queues: Vec::new(),
            slots: BTreeMap::new(),
            numbers: 0,
            keys: Random::new(seed, KEYS_STREAM),
            messages: Messages::default(),
            next: Tournament::new(1),
            takes: Tournament::new(1),
        };
        Self { state: Mutex::new(state) }
    }

    /// The virtual time that it is, in picoseconds from the beginning. Polls have it go on.
    pub fn now(&self) -> Moment {
        self.state().now
    }

    /// Whoever panicked with the lock has its own report; the state is still consistent.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A machine with a card.
#[derive(Debug)]
pub(super) struct Host {
    pub(super) conditions: HostConditions,
    pub(super) requester: Requester,
    pub(super) responder: Responder,
    pub(super) queue_pairs: usize,
    /// Requests that are posted and not completed.
    pub(super) in_flight: usize,
    /// Places of memory that have been given out.
    places: u64,
}

impl Host {
    fn new(parameters: &Parameters, conditions: HostConditions, random: Random) -> Self {
        let plan = LinesPlan::new(parameters, conditions.memory, conditions.workers);
        Self {
            conditions,
            requester: Requester::default(),
            responder: Responder::new(parameters, plan, MEMORY_BYTES, random),
            queue_pairs: 0,
            in_flight: 0,
            places: 0,
        }
    }

    /// Where stations take memory of so many bytes at `start` to begin: one region behind the
    /// other. Where the operating system has put it would differ from run to run.
    pub(super) fn place(&mut self, start: u64, length: u64) -> u64 {
        let place = self.places.next_multiple_of(PAGE_BYTES) + start % PAGE_BYTES;
        self.places = place + length;
        place
    }
}

/// A completion on its way to its thread.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported {
    pub(super) visible: Moment,
    pub(super) completion: WorkCompletion,
    pub(super) slot: usize,
    pub(super) frees: Frees,
}

/// Places of queues that are free once a completion was polled.
#[derive(Clone, Copy, Debug)]
pub(super) enum Frees {
    Requests(u32),
    Receive,
}

/// A thread and what has completed for it.
#[derive(Debug)]
pub(super) struct Driver {
    pub(super) thread: Server,
    pub(super) costs: ThreadCosts,
    /// In the order in which it can see them.
    pub(super) completions: VecDeque<Reported>,
    /// When it last let others take theirs.
    pub(super) waited_at: Option<Moment>,
    /// Where its datagrams can go.
    pub(super) destinations: Destinations<Addressee>,
}

/// Everything that the lock protects.
#[derive(Debug)]
pub(super) struct State {
    pub(super) parameters: Parameters,
    pub(super) one_way: Span,
    pub(super) completion: Span,
    seed: u64,
    pub(super) now: Moment,
    pub(super) hosts: Vec<Host>,
    pub(super) regions: Regions,
    pub(super) endpoints: Vec<Option<Driver>>,
    /// By slot, where events name them.
    pub(super) queue_pairs: Vec<Option<SimQueuePair>>,
    /// By place.
    pub(super) receive_queues: Vec<Option<ReceiveQueue>>,
    /// The slot of each number.
    pub(super) slots: BTreeMap<u32, usize>,
    pub(super) numbers: u32,
    /// Draws the keys of datagrams: the same ones with the same seed.
    pub(super) keys: Random,
    /// What unreliable services have sent and memory has not taken.
    pub(super) messages: Messages,
    /// Which slot acts next.
    pub(super) next: Tournament<u128>,
    /// Which endpoint has a completion in its hands next.
    pub(super) takes: Tournament<u128>,
}

impl State {
    /// Adds a host; its number.
    pub(super) fn add_host(&mut self, conditions: HostConditions) -> usize {
        let number = self.hosts.len();
        let random = Random::new(self.seed, number as u64);
        self.hosts.push(Host::new(&self.parameters, conditions, random));
        number
    }

    pub(super) fn queue_pair(&self, slot: usize) -> &SimQueuePair {
        self.queue_pairs[slot].as_ref().expect("slots are of queue pairs that are there")
    }

    pub(super) fn queue_pair_mut(&mut self, slot: usize) -> &mut SimQueuePair {
        self.queue_pairs[slot].as_mut().expect("slots are of queue pairs that are there")
    }

    pub(super) fn driver(&self, endpoint: usize) -> &Driver {
        self.endpoints[endpoint].as_ref().expect("an endpoint has its driver until it is dropped")
    }

    pub(super) fn driver_mut(&mut self, endpoint: usize) -> &mut Driver {
        self.endpoints[endpoint].as_mut().expect("an endpoint has its driver until it is dropped")
    }
}
