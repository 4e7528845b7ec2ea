//! Registered memory of words, by whole cache lines.

use std::sync::atomic::{AtomicU64, Ordering};

use onesided_transport::{
    Access, LocalSegment, Region, RegisteredMemory, RemoteMemory, ResourceError, Transport,
    ZeroedMemory,
};

/// Bytes of a cache line, which is what a packet carries (004 §4.2).
pub const LINE_BYTES: usize = 64;

/// Bytes of either side's memory. Ours: two of them fit a second-level cache, as what is measured
/// is the fabric and not memory.
pub const MEMORY_BYTES: usize = 1 << 18;

/// Bytes of a word.
const WORD_BYTES: usize = size_of::<u64>();

/// [`MEMORY_BYTES`] that devices read or write while threads load them.
pub struct Memory<R>(RegisteredMemory<R>);

impl<R: Region> Memory<R> {
    /// Zeroes of the heap, that peers may access as said: what is read crosses in replies, each
    /// time. Of a segment it would be in the requester's own cache once it was read.
    pub fn new<T: Transport<Region = R>>(
        device: &T,
        access: Access,
    ) -> Result<Self, ResourceError> {
        let memory = ZeroedMemory::of_heap(MEMORY_BYTES)?;
        Ok(Self(RegisteredMemory::of(device, memory, access)?))
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
