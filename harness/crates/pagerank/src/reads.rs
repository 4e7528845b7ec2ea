//! Reads of one thread under way to all other nodes, each with a slot.

use onesided_transport::{
    CompletionStatus, Endpoint, LocalSegment, Opcode, Payload, RemoteMemory, RemoteSegment, Signal,
    WorkCompletion, WorkRequest,
};

use crate::{error::PagerankError, words::WORD_BYTES};

/// Most reads of a node that may be under way. Ours: as many as the emulated device has of one queue pair.
pub const MOST_READS: usize = 128;

/// Most requests that are posted together, and completions that are taken at a time. Ours: half of what usually
/// is under way, so that a batch travels while the next one is made.
const BATCH: usize = 32;

const NOTHING: WorkRequest = WorkRequest {
    id: 0,
    opcode: Opcode::Read,
    local: LocalSegment { address: 0, length: 0, key: 0 },
    remote: RemoteSegment { address: 0, key: 0 },
    signal: Signal::Signaled,
    payload: Payload::Gathered,
};

/// A node to read from.
pub struct Peer<E> {
    /// Its number.
    pub node: usize,
    /// One queue pair to it.
    pub endpoint: E,
    /// What may be read there.
    pub memory: RemoteMemory,
    batch: [WorkRequest; BATCH],
    waiting: usize,
}

impl<E> Peer<E> {
    /// A node by its number, connected.
    pub fn new(node: usize, endpoint: E, memory: RemoteMemory) -> Self {
        Self { node, endpoint, memory, batch: [NOTHING; BATCH], waiting: 0 }
    }
}

/// Reads under way, and what was posted in all.
pub struct Reads<E> {
    peers: Vec<Peer<E>>,
    free: Vec<usize>,
    /// Slots in all.
    window: usize,
    /// Requests that are posted together.
    batch: usize,
    completions: [WorkCompletion; BATCH],
    /// Reads so far.
    pub posted: u64,
}

impl<E: Endpoint> Reads<E> {
    /// Of these nodes, with so many under way, 1 to [`MOST_READS`].
    pub fn new(peers: Vec<Peer<E>>, window: usize) -> Self {
        let completions = [WorkCompletion::EMPTY; BATCH];
        let batch = (window / 2).clamp(1, BATCH);
        Self { peers, free: (0..window).collect(), window, batch, completions, posted: 0 }
    }

    /// The place among the peers of each node below `nodes`; this node's own is absent.
    pub fn places(&self, nodes: usize) -> Vec<Option<usize>> {
        let place = |node| self.peers.iter().position(|peer| peer.node == node);
        (0..nodes).map(place).collect()
    }

    /// A slot that is free, after `ended` was called with each that became so.
    #[inline]
    pub fn slot(&mut self, mut ended: impl FnMut(usize)) -> Result<usize, PagerankError> {
        loop {
            if let Some(slot) = self.free.pop() {
                return Ok(slot);
            }
            self.post_all()?;
            self.poll(&mut ended)?;
        }
    }

    /// Reads into `local`, which is the slot's until it ends, from the word at `first` of a peer on.
    ///
    /// # Safety
    /// `local` is registered memory that stays, and that nobody reads before the slot has ended.
    #[inline]
    pub unsafe fn read(
        &mut self,
        peer: usize,
        slot: usize,
        first: usize,
        local: LocalSegment,
    ) -> Result<(), PagerankError> {
        let place = &mut self.peers[peer];
        let address = place.memory.address + (first * WORD_BYTES) as u64;
        let remote = RemoteSegment { address, key: place.memory.key };
        place.batch[place.waiting] = WorkRequest { id: slot as u64, local, remote, ..NOTHING };
        place.waiting += 1;
        self.posted += 1;
        if place.waiting == self.batch { self.post(peer) } else { Ok(()) }
    }

    /// Waits until all have ended.
    pub fn drain(&mut self, mut ended: impl FnMut(usize)) -> Result<(), PagerankError> {
        self.post_all()?;
        while self.free.len() < self.window {
            self.poll(&mut ended)?;
        }
        Ok(())
    }

    #[inline]
    fn post(&mut self, peer: usize) -> Result<(), PagerankError> {
        let place = &mut self.peers[peer];
        // SAFETY: as those who asked for the reads promised.
        unsafe { place.endpoint.post(0, &place.batch[..place.waiting]) }?;
        place.waiting = 0;
        Ok(())
    }

    fn post_all(&mut self) -> Result<(), PagerankError> {
        for peer in 0..self.peers.len() {
            if self.peers[peer].waiting > 0 {
                self.post(peer)?;
            }
        }
        Ok(())
    }

    #[inline]
    fn poll(&mut self, ended: &mut impl FnMut(usize)) -> Result<(), PagerankError> {
        for peer in &mut self.peers {
            let count = peer.endpoint.poll(&mut self.completions)?;
            for completion in &self.completions[..count] {
                if completion.status != CompletionStatus::Success {
                    return Err(PagerankError::Read { node: peer.node, status: completion.status });
                }
                let slot = completion.id as usize;
                ended(slot);
                self.free.push(slot);
            }
        }
        Ok(())
    }
}
