//! Context segments: memory of a node's process that lies in the node's file, behind its tables.
//!
//! A region in a segment can be copied from by peers themselves, once the node has said that they
//! may (`shared::region`). They map the file that they have open anyway, so who may do it is
//! who may enter the context; what a killed process leaves goes when its node is swept and nobody
//! has it mapped.

use std::sync::{Mutex, PoisonError};

use crate::shared::layout::{SEGMENTS, SEGMENTS_OFFSET};

/// Segments are of whole pages.
pub const PAGE: u64 = 4096;

/// A part of the file that is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Extent {
    offset: u64,
    length: u64,
    /// Index of its version.
    version: u32,
    /// Where it is mapped; unknown until it is.
    address: Option<u64>,
}

/// The segments of a node, in the order of the file.
#[derive(Default)]
pub struct Segments(Mutex<Vec<Extent>>);

impl Segments {
    /// Where memory is in the file, and the index of its version, if all of it is in one segment.
    pub fn find(&self, address: u64, length: u64) -> Option<(u64, u32)> {
        let extents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        extents.iter().find_map(|extent| {
            let behind = address.checked_sub(extent.address?)?;
            let is_inside = behind <= extent.length && length <= extent.length - behind;
            is_inside.then_some((extent.offset + behind, extent.version))
        })
    }

    /// Where segments are mapped, and how long they are in bytes.
    pub fn mapped(&self) -> Vec<(u64, u64)> {
        let extents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        extents.iter().filter_map(|extent| Some((extent.address?, extent.length))).collect()
    }

    /// Takes the first gap that is long enough, or what is behind all others; where it begins.
    pub fn take(&self, length: u64) -> Option<u64> {
        let mut extents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut offset = SEGMENTS_OFFSET;
        let mut place = 0;
        while place < extents.len() && extents[place].offset - offset < length {
            offset = extents[place].offset + extents[place].length;
            place += 1;
        }
        let is_free = |version: &u32| extents.iter().all(|extent| extent.version != *version);
        let version = (0..SEGMENTS as u32).find(is_free)?;
        extents.insert(place, Extent { offset, length, version, address: None });
        Some(offset)
    }

    /// Says where a segment is mapped.
    pub fn locate(&self, offset: u64, address: u64) {
        let mut extents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(extent) = extents.iter_mut().find(|extent| extent.offset == offset) {
            extent.address = Some(address);
        }
    }

    /// Frees a segment.
    pub fn give_back(&self, offset: u64) {
        let mut extents = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        extents.retain(|extent| extent.offset != offset);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_are_used_again_and_memory_is_found_in_its_segment_only() {
        let segments = Segments::default();
        let start = SEGMENTS_OFFSET;
        let take = |pages: u64| (segments.take(pages * PAGE).unwrap() - start) / PAGE;
        assert_eq!([take(2), take(1)], [0, 2]);
        segments.locate(start + 2 * PAGE, 0x7000);
        assert_eq!(segments.find(0x7010, 16), Some((start + 2 * PAGE + 16, 1)));
        assert_eq!(segments.find(0x7010, PAGE), None);
        assert_eq!(segments.find(0x6fff, 2), None);
        segments.give_back(start);
        assert_eq!(take(3), 3, "the gap is too small");
        assert_eq!([take(1), take(1)], [0, 1]);
    }
}
