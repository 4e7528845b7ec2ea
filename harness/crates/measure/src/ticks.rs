//! Readings of a tick counter, and how long a tick is.

use std::time::Duration;

const NANOSECONDS_PER_SECOND: u128 = 1_000_000_000;

/// Fraction bits of [`TickRate`]'s multiplier. 48 leave 16 bits for whole nanoseconds in a tick,
/// and make the relative error of a conversion 2^-47 at 4 GHz: one nanosecond in 39 hours.
const FRACTION_BITS: u32 = 48;

/// One reading of a tick counter. Comparable among threads of one machine while the counter is
/// synchronous across its CPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticks(pub u64);

impl Ticks {
    /// Ticks from `earlier` to this reading; absent where `earlier` is later.
    #[inline(always)]
    pub const fn checked_since(self, earlier: Self) -> Option<u64> {
        self.0.checked_sub(earlier.0)
    }

    /// The reading `ticks` later; absent beyond the counter's range.
    #[inline(always)]
    pub const fn checked_add(self, ticks: u64) -> Option<Self> {
        match self.0.checked_add(ticks) {
            Some(later) => Some(Self(later)),
            None => None,
        }
    }
}

/// How fast a counter counts, with the conversions that follow from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TickRate {
    frequency_hz: u64,
    /// Nanoseconds per tick × 2^[`FRACTION_BITS`].
    multiplier: u64,
}

impl TickRate {
    /// Ticks that are nanoseconds, as in virtual time.
    pub const NANOSECONDS: Self =
        Self { frequency_hz: 1_000_000_000, multiplier: 1 << FRACTION_BITS };

    /// The slowest counter whose tick is representable: 16 kHz.
    pub const LOWEST_HZ: u64 = 16_000;
    /// The fastest counter offered: 100 GHz; ours, because no CPU counts faster.
    pub const HIGHEST_HZ: u64 = 100_000_000_000;

    /// The rate of a counter; absent outside [`TickRate::LOWEST_HZ`] to [`TickRate::HIGHEST_HZ`].
    pub fn from_hz(frequency_hz: u64) -> Option<Self> {
        if !(Self::LOWEST_HZ..=Self::HIGHEST_HZ).contains(&frequency_hz) {
            return None;
        }
        let hertz = u128::from(frequency_hz);
        let multiplier = ((NANOSECONDS_PER_SECOND << FRACTION_BITS) + hertz / 2) / hertz;
        Some(Self { frequency_hz, multiplier: u64::try_from(multiplier).ok()? })
    }

    /// Ticks in a second.
    pub const fn frequency_hz(self) -> u64 {
        self.frequency_hz
    }

    /// A difference of readings in nanoseconds, to the nearest. Saturates beyond 584 years.
    #[inline(always)]
    pub const fn nanoseconds(self, ticks: u64) -> u64 {
        let product = ticks as u128 * self.multiplier as u128 + (1 << (FRACTION_BITS - 1));
        let nanoseconds = product >> FRACTION_BITS;
        if nanoseconds > u64::MAX as u128 { u64::MAX } else { nanoseconds as u64 }
    }

    /// Ticks in a duration, to the nearest. Saturates.
    pub fn ticks_of(self, duration: Duration) -> u64 {
        self.ticks_of_nanoseconds(duration.as_nanos())
    }

    /// Ticks in a number of nanoseconds, to the nearest. Saturates.
    pub(crate) fn ticks_of_nanoseconds(self, nanoseconds: u128) -> u64 {
        let ticks = nanoseconds
            .checked_mul(u128::from(self.frequency_hz))
            .map(|product| (product + NANOSECONDS_PER_SECOND / 2) / NANOSECONDS_PER_SECOND);
        ticks.and_then(|ticks| u64::try_from(ticks).ok()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_difference_against_a_later_reading_is_absent_and_not_huge() {
        assert_eq!(Ticks(10).checked_since(Ticks(3)), Some(7));
        assert_eq!(Ticks(3).checked_since(Ticks(10)), None);
        assert_eq!(Ticks(u64::MAX).checked_add(1), None);
    }

    #[test]
    fn at_2_500_000_000_hz_a_tick_is_two_fifths_of_a_nanosecond() {
        let rate = TickRate::from_hz(2_500_000_000).unwrap();
        assert_eq!(rate.nanoseconds(5), 2);
        assert_eq!(rate.nanoseconds(1), 0);
        assert_eq!(rate.nanoseconds(2), 1);
        assert_eq!(rate.nanoseconds(2_500_000_000 * 3_600), 3_600_000_000_000);
        assert_eq!(rate.ticks_of(Duration::from_millis(10)), 25_000_000);
    }

    #[test]
    fn frequencies_that_no_counter_has_are_refused() {
        assert_eq!(TickRate::from_hz(0), None);
        assert_eq!(TickRate::from_hz(TickRate::LOWEST_HZ - 1), None);
        assert_eq!(TickRate::from_hz(TickRate::HIGHEST_HZ + 1), None);
        assert_eq!(TickRate::from_hz(1_000_000_000), Some(TickRate::NANOSECONDS));
    }

    proptest! {
        #[test]
        fn multiply_and_shift_is_within_a_nanosecond_of_exact_division_for_an_hour(
            frequency_hz in 1_000_000_u64..10_000_000_000,
            seconds in 0.0_f64..3_600.0,
        ) {
            let rate = TickRate::from_hz(frequency_hz).unwrap();
            let ticks = (frequency_hz as f64 * seconds) as u64;
            let exact = u128::from(ticks) * NANOSECONDS_PER_SECOND / u128::from(frequency_hz);
            prop_assert!(rate.nanoseconds(ticks).abs_diff(exact as u64) <= 1);
        }

        #[test]
        fn a_longer_difference_is_never_fewer_nanoseconds(
            frequency_hz in TickRate::LOWEST_HZ..=TickRate::HIGHEST_HZ,
            one in any::<u64>(),
            other in any::<u64>(),
        ) {
            let rate = TickRate::from_hz(frequency_hz).unwrap();
            let (less, more) = (one.min(other), one.max(other));
            prop_assert!(rate.nanoseconds(less) <= rate.nanoseconds(more));
        }

        #[test]
        fn ticks_of_a_duration_convert_back_to_it(
            frequency_hz in 1_000_000_000_u64..10_000_000_000,
            nanoseconds in 0_u64..3_600_000_000_000,
        ) {
            let rate = TickRate::from_hz(frequency_hz).unwrap();
            let ticks = rate.ticks_of(Duration::from_nanos(nanoseconds));
            prop_assert!(rate.nanoseconds(ticks).abs_diff(nanoseconds) <= 1);
        }
    }
}
