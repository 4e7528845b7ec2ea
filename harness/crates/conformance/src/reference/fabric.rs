//! All regions, queue pairs and completion queues of a process, behind one lock.

use std::{
    collections::{BTreeMap, VecDeque},
    num::{NonZeroU32, NonZeroU64},
    sync::{Mutex, MutexGuard, PoisonError},
};

use onesided_transport::{
    Access, ConnectionAttributes, DATAGRAM_HEADER, EndpointAddress, LocalSegment, QueuePairAddress,
    Service, WorkCompletion, WorkRequest,
};

use super::{defect::Defect, medium::Medium};

/// What connects reference devices: all that are opened on one fabric reach each other.
pub struct Fabric {
    state: Mutex<State>,
    defect: Option<Defect>,
    progress: Progress,
}

/// Who executes posted requests, as there is no device that would.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// A poll executes a few of its endpoint's requests, so that requests can be under way.
    ByPolls,
    /// A post executes what it posted, as far as the peer takes it; polls do the rest. For
    /// requesters that watch memory instead of their completion queue.
    ByPosts,
}

impl Fabric {
    /// A fabric that keeps the contract.
    pub fn right() -> Self {
        Self::with(None)
    }

    /// A fabric that breaks it in one way.
    pub fn wrong(defect: Defect) -> Self {
        Self::with(Some(defect))
    }

    fn with(defect: Option<Defect>) -> Self {
        let state = Mutex::new(State { defect, ..State::default() });
        Self { state, defect, progress: Progress::ByPolls }
    }

    /// The same, losing one of so many messages of unreliable services.
    ///
    /// # Panics
    /// One of 0 is no share.
    pub fn dropping(self, every: u64) -> Self {
        let every = NonZeroU64::new(every).expect("one of 0 messages cannot be lost");
        self.state().medium.drop_every(every);
        self
    }

    /// The same, losing each message of an unreliable service with a probability, from 0 to 1, drawn from a seed.
    ///
    /// # Panics
    /// The probability is none.
    pub fn losing(self, share: f64, seed: u64) -> Self {
        self.state().medium.lose(share, seed);
        self
    }

    /// The same, on which messages of unreliable services are late, drawn from a seed: datagrams overtake each
    /// other, and over a connection what was overtaken is lost.
    pub fn reordering(self, seed: u64) -> Self {
        self.state().medium.delay(seed);
        self
    }

    /// Whether messages of unreliable services are lost or late.
    pub(super) fn disturbs(&self) -> bool {
        self.state().medium.disturbs()
    }

    /// Messages of unreliable services that were lost on the way so far.
    pub fn lost(&self) -> u64 {
        self.state().medium.lost()
    }

    /// The same, with requests executed otherwise than by polls.
    pub fn progressing(self, progress: Progress) -> Self {
        Self { progress, ..self }
    }

    /// Where datagrams find a receive request now, for who sends some without being told: the address of each
    /// such queue pair, with its key.
    pub fn waiting_for_datagrams(&self) -> Vec<EndpointAddress> {
        let state = self.state();
        let is_waiting = |(number, queue_pair): &(&u32, &QueuePair)| {
            queue_pair.service == Service::UnreliableDatagram
                && state.oldest_receive(**number).is_some()
        };
        let address = |(&number, queue_pair): (&u32, &QueuePair)| EndpointAddress {
            local_identifier: 0,
            gid: None,
            queue_pairs: vec![QueuePairAddress { number, packet_sequence_number: 0 }],
            datagram_key: queue_pair.datagram_key,
        };
        state.queue_pairs.iter().filter(is_waiting).map(address).collect()
    }

    pub(super) fn progress(&self) -> Progress {
        self.progress
    }

    pub(super) fn defect(&self) -> Option<Defect> {
        self.defect
    }

    pub(super) fn is(&self, defect: Defect) -> bool {
        self.defect == Some(defect)
    }

    /// Whoever panicked with the lock has its own report; the state is still consistent.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Everything that the lock protects.
#[derive(Default)]
pub struct State {
    pub defect: Option<Defect>,
    pub regions: BTreeMap<u32, RegisteredRegion>,
    pub queue_pairs: BTreeMap<u32, QueuePair>,
    pub completion_queues: BTreeMap<u32, VecDeque<WorkCompletion>>,
    /// By the number of the first queue pair that has it.
    pub receive_queues: BTreeMap<u32, ReceiveQueue>,
    /// Completed requests and adds, for mistakes that happen now and then.
    pub completed: u64,
    pub adds: u64,
    pub swaps: u64,
    pub connected: u64,
    pub poisoned: bool,
    /// The way of unreliable services.
    pub medium: Medium,
    next_handle: u32,
}

impl State {
    pub fn is(&self, defect: Defect) -> bool {
        self.defect == Some(defect)
    }

    /// Bytes at the front of a queue pair's receive buffers that are no message.
    pub fn header(&self, queue_pair: u32) -> u32 {
        match self.queue_pairs[&queue_pair].service {
            Service::UnreliableDatagram => DATAGRAM_HEADER,
            _ => 0,
        }
    }

    /// Whether the receive queue of a queue pair is others', too.
    pub fn shares_receives(&self, queue_pair: u32) -> bool {
        self.receives(queue_pair).is_shared
    }

    /// The oldest receive request that a queue pair can take.
    pub fn oldest_receive(&self, queue_pair: u32) -> Option<&(u64, Option<LocalSegment>)> {
        let kept = self.is(Defect::ServesSharedReceivesToTheFirst)
            && self.queue_pairs[&queue_pair].receive_queue != queue_pair;
        self.receives(queue_pair).posted.front().filter(|_| !kept)
    }

    /// The receive queue of a queue pair.
    pub fn receives(&self, queue_pair: u32) -> &ReceiveQueue {
        &self.receive_queues[&self.queue_pairs[&queue_pair].receive_queue]
    }

    /// As [`Self::receives`], to change it.
    pub fn receives_mut(&mut self, queue_pair: u32) -> &mut ReceiveQueue {
        let queue = self.queue_pairs[&queue_pair].receive_queue;
        self.receive_queues.get_mut(&queue).expect("it goes with its last queue pair")
    }

    /// A number that nothing else has.
    pub fn new_handle(&mut self) -> u32 {
        self.next_handle += 1;
        self.next_handle
    }

    /// A key whose neighbours are no keys.
    pub fn new_key(&mut self) -> u32 {
        self.new_handle() << 8 | 0x2a
    }
}

/// One region.
#[derive(Clone, Copy)]
pub struct RegisteredRegion {
    pub address: u64,
    pub length: u64,
    pub access: Access,
}

impl RegisteredRegion {
    pub fn covers(&self, address: u64, length: u64, defect: Option<Defect>) -> bool {
        let starts = address >= self.address || defect == Some(Defect::IgnoresTheStartOfRegions);
        let end = match defect {
            Some(Defect::WrapsAround) => Some(address.wrapping_add(length)),
            _ => address.checked_add(length),
        };
        let in_front = |end| end <= self.address + self.length;
        let ignored = defect == Some(Defect::IgnoresTheEndOfRegions);
        starts && end.is_some_and(|end| in_front(end) || ignored)
    }
}

/// Receive requests of a queue pair, or of all of an endpoint.
pub struct ReceiveQueue {
    pub posted: VecDeque<(u64, Option<LocalSegment>)>,
    pub depth: usize,
    pub is_shared: bool,
}

/// One queue pair with its send queue.
pub struct QueuePair {
    pub service: Service,
    /// What datagrams to it carry.
    pub datagram_key: u32,
    pub phase: Phase,
    pub access: Access,
    pub send_depth: usize,
    pub inline_bytes: usize,
    pub completion_queue: u32,
    /// What completions call it.
    pub reported_number: u32,
    pub send: VecDeque<Posted>,
    /// Messages that it sent over an unreliable connection.
    pub sent: u64,
    /// Of the next message that it takes over one, the lowest place among all that its peer sent.
    pub expected: u64,
    /// Of which queue pair it is the receive queue, too; else its own number.
    pub receive_queue: u32,
    /// Times that the request in front was tried in vain.
    pub attempts: u8,
}

/// Where a queue pair is in its life.
pub enum Phase {
    Initialized,
    /// Of datagrams: ready, without a peer.
    Open,
    Connected {
        peer: u32,
        attributes: ConnectionAttributes,
        order: u64,
    },
    Error,
}

/// A request in a send queue.
#[derive(Clone)]
pub struct Posted {
    pub request: WorkRequest,
    /// Of a datagram, the number of the queue pair that it goes to, and the key that it carries.
    pub to: Option<(u32, u32)>,
    /// Of a datagram, the number of the queue pair that sends it.
    pub source: Option<NonZeroU32>,
    /// Of an unreliable service, that it was not lost.
    pub survived: bool,
    pub payload: HeldPayload,
}

/// Whether the bytes of a write were taken by the post.
#[derive(Clone)]
pub enum HeldPayload {
    Nothing,
    Bytes(Vec<u8>),
    /// What a torn atomic found when it was executed by half.
    Word(u64),
}
