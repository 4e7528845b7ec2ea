//! The emulated time of a packet on the fabric.
//!
//! A packet carries when it was sent, and its receiver leaves it where it is until the delay of a
//! hop has passed since. What the machine itself takes, from core to core, comes on top.

use std::time::Duration;

use onesided_measure::{Clock, ClockError};

/// Ticks of the clock to one unit of a stamp, as a shift.
const UNIT: u32 = 4;

/// Bits of a stamp.
const BITS: u32 = 24;

/// When a packet was sent: the low bits of the clock, in units of 16 ticks. Zero without a delay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(pub u32);

impl Stamp {
    /// From the bits of a header's first word that hold it.
    pub fn of_header(first: u64) -> Self {
        Self((first >> 40) as u32)
    }
}

/// Tenths of a delay that are one: as distances of NUMA nodes are told, 10 being that of a node to itself
/// (ACPI, SLIT).
pub const TENTHS: u32 = 10;

/// How long packets take between two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hop(u32);

/// The delay of a hop of a fabric.
#[derive(Clone, Copy, Debug)]
pub struct HopDelay {
    asked: Duration,
    emulated: Option<(Clock, u32)>,
}

impl HopDelay {
    /// Longest delay. Ours: a stamp of 24 bits returns after some 90 ms, and a packet that is not
    /// looked at for so long is held once more.
    pub const LONGEST: Duration = Duration::from_millis(1);

    /// A delay; none is no delay, and costs nothing.
    ///
    /// # Errors
    /// When the machine has no usable clock.
    pub fn new(asked: Duration) -> Result<Self, ClockError> {
        if asked.is_zero() {
            return Ok(Self { asked, emulated: None });
        }
        let clock = Clock::calibrate()?;
        let units = (clock.ticks_of(asked) >> UNIT).max(1);
        Ok(Self { asked, emulated: Some((clock, units as u32)) })
    }

    /// A hop that is so many tenths of the delay, in units of a stamp.
    pub fn hop(&self, tenths: u32) -> Hop {
        let units = self.emulated.as_ref().map_or(0, |(_, units)| u64::from(*units));
        // More than half of what a stamp counts to could not be told from less.
        Hop((units * u64::from(tenths) / u64::from(TENTHS)).min(1 << (BITS - 1)) as u32)
    }

    /// In nanoseconds.
    pub fn nanoseconds(&self) -> u64 {
        self.asked.as_nanos() as u64
    }

    /// The stamp of a packet that is sent now.
    #[inline]
    pub fn stamp(&self) -> Stamp {
        match &self.emulated {
            None => Stamp(0),
            Some((clock, _)) => Stamp((clock.now().0 >> UNIT) as u32 & ((1 << BITS) - 1)),
        }
    }

    /// Whether a packet has arrived by that hop.
    #[inline]
    pub fn has_passed(&self, since: Stamp, hop: Hop) -> bool {
        match &self.emulated {
            None => true,
            Some(_) => self.stamp().0.wrapping_sub(since.0) & ((1 << BITS) - 1) >= hop.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_delay_has_always_passed() {
        let none = HopDelay::new(Duration::ZERO).unwrap();
        assert!(none.has_passed(none.stamp(), none.hop(TENTHS)));
        assert_eq!(none.nanoseconds(), 0);
    }

    #[test]
    fn a_hop_is_as_many_tenths_of_the_delay_and_never_too_long_for_a_stamp() {
        let delay = HopDelay::new(HopDelay::LONGEST).unwrap();
        let units = delay.emulated.expect("there is a delay").1;
        assert_eq!(
            [10, 21, 255].map(|tenths| delay.hop(tenths)),
            [
                Hop(units),
                Hop((u64::from(units) * 21 / 10) as u32),
                Hop((u64::from(units) * 255 / 10) as u32)
            ]
        );
        assert_eq!(delay.hop(u32::MAX), Hop(1 << (BITS - 1)));
    }

    #[test]
    fn a_delay_passes_when_its_time_has() {
        let delay = HopDelay::new(Duration::from_micros(300)).unwrap();
        for (tenths, least) in [(TENTHS, 250), (5 * TENTHS, 1_250)] {
            let (hop, least) = (delay.hop(tenths), Duration::from_micros(least));
            let start = std::time::Instant::now();
            let sent = delay.stamp();
            assert!(!delay.has_passed(sent, hop) || start.elapsed() > least);
            while !delay.has_passed(sent, hop) {
                assert!(start.elapsed() < Duration::from_secs(5), "it never passes");
            }
            assert!(start.elapsed() >= least, "{:?}", start.elapsed());
        }
    }
}
