//! The registered memory of a node, which requests name by key.
//!
//! Looking a key up takes no lock: the responder does it for each packet. Registering and
//! deregistering do, and a region that is deregistered is waited for (`local::LocalNode::settle`).

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU32, AtomicU64, Ordering},
};

use onesided_transport::Access;

use crate::{
    keys::{Keys, index_of},
    shared::layout::REGIONS,
};

#[derive(Default)]
#[repr(align(64))]
struct Place {
    /// 0 while the place is free. Stored last, cleared first.
    key: AtomicU32,
    access: AtomicU32,
    address: AtomicU64,
    length: AtomicU64,
    /// Index of the segment's version plus one; 0 outside segments.
    version: AtomicU32,
}

/// All regions of a node.
pub struct Regions {
    places: Box<[Place]>,
    keys: Mutex<Keys>,
}

/// A region that is added, or was looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FoundRegion {
    /// Where it begins.
    pub address: u64,
    /// Its bytes.
    pub length: u64,
    /// What peers may do.
    pub access: Access,
    /// Index of its segment's version: what is stored for peers changes it. None outside segments.
    pub version: Option<u32>,
}

impl FoundRegion {
    /// Whether all of `length` bytes at `address` are in it.
    #[inline]
    pub fn covers(&self, address: u64, length: u64) -> bool {
        let offset = address.wrapping_sub(self.address);
        offset <= self.length && length <= self.length - offset
    }
}

fn bits(access: Access) -> u32 {
    u32::from(access.remote_read)
        | u32::from(access.remote_write) << 1
        | u32::from(access.remote_atomic) << 2
}

fn access(bits: u32) -> Access {
    Access { remote_read: bits & 1 != 0, remote_write: bits & 2 != 0, remote_atomic: bits & 4 != 0 }
}

impl Regions {
    /// None yet.
    pub fn new() -> Self {
        let places = (0..REGIONS).map(|_| Place::default()).collect();
        Self { places, keys: Mutex::new(Keys::new(REGIONS, 0)) }
    }

    /// How many there can be.
    pub const fn most() -> usize {
        REGIONS
    }

    /// Adds one; its key, or none where there is no place left.
    pub fn add(&self, region: FoundRegion) -> Option<u32> {
        let key = self.keys.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let place = &self.places[index_of(key).expect("a key that was given out names a place")];
        place.access.store(bits(region.access), Ordering::Relaxed);
        place.address.store(region.address, Ordering::Relaxed);
        place.length.store(region.length, Ordering::Relaxed);
        let version = region.version.map_or(0, |version| version + 1);
        place.version.store(version, Ordering::Relaxed);
        place.key.store(key, Ordering::Release);
        Some(key)
    }

    /// Takes one away: it is not found any more, but may still be in use by who found it before.
    pub fn hide(&self, key: u32) {
        let place = &self.places[index_of(key).expect("a key that was given out names a place")];
        place.key.store(0, Ordering::SeqCst);
    }

    /// Lets the place of a hidden region be used again.
    pub fn free(&self, key: u32) {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).give_back(key);
    }

    /// Whether all of `length` bytes at `address` are in the region of a key.
    #[inline]
    pub fn has(&self, key: u32, address: u64, length: u64) -> bool {
        self.find(key).is_some_and(|region| region.covers(address, length))
    }

    /// The region of a key.
    #[inline(always)]
    pub fn find(&self, key: u32) -> Option<FoundRegion> {
        let place = self.places.get(index_of(key)?)?;
        (place.key.load(Ordering::Acquire) == key).then(|| FoundRegion {
            address: place.address.load(Ordering::Relaxed),
            length: place.length.load(Ordering::Relaxed),
            access: access(place.access.load(Ordering::Relaxed)),
            version: place.version.load(Ordering::Relaxed).checked_sub(1),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_is_found_by_its_key_only_and_only_while_it_is_there() {
        let regions = Regions::new();
        let access = Access { remote_write: false, ..Access::REMOTE };
        let region = FoundRegion { address: 4096, length: 100, access, version: Some(7) };
        let key = regions.add(region).unwrap();
        assert_eq!(regions.find(key), Some(region));
        for other in [0, key ^ 1, key ^ 0x100, key ^ 0x8000_0000, u32::MAX] {
            assert_eq!(regions.find(other), None, "{other:#x}");
        }
        regions.hide(key);
        assert_eq!(regions.find(key), None);
    }

    #[test]
    fn bounds_hold_at_both_ends_and_around_the_address_space() {
        let region =
            FoundRegion { address: 4096, length: 100, access: Access::REMOTE, version: None };
        for (address, length) in [(4096, 100), (4096, 0), (4195, 1), (4196, 0)] {
            assert!(region.covers(address, length), "{address} {length}");
        }
        for (address, length) in
            [(4095, 1), (4095, 0), (4096, 101), (4196, 1), (u64::MAX, 2), (u64::MAX, u64::MAX)]
        {
            assert!(!region.covers(address, length), "{address} {length}");
        }
    }
}
