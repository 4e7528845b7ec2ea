//! Where objects lie in the peer's region.

use std::num::NonZeroU64;

use onesided_transport::Opcode;
use onesided_vocabulary::SlotLayout;

/// Bytes of a cache line on the machines that RDMA devices are put in (x86-64 and most of Arm).
pub const LINE_BYTES: u64 = 64;
/// Where the first object of [`SlotLayout::Unaligned`] begins: the smallest odd offset; ours,
/// because the release does not fix one.
pub const UNALIGNED_BASE_BYTES: u64 = 1;

const fn base_bytes(layout: SlotLayout) -> u64 {
    match layout {
        SlotLayout::Packed | SlotLayout::Padded | SlotLayout::Spread => 0,
        SlotLayout::Unaligned => UNALIGNED_BASE_BYTES,
    }
}

/// The distance of objects that follow each other, whatever they range over.
const fn stride_bytes(layout: SlotLayout, access_bytes: u32) -> Result<u64, SlotsError> {
    let access_bytes = access_bytes as u64;
    match layout {
        SlotLayout::Packed | SlotLayout::Unaligned => Ok(access_bytes),
        SlotLayout::Padded => Ok(access_bytes.next_multiple_of(LINE_BYTES)),
        SlotLayout::Spread => Err(SlotsError::NothingToSpreadOver),
    }
}

/// Objects of equal size in a region that begins on a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slots {
    layout: SlotLayout,
    access_bytes: u32,
    count: NonZeroU64,
    base_bytes: u64,
    stride_bytes: u64,
}

/// Why objects cannot lie as asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SlotsError {
    /// An access of nothing.
    #[error("an access of 0 bytes has no place in memory")]
    EmptyAccess,
    /// No objects at all.
    #[error("there are no slots to access")]
    NoSlots,
    /// Objects at equal distances over nothing.
    #[error("spread slots need a working set to be spread over")]
    NothingToSpreadOver,
    /// Not one object for each queue pair fits.
    #[error(
        "a working set of {working_set_bytes} bytes does not hold a slot of {access_bytes} bytes for each \
         of {queue_pairs} queue pairs"
    )]
    TooNarrowToSpread {
        /// What was asked for.
        working_set_bytes: u64,
        /// Bytes of an access.
        access_bytes: u32,
        /// How many queue pairs have one each.
        queue_pairs: u64,
    },
    /// Not even one object fits.
    #[error(
        "a working set of {working_set_bytes} bytes does not hold one {layout} slot of {stride_bytes} \
         bytes"
    )]
    WorkingSetTooSmall {
        /// What was asked for.
        working_set_bytes: u64,
        /// How slots lie.
        layout: SlotLayout,
        /// From one slot to the next.
        stride_bytes: u64,
    },
    /// The objects do not all begin where an atomic can work.
    #[error(
        "atomics at the beginning of objects need aligned ones of a multiple of 8 bytes, and these \
         are {layout} ones of {access_bytes}"
    )]
    UnfitForAtomicsWithin {
        /// Bytes of an access.
        access_bytes: u32,
        /// How slots lie.
        layout: SlotLayout,
    },
    /// The region would be larger than any address space.
    #[error("{count} slots of {stride_bytes} bytes are more than 2^64 bytes")]
    TooLarge {
        /// How many slots.
        count: u64,
        /// From one slot to the next.
        stride_bytes: u64,
    },
    /// The peer's region is too small.
    #[error("the slots need a region of {needed_bytes} bytes, and it has {region_bytes}")]
    DoesNotFit {
        /// What they need.
        needed_bytes: u64,
        /// What there is.
        region_bytes: u64,
    },
    /// Atomics work on 8 bytes at a multiple of 8 (IB spec vol. 1, 9.4.5).
    #[error("atomics need aligned slots of 8 bytes, and these are {layout} ones of {access_bytes}")]
    UnfitForAtomics {
        /// Bytes of an access.
        access_bytes: u32,
        /// How slots lie.
        layout: SlotLayout,
    },
}

impl Slots {
    /// `count` objects of `access_bytes`.
    ///
    /// # Errors
    /// When one of them is 0, all together are beyond 2^64 bytes, or they are to be spread.
    pub fn new(layout: SlotLayout, access_bytes: u32, count: u64) -> Result<Self, SlotsError> {
        if access_bytes == 0 {
            return Err(SlotsError::EmptyAccess);
        }
        Self::at_distance(layout, access_bytes, count, stride_bytes(layout, access_bytes)?)
    }

    fn at_distance(
        layout: SlotLayout,
        access_bytes: u32,
        count: u64,
        stride_bytes: u64,
    ) -> Result<Self, SlotsError> {
        let count = NonZeroU64::new(count).ok_or(SlotsError::NoSlots)?;
        let too_large = SlotsError::TooLarge { count: count.get(), stride_bytes };
        let base_bytes = base_bytes(layout);
        let in_all = stride_bytes.checked_mul(count.get());
        in_all.and_then(|bytes| bytes.checked_add(base_bytes)).ok_or(too_large)?;
        Ok(Self { layout, access_bytes, count, base_bytes, stride_bytes })
    }

    /// As many objects of `access_bytes` as a working set holds; if they are to be spread, one for each of
    /// `queue_pairs`.
    ///
    /// # Errors
    /// When an access is of 0 bytes, or the working set does not hold one object, or not those to be spread.
    pub fn filling(
        layout: SlotLayout,
        access_bytes: u32,
        working_set_bytes: u64,
        queue_pairs: u64,
    ) -> Result<Self, SlotsError> {
        if access_bytes == 0 {
            return Err(SlotsError::EmptyAccess);
        }
        if layout == SlotLayout::Spread {
            return Self::spread(access_bytes, working_set_bytes, queue_pairs);
        }
        let stride_bytes = stride_bytes(layout, access_bytes)?;
        match working_set_bytes / stride_bytes {
            0 => Err(SlotsError::WorkingSetTooSmall { working_set_bytes, layout, stride_bytes }),
            count => Self::new(layout, access_bytes, count),
        }
    }

    /// The distance is a multiple of the access, so that what aligns the first aligns all.
    fn spread(
        access_bytes: u32,
        working_set_bytes: u64,
        queue_pairs: u64,
    ) -> Result<Self, SlotsError> {
        let share = working_set_bytes.checked_div(queue_pairs).ok_or(SlotsError::NoSlots)?;
        match share - share % u64::from(access_bytes) {
            0 => {
                Err(SlotsError::TooNarrowToSpread { working_set_bytes, access_bytes, queue_pairs })
            }
            distance => Self::at_distance(SlotLayout::Spread, access_bytes, queue_pairs, distance),
        }
    }

    /// How many objects.
    pub const fn count(&self) -> NonZeroU64 {
        self.count
    }

    /// From one object to the next.
    pub const fn stride_bytes(&self) -> u64 {
        self.stride_bytes
    }

    /// How large the peer's region must be.
    pub const fn region_bytes(&self) -> u64 {
        self.base_bytes + self.stride_bytes * self.count.get()
    }

    /// Where an object begins, from the start of the region. Meaningless from
    /// [`Slots::count`] on.
    #[inline]
    pub const fn offset(&self, slot: u64) -> u64 {
        debug_assert!(slot < self.count.get());
        self.base_bytes + slot * self.stride_bytes
    }

    /// Whether they are within a region.
    ///
    /// # Errors
    /// [`SlotsError::DoesNotFit`] where they are not.
    pub const fn check_fit(&self, region_bytes: u64) -> Result<(), SlotsError> {
        let needed_bytes = self.region_bytes();
        if needed_bytes <= region_bytes {
            Ok(())
        } else {
            Err(SlotsError::DoesNotFit { needed_bytes, region_bytes })
        }
    }

    /// Whether an atomic can work on each of them.
    ///
    /// # Errors
    /// [`SlotsError::UnfitForAtomics`] where it cannot.
    pub const fn check_atomics(&self) -> Result<(), SlotsError> {
        let Self { layout, access_bytes, .. } = *self;
        let aligned = match layout {
            SlotLayout::Packed | SlotLayout::Padded | SlotLayout::Spread => true,
            SlotLayout::Unaligned => false,
        };
        if aligned && access_bytes == Opcode::ATOMIC_BYTES {
            Ok(())
        } else {
            Err(SlotsError::UnfitForAtomics { access_bytes, layout })
        }
    }

    /// Whether an atomic can work at the beginning of each of them.
    ///
    /// # Errors
    /// [`SlotsError::UnfitForAtomicsWithin`] where it cannot.
    pub const fn check_atomics_within(&self) -> Result<(), SlotsError> {
        let Self { layout, access_bytes, base_bytes, stride_bytes, .. } = *self;
        let word = Opcode::ATOMIC_BYTES as u64;
        if base_bytes.is_multiple_of(word) && stride_bytes.is_multiple_of(word) {
            Ok(())
        } else {
            Err(SlotsError::UnfitForAtomicsWithin { access_bytes, layout })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atomics_within_longer_objects_need_those_to_begin_at_multiples_of_eight() {
        let check = |layout, access_bytes| {
            Slots::new(layout, access_bytes, 2).unwrap().check_atomics_within().is_ok()
        };
        assert!(check(SlotLayout::Packed, 64) && check(SlotLayout::Padded, 12));
        assert!(!check(SlotLayout::Packed, 12) && !check(SlotLayout::Unaligned, 64));
    }

    #[test]
    fn eight_packed_objects_of_eight_bytes_share_a_line_and_padded_ones_do_not() {
        let lines = |layout| {
            let slots = Slots::new(layout, 8, 8).unwrap();
            let line = |slot| slots.offset(slot) / LINE_BYTES;
            (0..8).map(line).collect::<std::collections::BTreeSet<_>>().len()
        };
        assert_eq!(lines(SlotLayout::Packed), 1);
        assert_eq!(lines(SlotLayout::Padded), 8);
    }

    #[test]
    fn an_unaligned_object_straddles_two_lines() {
        let slots = Slots::new(SlotLayout::Unaligned, 8, 8).unwrap();
        assert_eq!(slots.offset(0), 1);
        assert_eq!((slots.offset(7), slots.offset(7) + 7), (57, 64));
        assert_eq!(slots.region_bytes(), 65);
    }

    #[test]
    fn spread_objects_are_as_far_apart_as_the_working_set_lets_them() {
        let spread = |access_bytes, working_set_bytes, queue_pairs| {
            Slots::filling(SlotLayout::Spread, access_bytes, working_set_bytes, queue_pairs)
        };
        let offsets = |slots: Slots| (0..slots.count().get()).map(move |slot| slots.offset(slot));
        let pair = spread(8, 2 * 4096, 2).unwrap();
        assert!(offsets(pair).eq([0, 4096]) && pair.region_bytes() == 2 * 4096);
        assert!(offsets(spread(8, 100, 3).unwrap()).eq([0, 32, 64]));
        assert_eq!(spread(8, 24, 3).unwrap().stride_bytes(), 8);
        assert_eq!(spread(8, 1_000, 2).unwrap().check_atomics(), Ok(()));
        let refused = spread(8, 23, 3).unwrap_err().to_string();
        assert_eq!(
            refused,
            "a working set of 23 bytes does not hold a slot of 8 bytes for each of 3 queue pairs"
        );
        assert_eq!(spread(8, 64, 0), Err(SlotsError::NoSlots));
        assert_eq!(Slots::new(SlotLayout::Spread, 8, 2), Err(SlotsError::NothingToSpreadOver));
    }

    #[test]
    fn a_padded_object_of_100_bytes_takes_two_lines() {
        let slots = Slots::filling(SlotLayout::Padded, 100, 1_000, 1).unwrap();
        assert_eq!((slots.stride_bytes(), slots.count().get()), (128, 7));
        assert_eq!(slots.region_bytes(), 896);
    }

    #[test]
    fn atomics_are_refused_where_they_would_be_misaligned_or_of_another_size() {
        let check =
            |layout, access_bytes| Slots::new(layout, access_bytes, 2).unwrap().check_atomics();
        assert_eq!(check(SlotLayout::Packed, 8), Ok(()));
        assert_eq!(check(SlotLayout::Padded, 8), Ok(()));
        assert!(check(SlotLayout::Unaligned, 8).is_err());
        let refused = check(SlotLayout::Packed, 12).unwrap_err().to_string();
        assert_eq!(
            refused,
            "atomics need aligned slots of 8 bytes, and these are packed ones of 12"
        );
    }

    #[test]
    fn what_does_not_fit_is_refused_with_both_sizes() {
        assert_eq!(Slots::new(SlotLayout::Packed, 0, 1), Err(SlotsError::EmptyAccess));
        assert_eq!(Slots::new(SlotLayout::Packed, 8, 0), Err(SlotsError::NoSlots));
        let too_large = Slots::new(SlotLayout::Padded, 8, 1 << 60);
        assert_eq!(too_large, Err(SlotsError::TooLarge { count: 1 << 60, stride_bytes: 64 }));
        let refused = Slots::filling(SlotLayout::Padded, 8, 63, 1).unwrap_err().to_string();
        assert_eq!(refused, "a working set of 63 bytes does not hold one padded slot of 64 bytes");
        let fit = Slots::new(SlotLayout::Packed, 8, 8).unwrap().check_fit(63);
        assert_eq!(fit, Err(SlotsError::DoesNotFit { needed_bytes: 64, region_bytes: 63 }));
    }
}
