//! One of two nodes: its memory, and how it reaches the other's.

use onesided_placement::{PagesByNode, residency::sum_by_node};
use onesided_transport::{
    Access, CompletionQueues, EndpointAttributes, ReceiveQueues, RemoteMemory, ResourceError,
    Service, Transport,
};

use super::Asked;
use crate::{
    error::FabricError,
    memory::{Buffers, LINE_BYTES, Memory, pattern},
};

/// Operations that a queue holds.
pub const DEPTH: u32 = 128;

/// A node.
pub struct Side<T: Transport> {
    // First, so that nothing is under way when memory goes.
    pub endpoint: T::Endpoint,
    /// What the peer may read: [`pattern`] of `owner`.
    pub read_from: Memory<T::Region>,
    /// What the peer may add to.
    pub added_to: Memory<T::Region>,
    /// Where own operations put what they bring.
    pub landing: Memory<T::Region>,
    /// The peer's two.
    pub peer: Option<[RemoteMemory; 2]>,
    owner: u64,
}

impl<T: Transport> Side<T> {
    /// A node that is not connected yet.
    pub fn new(device: &T, owner: u64, buffers: Buffers) -> Result<Self, FabricError> {
        let access = Access { remote_read: true, remote_atomic: true, ..Access::LOCAL };
        let endpoint = device.create_endpoint(&EndpointAttributes {
            service: Service::ReliableConnection,
            queue_pairs: 1,
            send_queue_depth: DEPTH,
            receive_queue_depth: 0,
            receive_queues: ReceiveQueues::PerQueuePair,
            inline_bytes: 0,
            completion_queues: CompletionQueues::PerThread,
            access,
        });
        let endpoint = endpoint.map_err(ResourceError::from)?;
        let read_from = Memory::new(device, buffers, Access { remote_atomic: false, ..access })?;
        read_from.fill(|index| pattern(owner, index));
        let added_to = Memory::new(device, buffers, access)?;
        let landing = Memory::new(device, buffers, Access::LOCAL)?;
        Ok(Self { endpoint, read_from, added_to, landing, peer: None, owner })
    }

    /// Tells two sides of each other's memory.
    pub fn knows(&mut self, other: &mut Self) {
        self.peer = Some([other.read_from.remote(), other.added_to.remote()]);
        other.peer = Some([self.read_from.remote(), self.added_to.remote()]);
    }

    /// On which NUMA nodes the pages of its memories are: how many on each.
    pub fn pages_by_node(&self) -> Result<PagesByNode, FabricError> {
        let memories = [&self.read_from, &self.added_to, &self.landing];
        memories.into_iter().try_fold(PagesByNode::new(), |pages, memory| {
            Ok(sum_by_node(pages, memory.residency()?.by_node))
        })
    }

    /// Takes away what an earlier measurement left.
    pub fn prepare(&self, asked: Asked) {
        let owner = self.owner;
        match asked {
            // No word of the landing is right before it was read.
            Asked::Read { .. } => self.landing.fill(|index| !pattern(1 - owner, index)),
            Asked::FetchAndAdd => {
                self.landing.fill(|_| u64::MAX);
                self.added_to.fill(|_| 0);
            }
        }
    }

    /// How many words are wrong after so many operations of this side.
    pub fn differing_words(&self, asked: Asked, peer: &Self, operations: u64) -> u64 {
        match asked {
            Asked::Read { bytes } => {
                let reached = operations.saturating_mul(bytes.into());
                let reached = reached.min(self.landing.bytes() as u64);
                self.landing.differing(reached as usize, |index| pattern(peer.owner, index))
            }
            Asked::FetchAndAdd => {
                let places = (self.landing.bytes() / LINE_BYTES) as u64;
                let wrong = |place: &u64| {
                    let added = operations / places + u64::from(*place < operations % places);
                    let byte = *place as usize * LINE_BYTES;
                    let brought = self.landing.word(byte);
                    // The last one brought what was there before it; of none nothing came.
                    peer.added_to.word(byte) != added || brought != added.wrapping_sub(1)
                };
                (0..places).filter(wrong).count() as u64
            }
        }
    }
}
