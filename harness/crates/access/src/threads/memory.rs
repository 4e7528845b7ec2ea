//! The memory that threads share with each other and with devices.

use std::{
    ptr::NonNull,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
    },
};

use onesided_load::worker::LINE_BYTES;
use onesided_placement::BoundMemory;

/// Memory that several threads, and devices, read and write at once.
///
/// Whatever is done to it here is done by atomic instructions, relaxed where they are loads and
/// stores.
#[derive(Clone, Debug)]
pub struct SharedMemory {
    start: NonNull<u8>,
    length: usize,
    /// What keeps it mapped; absent where the maker of this value does.
    _keeper: Option<Arc<BoundMemory>>,
}

// SAFETY: all access to the memory is atomic, and it stays mapped while this value lives: by its
// keeper, or by the promise that `of_raw` asks for.
unsafe impl Send for SharedMemory {}

// SAFETY: as above; the fields themselves do not change.
unsafe impl Sync for SharedMemory {}

/// Why memory cannot be shared by threads.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MemoryUnsuitable {
    /// Lines of the memory are to be cache lines.
    #[error("the memory starts at address {address:#x}, not at a multiple of {LINE_BYTES} bytes")]
    Unaligned {
        /// Where it starts.
        address: usize,
    },
}

impl SharedMemory {
    /// The whole of this memory, which stays mapped as long as this value.
    pub fn of(memory: Arc<BoundMemory>) -> Self {
        let start = NonNull::new(memory.as_ptr()).expect("a mapping does not start at address 0");
        Self { start, length: memory.len(), _keeper: Some(memory) }
    }

    /// `length` bytes from `start` on.
    ///
    /// # Errors
    /// It does not start on a cache line.
    ///
    /// # Safety
    /// The memory must be valid for reads and writes as long as this value or a clone of it lives,
    /// that is, until [`Running::stop`](super::Running::stop) has returned or the `Running` been
    /// dropped. Meanwhile this program may access it by atomics only.
    pub unsafe fn of_raw(start: NonNull<u8>, length: usize) -> Result<Self, MemoryUnsuitable> {
        let address = start.addr().get();
        match (address as u64).is_multiple_of(LINE_BYTES) {
            true => Ok(Self { start, length, _keeper: None }),
            false => Err(MemoryUnsuitable::Unaligned { address }),
        }
    }

    /// Its length in bytes.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Writes a zero to a byte, which must be within it.
    pub(super) fn touch(&self, offset: usize) {
        assert!(offset < self.length, "byte {offset} of a memory of {} bytes", self.length);
        // SAFETY: within the memory, which is accessed by atomics only.
        let byte = unsafe { AtomicU8::from_ptr(self.start.as_ptr().add(offset)) };
        byte.store(0, Ordering::Relaxed);
    }

    /// Its first byte.
    pub(super) fn start(&self) -> NonNull<u8> {
        self.start
    }
}
