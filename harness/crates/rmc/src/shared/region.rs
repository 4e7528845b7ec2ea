//! What peers know of a region that is in the node's file: enough to copy from it themselves, once
//! the node has said that they may.
//!
//! Whatever is stored for peers in a segment is stored between two changes of its version, so a
//! copy that was taken at one version has lines as they were at one time, as if the node had made
//! it. What the owner's threads store themselves is not: their words are whole, as with any remote
//! access. The version is the segment's, as memory may be of several regions.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// A region's entry, on a cache line of its own.
#[repr(C, align(64))]
pub struct SharedRegion {
    /// 0 while nobody may copy. Stored last, cleared first.
    key: AtomicU32,
    /// Index of the segment's version.
    version: AtomicU32,
    address: AtomicU64,
    length: AtomicU64,
    offset: AtomicU64,
}

/// A key that was found to be that of a region, until [`SharedRegion::is_of`] says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where it begins in the node's file.
    pub offset: u64,
    /// Where it ends there.
    pub end: u64,
    /// Index of its segment's version.
    pub version: u32,
}

impl SharedRegion {
    /// Lets peers copy from `length` bytes at `address`, which are at an offset of the file and of
    /// a segment with this version.
    pub fn publish(&self, key: u32, (address, length): (u64, u64), (offset, version): (u64, u32)) {
        self.address.store(address, Ordering::Relaxed);
        self.length.store(length, Ordering::Relaxed);
        self.offset.store(offset, Ordering::Relaxed);
        self.version.store(version, Ordering::Relaxed);
        self.key.store(key, Ordering::Release);
    }

    /// No copy that ends after this is taken.
    pub fn withdraw(&self) {
        self.key.store(0, Ordering::SeqCst);
        // Who copies something that is stored later sees the key gone.
        fence(Ordering::SeqCst);
    }

    /// Where a part of the region of this key is; absent where it is another's, or the part is not
    /// all inside. A peer may have written anything: what is found is not yet known to be mapped.
    #[inline]
    pub fn part(&self, key: u32, address: u64, length: u64) -> Option<Part> {
        if self.key.load(Ordering::Acquire) != key {
            return None;
        }
        let behind = address.checked_sub(self.address.load(Ordering::Relaxed))?;
        let end = behind.checked_add(length)?;
        if end > self.length.load(Ordering::Relaxed) {
            return None;
        }
        let start = self.offset.load(Ordering::Relaxed);
        let (offset, end) = (start.checked_add(behind)?, start.checked_add(end)?);
        Some(Part { offset, end, version: self.version.load(Ordering::Relaxed) })
    }

    /// Whether it is that of a key still; asked after the copy.
    #[inline]
    pub fn is_of(&self, key: u32) -> bool {
        self.key.load(Ordering::Relaxed) == key
    }
}
