//! Memory for regions, laid out as the device wants it.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error},
    io,
    ptr::NonNull,
    slice,
    sync::atomic::AtomicU64,
};

use crate::{
    device::Transport,
    memory::{Access, LocalSegment, Region, RegisterError, RemoteMemory},
};

/// Regions begin on a page and do not share one with anything else.
const ALIGNMENT: usize = 4096;

/// Zeroed memory that begins on a page; freed, or given back to who laid it out, on drop.
pub struct ZeroedMemory {
    start: NonNull<u8>,
    length: usize,
    origin: Origin,
}

enum Origin {
    Heap(Layout),
    /// Gives the memory back when it is dropped.
    Device(#[expect(dead_code, reason = "it is only dropped")] Box<dyn Send + Sync>),
}

// SAFETY: the memory is owned and has no thread affinity; only its address is given out.
unsafe impl Send for ZeroedMemory {}
// SAFETY: as for `Send`.
unsafe impl Sync for ZeroedMemory {}

impl ZeroedMemory {
    /// Of the heap.
    ///
    /// # Errors
    /// More bytes than there are addresses.
    pub fn of_heap(bytes: usize) -> Result<Self, RegisterError> {
        let layout = Layout::from_size_align(bytes.max(1), ALIGNMENT).map_err(|error| {
            let (length_bytes, source) = (bytes as u64, io::Error::other(error));
            RegisterError::Refused { length_bytes, source }
        })?;
        // SAFETY: the size is above zero.
        let start = unsafe { alloc_zeroed(layout) };
        let Some(start) = NonNull::new(start) else { handle_alloc_error(layout) };
        Ok(Self { start, length: bytes, origin: Origin::Heap(layout) })
    }

    /// Of a device, that `keep` gives back.
    ///
    /// # Safety
    /// So many bytes are mapped, readable, writable and zero, and belong to nobody else until
    /// `keep` is dropped.
    pub unsafe fn of_device(start: NonNull<u8>, length: usize, keep: Box<dyn Send + Sync>) -> Self {
        Self { start, length, origin: Origin::Device(keep) }
    }

    /// The first byte; valid for reads and writes of [`ZeroedMemory::length`] bytes as long as
    /// `self` lives.
    #[inline]
    pub fn start(&self) -> NonNull<u8> {
        self.start
    }

    /// Bytes, as many as were asked for.
    #[inline]
    pub fn length(&self) -> usize {
        self.length
    }
}

impl Drop for ZeroedMemory {
    fn drop(&mut self) {
        if let Origin::Heap(layout) = self.origin {
            // SAFETY: allocated with this layout.
            unsafe { dealloc(self.start.as_ptr(), layout) }
        }
    }
}

/// Zeroed memory, and the region that it is registered as.
///
/// Only addresses are given out: a peer may change what it may write at any time, so whoever uses
/// them answers for doing it by atomics, or when nobody else does.
pub struct RegisteredMemory<R> {
    // First, so that nobody reaches the memory when it goes.
    region: R,
    memory: ZeroedMemory,
}

impl<R: Region> RegisteredMemory<R> {
    /// So many bytes where the device wants them ([`Transport::allocate`]), which peers may access
    /// as said.
    ///
    /// # Errors
    /// As [`Transport::allocate`] and [`Transport::register`].
    pub fn new<T: Transport<Region = R>>(
        device: &T,
        bytes: usize,
        access: Access,
    ) -> Result<Self, RegisterError> {
        Self::of(device, device.allocate(bytes, access)?, access)
    }

    /// Registers memory.
    ///
    /// # Errors
    /// As [`Transport::register`].
    pub fn of<T: Transport<Region = R>>(
        device: &T,
        memory: ZeroedMemory,
        access: Access,
    ) -> Result<Self, RegisterError> {
        // SAFETY: the memory is given back after the region is dropped; who uses it expects changes.
        let region = unsafe { device.register(memory.start.as_ptr(), memory.length, access) }?;
        Ok(Self { region, memory })
    }

    /// What a peer must know.
    pub fn remote(&self) -> RemoteMemory {
        self.region.remote()
    }

    /// A part of it for an operation.
    ///
    /// # Panics
    /// When it is not all inside.
    #[inline]
    pub fn segment(&self, offset: usize, length: u32) -> LocalSegment {
        let address = self.at(offset, length as usize).as_ptr() as u64;
        LocalSegment { address, length, key: self.region.local_key() }
    }
}

impl<R> RegisteredMemory<R> {
    /// Where `length` bytes behind `offset` are.
    ///
    /// # Panics
    /// When they are not all inside.
    #[inline]
    pub fn at(&self, offset: usize, length: usize) -> NonNull<u8> {
        let size = self.memory.length;
        let inside = offset <= size && length <= size - offset;
        assert!(inside, "{length} bytes at {offset} are outside memory of {size} bytes");
        // SAFETY: inside the memory, or one past it.
        unsafe { self.memory.start.add(offset) }
    }

    /// All of it by whole words, for who accesses it by atomics.
    #[inline]
    pub fn words(&self) -> &[AtomicU64] {
        let (start, count) = (self.memory.start.as_ptr(), self.memory.length / size_of::<u64>());
        // SAFETY: aligned to a page, initialized, and alive as long as `self`.
        unsafe { slice::from_raw_parts(start.cast(), count) }
    }

    /// The region.
    pub fn region(&self) -> &R {
        &self.region
    }

    /// Its bytes, as many as were asked for.
    #[inline]
    pub fn length(&self) -> usize {
        self.memory.length
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    };

    use super::*;

    struct Dropped(Arc<AtomicBool>);

    impl Drop for Dropped {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    #[test]
    fn memory_of_the_heap_begins_on_a_page_and_is_zero() {
        let memory = ZeroedMemory::of_heap(100).unwrap();
        assert_eq!((memory.start().as_ptr() as usize % ALIGNMENT, memory.length()), (0, 100));
        // SAFETY: it has so many bytes, which nobody writes.
        let bytes = unsafe { std::slice::from_raw_parts(memory.start().as_ptr(), 100) };
        assert!(bytes.iter().all(|byte| *byte == 0));
        assert_eq!(ZeroedMemory::of_heap(0).unwrap().length(), 0);
        assert!(ZeroedMemory::of_heap(usize::MAX).is_err());
    }

    #[test]
    fn memory_of_a_device_is_given_back_by_the_drop() {
        let given_back = Arc::new(AtomicBool::new(false));
        let keep = Box::new(Dropped(Arc::clone(&given_back)));
        // SAFETY: no byte is promised.
        let memory = unsafe { ZeroedMemory::of_device(NonNull::dangling(), 0, keep) };
        assert!(!given_back.load(Ordering::Relaxed));
        drop(memory);
        assert!(given_back.load(Ordering::Relaxed));
    }
}
