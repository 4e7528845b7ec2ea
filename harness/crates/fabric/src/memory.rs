//! Registered memory of words, by whole cache lines.

use std::sync::atomic::{AtomicU64, Ordering};

use std::ptr::NonNull;

use onesided_placement::{BoundMemory, NodeId, PageSize, Residency, ResidencyError, bytes_of_page};
use onesided_transport::{
    Access, LocalSegment, Region, RegisteredMemory, RemoteMemory, Transport, ZeroedMemory,
};

use crate::error::FabricError;

/// Bytes of a cache line, which is what a packet carries (004 §4.2).
pub const LINE_BYTES: usize = 64;

/// Memories that operations go round in: those of a node are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buffers {
    /// Bytes of each, a multiple of [`Buffers::UNIT`].
    pub bytes: usize,
    /// The NUMA node that they come from; that of the thread which connects otherwise.
    pub node: Option<NodeId>,
}

impl Buffers {
    /// What a memory is a multiple of: the largest access of 004 (Fig. 7).
    pub const UNIT: usize = 8192;
}

/// Ours: two of them fit a second-level cache, as what is measured is the fabric and not memory.
impl Default for Buffers {
    fn default() -> Self {
        Self { bytes: 1 << 18, node: None }
    }
}

/// Bytes of a word.
const WORD_BYTES: usize = size_of::<u64>();

/// Bytes that devices read or write while threads load them.
pub struct Memory<R>(RegisteredMemory<R>);

impl<R: Region> Memory<R> {
    /// Zeroes of this process, that peers may access as said: what is read crosses in replies, each
    /// time. Of a segment it would be in the requester's own cache once it was read.
    pub fn new<T: Transport<Region = R>>(
        device: &T,
        buffers: Buffers,
        access: Access,
    ) -> Result<Self, FabricError> {
        let bound = BoundMemory::allocate(buffers.bytes, PageSize::Base, buffers.node)?;
        let start = NonNull::new(bound.as_ptr()).expect("memory that is mapped has an address");
        // SAFETY: it has so many bytes, which are zero and nobody else's as long as it lives.
        let memory = unsafe { ZeroedMemory::of_device(start, buffers.bytes, Box::new(bound)) };
        let memory = RegisteredMemory::of(device, memory, access);
        Ok(Self(memory.map_err(onesided_transport::ResourceError::from)?))
    }

    /// A part of it for an operation, which begins at a byte.
    #[inline]
    pub fn segment(&self, first: usize, length: u32) -> LocalSegment {
        self.0.segment(first, length)
    }

    /// What a peer must know.
    pub fn remote(&self) -> RemoteMemory {
        self.0.remote()
    }
}

impl<R> Memory<R> {
    /// Its length.
    #[inline]
    pub fn bytes(&self) -> usize {
        self.0.length()
    }

    /// On which nodes its pages are.
    pub fn residency(&self) -> Result<Residency, ResidencyError> {
        let start = self.words().as_ptr().cast();
        Residency::of(start, self.bytes(), bytes_of_page(PageSize::Base), None)
    }

    /// All words by their index.
    pub fn words(&self) -> &[AtomicU64] {
        self.0.words()
    }

    /// The word that begins at a byte.
    pub fn word(&self, byte: usize) -> u64 {
        self.words()[byte / WORD_BYTES].load(Ordering::Acquire)
    }

    /// Gives every word what its index says.
    pub fn fill(&self, value: impl Fn(u64) -> u64) {
        for (index, word) in (0..).zip(self.words()) {
            word.store(value(index), Ordering::Release);
        }
    }

    /// How many of the first bytes' words are not what their indices say.
    pub fn differing(&self, bytes: usize, value: impl Fn(u64) -> u64) -> u64 {
        let words = (0..).zip(self.words()).take(bytes / WORD_BYTES);
        let differ = words.filter(|(index, word)| word.load(Ordering::Acquire) != value(*index));
        differ.count() as u64
    }
}

/// What the memory of an owner holds at a word: no two words alike, no two owners either.
pub fn pattern(owner: u64, index: u64) -> u64 {
    // Weyl's sequence by the golden ratio, 2^64 / phi (Knuth, TAOCP 3, 6.4).
    (owner << 32 | index).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
