//! Numbers that name places of a table, and never the same place twice in a row.
//!
//! Like a verbs key (`ib_update_fast_reg_key` of the kernel): the lowest 8 bits are a tag that
//! changes whenever a place is used again, the others its index plus one. 0 names nothing.

use std::collections::VecDeque;

/// Bits of the tag.
const TAG_BITS: u32 = 8;

/// A key that names no place of any table, and is never given out.
pub const NOBODYS: u32 = u32::MAX;

/// The index that a key is of.
#[inline]
pub fn index_of(key: u32) -> Option<usize> {
    (key >> TAG_BITS).checked_sub(1).map(|index| index as usize)
}

/// Gives out keys. Places are used in turn, so that a key returns as late as can be.
#[derive(Debug)]
pub struct Keys {
    free: VecDeque<(u32, u8)>,
}

impl Keys {
    /// For a table of so many places, whose first keys have this tag.
    pub fn new(places: usize, first_tag: u8) -> Self {
        Self { free: (0..places as u32).map(|index| (index, first_tag)).collect() }
    }

    /// A key of a free place; absent where there is none.
    pub fn take(&mut self) -> Option<u32> {
        let (index, tag) = self.free.pop_front()?;
        Some((index + 1) << TAG_BITS | u32::from(tag))
    }

    /// Gives a key back.
    pub fn give_back(&mut self, key: u32) {
        let index = (key >> TAG_BITS) - 1;
        self.free.push_back((index, (key as u8).wrapping_add(1)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{queue_pairs::QUEUE_PAIRS, shared::layout::REGIONS};

    #[test]
    fn keys_name_their_place_and_a_place_gets_another_key_the_next_time() {
        let mut keys = Keys::new(2, 0xff);
        let (first, second) = (keys.take().unwrap(), keys.take().unwrap());
        assert_eq!((index_of(first), index_of(second)), (Some(0), Some(1)));
        assert_eq!(keys.take(), None);
        keys.give_back(second);
        let third = keys.take().unwrap();
        assert_eq!((first & 0xff, third), (0xff, 2 << TAG_BITS));
        assert_eq!(index_of(third), Some(1));
        assert_ne!(second, third);
        assert_eq!(index_of(0xff), None);
        // The largest key of a table of so many places is below it.
        assert!(index_of(NOBODYS).is_some_and(|index| index > QUEUE_PAIRS.max(REGIONS)));
    }
}
