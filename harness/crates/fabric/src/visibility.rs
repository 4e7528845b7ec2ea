//! When, and in which order, a CPU of the responder sees what a WRITE puts into its memory: counted.
//!
//! These are the questions of three programs of rdma_bench (003's code: `write-incomplete`, `write-flush`,
//! `write-reordering`). A completion of the requester says that the responder's card has the bytes, and
//! nothing promises an order of the bytes of one WRITE (IB spec vol. 1, 9.5). A READ behind it fetches them
//! from memory, which on PCI Express pushes the writes before it there. Both ends are in one process, so
//! that the requester can look at the responder's memory without a message, which would take longer than
//! what is looked for.
//!
//! ```text
//!   requester's thread: post WRITE of round n --> completion --> look: is n there?      (completions)
//!   watching thread:    later word, earlier word, later word, again and again           (order)
//! ```
//!
//! A zero is the answer of a back end that was never seen to do otherwise, not a promise. Where a CPU
//! moves the bytes by plain stores, as `rmc` does and Soft-RoCE, it is the answer of that CPU's memory
//! order, and says nothing about a card.

mod completions;
mod order;

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use onesided_transport::{
    Access, CompletionQueues, CompletionStatus, ConnectionAttributes, Endpoint, EndpointAttributes,
    GidEntry, Opcode, Payload, ReceiveQueues, RemoteMemory, RemoteSegment, ResourceError, Service,
    Signal, Transport, WorkCompletion, WorkRequest,
};

pub use self::{completions::Completions, order::Order};
use crate::{
    Buffers,
    error::FabricError,
    memory::{LINE_BYTES, Memory},
};

/// The shortest WRITE: an earlier and a later word.
pub const LEAST_BYTES: u32 = 16;
/// The longest. Ours: 256 packets of the largest path MTU.
pub const MOST_BYTES: u32 = 1 << 20;

/// Work requests that a queue holds; two are under way.
const DEPTH: u32 = 16;
/// How long anything is waited for. Ours: far beyond retries of a card and turns of a scheduler.
const PATIENCE: Duration = Duration::from_secs(10);
/// Looks between two at the time.
const LOOKS: u32 = 1 << 12;
const WORD_BYTES: u32 = size_of::<u64>() as u32;

/// What a completion is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// That of the WRITE.
    ForTheWrite,
    /// That of a READ of its last word, posted behind it in one list.
    ForAReadBehindIt,
}

/// Which two words are watched, of which the first was to be written earlier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watched {
    /// The first and the last one of one WRITE.
    OneWrite,
    /// The last one of a WRITE and that of a WRITE of 8 bytes behind it, posted in one list.
    TwoWrites,
}

/// Two connected ends: one asks, the other's memory is written.
pub struct Ends<T: Transport> {
    // First, so that nothing is under way when the responder goes.
    requester: Requester<T>,
    _responder: T::Endpoint,
    target: Memory<T::Region>,
}

/// The end that asks.
struct Requester<T: Transport> {
    endpoint: T::Endpoint,
    source: Memory<T::Region>,
    landing: Memory<T::Region>,
    target: RemoteMemory,
    /// The number of the last round.
    round: u64,
}

/// How two ends are connected: of the requester and of the responder the GID that it uses.
#[derive(Clone, Debug)]
pub struct Connection {
    /// Of both, but for the GID.
    pub attributes: ConnectionAttributes,
    /// The responder's.
    pub responder_gid: Option<GidEntry>,
}

impl<T: Transport> Ends<T> {
    /// Connects an end on either device, of which the second is the responder's.
    ///
    /// # Errors
    /// When a device refuses.
    pub fn connect(devices: [&T; 2], connection: &Connection) -> Result<Self, FabricError> {
        let access = Access { remote_read: true, remote_write: true, ..Access::LOCAL };
        let endpoint = |device: &T| {
            let made = device.create_endpoint(&EndpointAttributes {
                service: Service::ReliableConnection,
                queue_pairs: 1,
                send_queue_depth: DEPTH,
                receive_queue_depth: 0,
                receive_queues: ReceiveQueues::PerQueuePair,
                inline_bytes: 0,
                completion_queues: CompletionQueues::PerThread,
                access,
            });
            made.map_err(ResourceError::from)
        };
        let (mut asking, mut responder) = (endpoint(devices[0])?, endpoint(devices[1])?);
        // Behind the longest WRITE a second one has a line of its own.
        let buffers = Buffers { bytes: MOST_BYTES as usize + Buffers::UNIT, node: None };
        let source = Memory::new(devices[0], buffers, Access::LOCAL)?;
        let landing_buffers = Buffers { bytes: Buffers::UNIT, node: None };
        let landing = Memory::new(devices[0], landing_buffers, Access::LOCAL)?;
        let target = Memory::new(devices[1], buffers, access)?;
        let attributes = &connection.attributes;
        let own = asking.address(attributes.gid);
        let peer = responder.address(connection.responder_gid);
        let there = ConnectionAttributes { gid: connection.responder_gid, ..attributes.clone() };
        responder.connect(&own, &there)?;
        asking.connect(&peer, attributes)?;
        let requester =
            Requester { endpoint: asking, source, landing, target: target.remote(), round: 0 };
        Ok(Self { requester, _responder: responder, target })
    }
}

impl<T: Transport> Requester<T> {
    /// Gives the words that a round writes the number of the next round, and tells it.
    fn next_round(&mut self, bytes: u32) -> u64 {
        self.round += 1;
        for word in &self.source.words()[..=word_at(behind(bytes))] {
            word.store(self.round, Ordering::Release);
        }
        self.round
    }

    fn write(&self, first: u32, bytes: u32, signal: Signal) -> WorkRequest {
        WorkRequest {
            id: self.round,
            opcode: Opcode::Write,
            local: self.source.segment(first as usize, bytes),
            remote: RemoteSegment {
                address: self.target.address + u64::from(first),
                key: self.target.key,
            },
            signal,
            payload: Payload::Gathered,
        }
    }

    fn read(&self, first: u32, bytes: u32) -> WorkRequest {
        let local = self.landing.segment(0, bytes);
        WorkRequest { opcode: Opcode::Read, local, ..self.write(first, bytes, Signal::Signaled) }
    }

    /// Posts a list, the last of which is signaled, and waits for its completion.
    fn done(&mut self, requests: &[WorkRequest]) -> Result<(), FabricError> {
        // SAFETY: the memories live as long as the ends, and are only accessed by atomics.
        unsafe { self.endpoint.post(0, requests) }?;
        let mut completions = [WorkCompletion::EMPTY; 1];
        let mut waiting = Waiting::begin();
        while self.endpoint.poll(&mut completions)? == 0 {
            waiting.look(self.round)?;
        }
        let (found, expected) = (completions[0], self.round);
        match found.status {
            CompletionStatus::Success if found.id == expected => Ok(()),
            CompletionStatus::Success => Err(FabricError::OutOfTurn { expected, found: found.id }),
            status => Err(FabricError::Operation { number: found.id, status }),
        }
    }
}

/// Looks for something, until it takes too long.
struct Waiting {
    since: Instant,
    looks: u32,
}

impl Waiting {
    fn begin() -> Self {
        Self { since: Instant::now(), looks: 0 }
    }

    /// Another look was in vain; lets others have the CPU now and then, who may have to act first.
    #[inline]
    fn look(&mut self, round: u64) -> Result<(), FabricError> {
        self.looks += 1;
        if self.looks < LOOKS {
            std::hint::spin_loop();
            return Ok(());
        }
        self.looks = 0;
        std::thread::yield_now();
        match self.since.elapsed() > PATIENCE {
            true => Err(FabricError::NothingCame { round, after: PATIENCE }),
            false => Ok(()),
        }
    }
}

/// The word that begins at a byte.
const fn word_at(byte: u32) -> usize {
    (byte / WORD_BYTES) as usize
}

/// Where a second WRITE lands: the line behind the first.
const fn behind(bytes: u32) -> u32 {
    bytes.next_multiple_of(LINE_BYTES as u32)
}

/// # Panics
/// Of a WRITE that is too short, too long, or not of whole words.
fn check(bytes: u32) {
    let fits = (LEAST_BYTES..=MOST_BYTES).contains(&bytes) && bytes.is_multiple_of(WORD_BYTES);
    assert!(
        fits,
        "a WRITE of {bytes} bytes is not of {LEAST_BYTES} to {MOST_BYTES} by whole words"
    );
}
