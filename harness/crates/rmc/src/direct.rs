//! Reads without packets: what shared memory can do at best.
//!
//! The requester looks in the table of the peer's node whether a region of a segment may be read,
//! loads its words itself, and takes what it loaded where nothing was stored there for others meanwhile
//! (`shared::version`). The node is not asked, and does not notice. Nothing orders these reads with
//! what a queue pair has posted, and no hop of a fabric delays them: it is another machine than one of
//! remote memory controllers, and what it gives is labelled as such (`emulated-direct`).

use std::{hint, io, sync::atomic::Ordering};

use onesided_transport::RemoteMemory;

use crate::{
    endpoint::RmcEndpoint,
    fabric::PeerNode,
    keys::index_of,
    shared::{
        layout::{NodeMemory, SEGMENTS_OFFSET},
        line,
        mapping::{FileMapping, NodeMapping},
        region::SharedRegion,
        version::Version,
    },
};

/// Looks at a word that changes between two of these, after which the owner is asked for: it may have
/// died while it stored.
const LOOKS: u32 = 1 << 16;

/// Memory of a peer that can be read without asking the peer's node.
pub struct DirectMemory {
    peer: PeerNode,
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
        let file = channel.peer.memory.file().try_clone()?;
        let peer = PeerNode { memory: NodeMapping::new(file)? };
        let RemoteMemory { key, address, length_bytes } = remote;
        let region = index_of(key).filter(|index| *index < peer.memory.regions.len());
        let part =
            region.and_then(|index| peer.memory.regions[index].part(key, address, length_bytes));
        let (Some(region), Some(part)) = (region, part) else {
            return Err(unsupported("the memory may not be read, or is in no segment of its node"));
        };
        let version = part.version as usize;
        let is_whole = version < peer.memory.versions.len() && part.offset >= SEGMENTS_OFFSET;
        if !is_whole {
            return Err(io::ErrorKind::InvalidData.into());
        }
        // Of whole pages; the part begins somewhere in the first one.
        let within = part.offset % crate::segments::PAGE;
        let length = (within + length_bytes).next_multiple_of(crate::segments::PAGE);
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
        let inside = byte.is_multiple_of(8) && byte < self.length & !7;
        assert!(inside, "byte {byte} begins no word of the region");
        let (region, version) = self.tables();
        if let Some(count) = version.now() {
            // SAFETY: it is mapped as long as `self`, aligned, and accessed by atomics only.
            let found = unsafe { line::word(self.start + byte) }.load(Ordering::Relaxed);
            if version.is_still(count) && region.is_of(self.key) {
                return Ok(found);
            }
        }
        self.word_again(byte)
    }

    /// As above, once it is not just being stored.
    #[cold]
    fn word_again(&self, byte: u64) -> Result<u64, DirectError> {
        let (region, version) = self.tables();
        for looks in 1_u32.. {
            if !region.is_of(self.key) {
                return Err(DirectError::Gone);
            }
            if looks.is_multiple_of(LOOKS) && !self.peer.is_alive() {
                return Err(DirectError::Dead);
            }
            let Some(count) = version.now() else {
                hint::spin_loop();
                continue;
            };
            // SAFETY: as above.
            let found = unsafe { line::word(self.start + byte) }.load(Ordering::Relaxed);
            if version.is_still(count) && region.is_of(self.key) {
                return Ok(found);
            }
        }
        unreachable!("it returns before numbers end")
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
