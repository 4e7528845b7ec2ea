//! Reads without packets: what shared memory can do at best.
//!
//! The requester looks in the table of the peer's node whether a region of a segment may be read,
//! copies words of it itself, and takes them where nothing was stored there for others meanwhile
//! (`shared::version`). The node is not asked, and does not notice. Nothing orders these reads with
//! what a queue pair has posted, the queue pair's own rights are not looked at, and no hop of a fabric
//! delays them: it is another machine than one of remote memory controllers, and what it gives is
//! labelled as such (`emulated-direct`).

use std::{
    hint, io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use onesided_transport::RemoteMemory;

use crate::{
    endpoint::{RmcEndpoint, SHORTEST_PATIENCE},
    fabric::PeerNode,
    keys::index_of,
    segments::PAGE,
    shared::{
        layout::{NodeMemory, SEGMENTS_OFFSET},
        line,
        mapping::FileMapping,
        region::SharedRegion,
        version::Version,
    },
};

/// Looks at what is just being stored, after which it is asked whether the owner lives. Ours: some
/// 100 µs.
const LOOKS: u32 = 1 << 16;

/// Memory of a peer that can be read without asking the peer's node.
pub struct DirectMemory {
    peer: Arc<PeerNode>,
    _segment: FileMapping,
    /// Where it is here, and its bytes.
    start: u64,
    length: u64,
    key: u32,
    /// Places in the tables of the peer's node.
    region: usize,
    version: usize,
}

/// Why a word could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DirectError {
    /// The region is not registered any more.
    #[error("the peer's region is gone")]
    Gone,
    /// Its owner died while it stored something.
    #[error("the peer has died")]
    Dead,
    /// Its owner was stopped while it stored something, or stores all the time.
    #[error("the peer has been storing there for 10 s")]
    Busy,
}

impl DirectMemory {
    fn new(endpoint: &RmcEndpoint, remote: RemoteMemory) -> io::Result<Self> {
        let unsupported = |why: &str| io::Error::new(io::ErrorKind::Unsupported, why.to_owned());
        let Some(channel) = &endpoint.channel else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        if endpoint.node.local.delay.nanoseconds() > 0 {
            return Err(unsupported("there are no packets that a hop could delay"));
        }
        let peer = Arc::clone(&channel.peer);
        let RemoteMemory { key, address, length_bytes } = remote;
        let region = index_of(key).filter(|index| *index < peer.memory.regions.len());
        let part =
            region.and_then(|index| peer.memory.regions[index].part(key, address, length_bytes));
        let (Some(region), Some(part)) = (region, part) else {
            return Err(unsupported("the memory may not be read, or is in no segment of its node"));
        };
        if !part.offset.is_multiple_of(8) {
            return Err(unsupported("the memory does not begin with a word"));
        }
        let version = part.version as usize;
        let is_whole = version < peer.memory.versions.len() && part.offset >= SEGMENTS_OFFSET;
        if !is_whole {
            return Err(io::ErrorKind::InvalidData.into());
        }
        // Of whole pages; the part begins somewhere in the first one.
        let within = part.offset % PAGE;
        let length = (within + length_bytes).next_multiple_of(PAGE);
        let segment = FileMapping::new(peer.memory.file(), part.offset - within, length as usize)?;
        let start = segment.start().as_ptr() as u64 + within;
        Ok(Self { peer, _segment: segment, start, length: length_bytes, key, region, version })
    }

    #[inline]
    fn tables(&self) -> (&SharedRegion, &Version) {
        let memory: &NodeMemory = &self.peer.memory;
        (&memory.regions[self.region], &memory.versions[self.version].0)
    }

    /// The word that begins at a byte, as it was at one time.
    ///
    /// # Errors
    /// [`DirectError`].
    ///
    /// # Panics
    /// When it is not all inside, or not aligned.
    #[inline]
    pub fn word(&self, byte: u64) -> Result<u64, DirectError> {
        self.check(byte, 1);
        // SAFETY: it is mapped as long as `self`, aligned, and accessed by atomics only.
        self.taken(|| unsafe { line::word(self.start + byte) }.load(Ordering::Relaxed))
    }

    /// Copies words from a byte on, all as they were at one time.
    ///
    /// # Errors
    /// [`DirectError`].
    ///
    /// # Panics
    /// As [`DirectMemory::word`].
    #[inline]
    pub fn words(&self, byte: u64, to: &[AtomicU64]) -> Result<(), DirectError> {
        self.check(byte, to.len() as u64);
        // SAFETY: as for a word, for each of them.
        self.taken(|| unsafe { line::copy_words(self.start + byte, to) })
    }

    #[inline]
    fn check(&self, byte: u64, words: u64) {
        let room = (self.length / 8).checked_sub(byte / 8);
        let inside = byte.is_multiple_of(8) && room.is_some_and(|room| words <= room);
        assert!(inside, "{words} words from byte {byte} on are not all words of the region");
    }

    /// What `copy` brings of the region, once nothing is being stored meanwhile.
    #[inline]
    fn taken<V>(&self, copy: impl Fn() -> V) -> Result<V, DirectError> {
        let (region, version) = self.tables();
        if let Some(found) = version.unchanged(&copy)
            && region.is_of(self.key)
        {
            return Ok(found);
        }
        self.taken_again(copy)
    }

    #[cold]
    fn taken_again<V>(&self, copy: impl Fn() -> V) -> Result<V, DirectError> {
        let (region, version) = self.tables();
        let start = Instant::now();
        loop {
            for _ in 0..LOOKS {
                if !region.is_of(self.key) {
                    return Err(DirectError::Gone);
                }
                match version.unchanged(&copy) {
                    Some(found) if region.is_of(self.key) => return Ok(found),
                    _ => hint::spin_loop(),
                }
            }
            if !self.peer.is_alive() {
                return Err(DirectError::Dead);
            }
            if start.elapsed() > SHORTEST_PATIENCE {
                return Err(DirectError::Busy);
            }
        }
    }
}

impl RmcEndpoint {
    /// Memory of the peer, in a segment that it lets others read, to be read without packets.
    ///
    /// # Errors
    /// `NotConnected` before there is a peer; `Unsupported` where the fabric has a delay, the memory
    /// may not be read or is in no segment; what the kernel says.
    pub fn direct(&self, remote: RemoteMemory) -> io::Result<DirectMemory> {
        DirectMemory::new(self, remote)
    }
}

#[cfg(all(test, not(loom)))]
mod tests;
