//! Virtual time, in picoseconds.

use std::ops::{Add, AddAssign};

/// A moment of virtual time, in picoseconds from the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(pub u64);

/// A length of virtual time, in picoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(pub u64);

/// Picoseconds in a second: the units of [`onesided_load::Instant`] that generators are given.
pub const UNITS_PER_SECOND: u64 = 1_000_000_000_000;

impl Moment {
    /// Later than anything that a run reaches.
    pub(crate) const NEVER: Self = Self(u64::MAX);

    /// The same moment in nanoseconds, rounded down.
    pub const fn ns(self) -> u64 {
        self.0 / 1_000
    }

    /// How long `earlier` is ago; nothing if it is not earlier.
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Span {
    /// No time.
    pub const ZERO: Self = Self(0);

    /// A length in nanoseconds, to the nearest picosecond. What is negative or no number is nothing.
    pub fn of_ns(ns: f64) -> Self {
        Self((ns * 1_000.0).round() as u64)
    }

    /// The same length in nanoseconds.
    pub const fn ns(self) -> f64 {
        self.0 as f64 / 1_000.0
    }

    /// So many of it.
    pub const fn times(self, count: u64) -> Self {
        Self(self.0 * count)
    }
}

impl Add<Span> for Moment {
    type Output = Self;

    #[inline]
    fn add(self, span: Span) -> Self {
        Self(self.0 + span.0)
    }
}

impl Add for Span {
    type Output = Self;

    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign<Span> for Moment {
    #[inline]
    fn add_assign(&mut self, span: Span) {
        self.0 += span.0;
    }
}
