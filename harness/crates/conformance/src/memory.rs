//! Memory under test: a registered region between two margins that nobody may touch.

use std::{
    alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error},
    ptr::NonNull,
};

use onesided_transport::{LocalSegment, Region, RemoteMemory, RemoteSegment};

use crate::deviation::{Deviation, Verdict};

/// Bytes of each margin; a page, so that the region starts on one.
pub(crate) const MARGIN: usize = 4096;

/// What the margins are filled with.
const MARGIN_BYTE: u8 = 0xee;

/// Heap memory that is only accessed by copies through its pointer, because a device may change
/// it at any time.
pub(crate) struct HostBytes {
    start: NonNull<u8>,
    layout: Layout,
}

// SAFETY: the memory is owned, has no thread affinity, and is only copied from and to.
unsafe impl Send for HostBytes {}
// SAFETY: as for `Send`; writing is left to one thread by each property.
unsafe impl Sync for HostBytes {}

impl HostBytes {
    /// Zeroed, page-aligned bytes.
    pub(crate) fn new(length: usize) -> Self {
        let layout =
            Layout::from_size_align(length.max(1), MARGIN).expect("a property asks little");
        // SAFETY: the layout has a size above zero.
        let start = unsafe { alloc_zeroed(layout) };
        let Some(start) = NonNull::new(start) else { handle_alloc_error(layout) };
        Self { start, layout }
    }

    /// The address of a byte.
    pub(crate) fn pointer(&self, offset: usize) -> *mut u8 {
        assert!(offset <= self.layout.size(), "offset {offset} is outside");
        // SAFETY: within the allocation, or one past it.
        unsafe { self.start.as_ptr().add(offset) }
    }

    /// Copies bytes in.
    pub(crate) fn put(&self, offset: usize, bytes: &[u8]) {
        assert!(offset + bytes.len() <= self.layout.size(), "offset {offset} is outside");
        // SAFETY: the target is inside the allocation and `bytes` is borrowed elsewhere.
        unsafe { self.pointer(offset).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
    }

    /// Copies bytes out.
    pub(crate) fn get(&self, offset: usize, length: usize) -> Vec<u8> {
        assert!(offset + length <= self.layout.size(), "offset {offset} is outside");
        let mut bytes = vec![0; length];
        // SAFETY: the source is inside the allocation and `bytes` was just made.
        unsafe { self.pointer(offset).copy_to_nonoverlapping(bytes.as_mut_ptr(), length) }
        bytes
    }
}

impl Drop for HostBytes {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout in `new`.
        unsafe { dealloc(self.start.as_ptr(), self.layout) }
    }
}

/// A registered region and what surrounds it. Offsets count from the start of the region.
pub(crate) struct Memory<R> {
    // Before the bytes, so that the device loses its access before they are freed.
    region: Option<R>,
    local_key: u32,
    remote: RemoteMemory,
    length: usize,
    whose: &'static str,
    bytes: HostBytes,
}

impl<R: Region> Memory<R> {
    /// Allocates, and has `register` register all but the margins.
    pub(crate) fn register<E>(
        whose: &'static str,
        length: usize,
        register: impl FnOnce(*mut u8, usize) -> Result<R, E>,
    ) -> Result<Self, E> {
        let bytes = HostBytes::new(length + 2 * MARGIN);
        bytes.put(0, &[MARGIN_BYTE; MARGIN]);
        bytes.put(MARGIN + length, &[MARGIN_BYTE; MARGIN]);
        let region = register(bytes.pointer(MARGIN), length)?;
        let (local_key, remote) = (region.local_key(), region.remote());
        Ok(Self { region: Some(region), local_key, remote, length, whose, bytes })
    }

    /// A piece to use locally.
    pub(crate) fn segment(&self, offset: usize, length: usize) -> LocalSegment {
        let address = self.bytes.pointer(MARGIN + offset) as u64;
        let length = u32::try_from(length).expect("a property's transfers are below 4 GiB");
        LocalSegment { address, length, key: self.local_key }
    }

    /// A place for the peer to access.
    pub(crate) fn at(&self, offset: usize) -> RemoteSegment {
        RemoteSegment { address: self.remote.address + offset as u64, key: self.remote.key }
    }

    /// What the region tells peers.
    pub(crate) fn remote(&self) -> RemoteMemory {
        self.remote
    }

    /// The address of the first registered byte in this process.
    pub(crate) fn address(&self) -> u64 {
        self.bytes.pointer(MARGIN) as u64
    }

    /// Writes from this process.
    pub(crate) fn put(&self, offset: usize, bytes: &[u8]) {
        assert!(offset + bytes.len() <= self.length, "offset {offset} is outside the region");
        self.bytes.put(MARGIN + offset, bytes);
    }

    /// Reads from this process.
    pub(crate) fn get(&self, offset: usize, length: usize) -> Vec<u8> {
        self.bytes.get(MARGIN + offset, length)
    }

    /// Writes a word, as atomics see it.
    pub(crate) fn put_word(&self, offset: usize, word: u64) {
        self.put(offset, &word.to_ne_bytes());
    }

    /// Reads a word.
    pub(crate) fn word(&self, offset: usize) -> u64 {
        u64::from_ne_bytes(self.get(offset, 8).try_into().expect("eight bytes were read"))
    }

    /// Ends the registration; the bytes stay.
    pub(crate) fn deregister(&mut self) {
        self.region = None;
    }

    /// Checks every byte of the region, and that both margins are as they were.
    pub(crate) fn expect(&self, expected: &[u8]) -> Verdict {
        assert_eq!(expected.len(), self.length, "all of the region is to be expected");
        let found = self.bytes.get(0, self.length + 2 * MARGIN);
        let margin = [MARGIN_BYTE; MARGIN];
        let parts = [&margin[..], expected, &margin[..]];
        if parts.concat() == found {
            return Ok(());
        }
        let expected = parts.concat();
        let mut differing = (0..found.len()).filter(|&index| expected[index] != found[index]);
        let first = differing.next().expect("they were seen to differ");
        Err(Deviation::Bytes {
            whose: self.whose,
            offset: first as i64 - MARGIN as i64,
            expected: expected[first],
            found: found[first],
            differing: 1 + differing.count(),
        })
    }
}
