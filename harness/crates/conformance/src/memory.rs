//! Memory under test: a registered region between two margins that nobody may touch.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use onesided_transport::{
    Access, LocalSegment, Region, RegisterError, RemoteMemory, RemoteSegment, Transport,
    ZeroedMemory,
};

use crate::{
    deviation::{Deviation, Verdict},
    fixture::Reach,
};

/// Bytes of each margin; a page, so that the region starts on one.
pub const MARGIN: usize = 4096;

/// What the margins are filled with.
const MARGIN_BYTE: u8 = 0xee;

/// Memory that is only accessed by copies through its pointer, because a device may change it at
/// any time.
pub(crate) struct HostBytes(ZeroedMemory);

impl HostBytes {
    /// Zeroed bytes that begin on a page, where the device wants them.
    pub(crate) fn on<T: Transport>(
        device: &T,
        length: usize,
        access: Access,
    ) -> Result<Self, RegisterError> {
        device.allocate(length.max(1), access).map(Self)
    }

    /// Zeroed bytes of the heap that begin on a page.
    pub(crate) fn of_heap(length: usize) -> Self {
        Self(ZeroedMemory::of_heap(length).expect("a property asks little"))
    }

    /// The address of a byte.
    pub(crate) fn pointer(&self, offset: usize) -> *mut u8 {
        assert!(offset <= self.0.length(), "offset {offset} is outside");
        // SAFETY: within the allocation, or one past it.
        unsafe { self.0.start().as_ptr().add(offset) }
    }

    /// Copies bytes in.
    pub(crate) fn put(&self, offset: usize, bytes: &[u8]) {
        assert!(offset + bytes.len() <= self.0.length(), "offset {offset} is outside");
        // SAFETY: the target is inside the allocation and `bytes` is borrowed elsewhere.
        unsafe { self.pointer(offset).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
    }

    /// Copies bytes out.
    pub(crate) fn get(&self, offset: usize, length: usize) -> Vec<u8> {
        assert!(offset + length <= self.0.length(), "offset {offset} is outside");
        let mut bytes = vec![0; length];
        // SAFETY: the source is inside the allocation and `bytes` was just made.
        unsafe { self.pointer(offset).copy_to_nonoverlapping(bytes.as_mut_ptr(), length) }
        bytes
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
    /// Where the memory is another process's, how to get there; `bytes` only name places then.
    reach: Option<Arc<dyn Reach>>,
    /// Contents of the region, each as long as it, that a message that is lost may leave there.
    before: Mutex<Vec<Vec<u8>>>,
    bytes: HostBytes,
}

impl<R: Region> Memory<R> {
    /// Has a device allocate, and registers all but the margins.
    pub(crate) fn register<T: Transport<Region = R>>(
        device: &T,
        whose: &'static str,
        reach: Option<Arc<dyn Reach>>,
        length: usize,
        access: Access,
    ) -> Result<Self, RegisterError> {
        let bytes = HostBytes::on(device, length + 2 * MARGIN, access)?;
        // SAFETY: the bytes are kept mapped until the region is dropped, and are only copied from
        // and to.
        let region = unsafe { device.register(bytes.pointer(MARGIN), length, access) }?;
        let (local_key, remote) = (region.local_key(), region.remote());
        let before = Mutex::new(vec![vec![0; length]]);
        let memory =
            Self { region: Some(region), local_key, remote, length, whose, reach, before, bytes };
        memory.store(0, &[MARGIN_BYTE; MARGIN]);
        memory.store(MARGIN + length, &[MARGIN_BYTE; MARGIN]);
        Ok(memory)
    }

    /// Offsets of these two count from the start of the first margin.
    fn store(&self, offset: usize, bytes: &[u8]) {
        match &self.reach {
            Some(reach) => reach.put(self.bytes.pointer(offset) as u64, bytes),
            None => self.bytes.put(offset, bytes),
        }
    }

    fn load(&self, offset: usize, length: usize) -> Vec<u8> {
        match &self.reach {
            Some(reach) => reach.get(self.bytes.pointer(offset) as u64, length),
            None => self.bytes.get(offset, length),
        }
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

    /// The address of the first registered byte in the process that has it.
    pub(crate) fn address(&self) -> u64 {
        let place = self.bytes.pointer(MARGIN) as u64;
        self.reach.as_ref().map_or(place, |reach| reach.address(place))
    }

    /// Writes from the process that has it.
    pub(crate) fn put(&self, offset: usize, bytes: &[u8]) {
        assert!(offset + bytes.len() <= self.length, "offset {offset} is outside the region");
        self.store(MARGIN + offset, bytes);
        for content in self.before().iter_mut() {
            content[offset..offset + bytes.len()].copy_from_slice(bytes);
        }
    }

    fn before(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says what the region holds in between, after some of the messages under way and before others.
    pub(crate) fn holds_in_between(&self, content: &[u8]) {
        assert_eq!(content.len(), self.length, "all of the region has a content");
        self.before().push(content.to_vec());
    }

    /// Whether each byte that is not as expected is one that stood there before: what was put there, what was
    /// seen there by [`Self::expect`], or what was there in between. Of the margins every one is as it was.
    pub(crate) fn differs_by_older_bytes_only(&self, expected: &[u8]) -> bool {
        let (all, before) = (self.load(0, self.length + 2 * MARGIN), self.before());
        let found = &all[MARGIN..MARGIN + self.length];
        let stood_there = |index: usize| before.iter().any(|older| older[index] == found[index]);
        let margin = [MARGIN_BYTE; MARGIN];
        all.starts_with(&margin)
            && all.ends_with(&margin)
            && (0..self.length).all(|index| found[index] == expected[index] || stood_there(index))
    }

    /// Reads from the process that has it.
    pub(crate) fn get(&self, offset: usize, length: usize) -> Vec<u8> {
        self.load(MARGIN + offset, length)
    }

    /// Writes a word, as atomics see it.
    pub(crate) fn put_word(&self, offset: usize, word: u64) {
        self.put(offset, &word.to_ne_bytes());
    }

    /// Reads a word.
    pub(crate) fn word(&self, offset: usize) -> u64 {
        u64::from_ne_bytes(self.get(offset, 8).try_into().expect("eight bytes were read"))
    }

    /// Changes the byte behind the region.
    #[cfg(test)]
    pub(crate) fn put_beside(&self, byte: u8) {
        self.store(MARGIN + self.length, &[byte]);
    }

    /// Ends the registration; the bytes stay.
    pub(crate) fn deregister(&mut self) {
        self.region = None;
    }

    /// Checks every byte of the region, and that both margins are as they were.
    pub(crate) fn expect(&self, expected: &[u8]) -> Verdict {
        assert_eq!(expected.len(), self.length, "all of the region is to be expected");
        let found = self.load(0, self.length + 2 * MARGIN);
        let margin = [MARGIN_BYTE; MARGIN];
        let parts = [&margin[..], expected, &margin[..]];
        if parts.concat() == found {
            *self.before() = vec![expected.to_vec()];
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
