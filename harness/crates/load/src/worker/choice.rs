//! What is done to an object.

use super::{
    AccessKind, Direction,
    draw::{chosen, threshold},
};

/// What is done to an object, by one worker.
pub trait Choice {
    /// What all accesses are.
    const KIND: AccessKind;

    /// The direction of one, given random bits.
    fn of(&self, bits: u64) -> Direction;
}

macro_rules! always {
    ($($(#[$doc:meta])* $name:ident = $kind:ident, $direction:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Choice for $name {
            const KIND: AccessKind = AccessKind::$kind;

            #[inline(always)]
            fn of(&self, _bits: u64) -> Direction {
                Direction::$direction
            }
        }
    )*};
}

always! {
    /// Only loads.
    Reads = Reads, Read;
    /// Only stores.
    Writes = Writes, Write;
    /// Only compare-and-swap.
    Swaps = CompareAndSwap, Write;
    /// Only fetch-and-add.
    Additions = FetchAndAdd, Write;
}

/// Loads and stores, drawn independently.
#[derive(Clone, Copy, Debug)]
pub struct ReadsAndWrites {
    threshold: u32,
}

impl ReadsAndWrites {
    /// Stores with this probability; absent where it is not within 0 to 1.
    pub fn new(write_fraction: f64) -> Option<Self> {
        let is_fraction = (0.0..=1.0).contains(&write_fraction);
        is_fraction.then(|| Self { threshold: threshold(write_fraction) })
    }
}

impl Choice for ReadsAndWrites {
    const KIND: AccessKind = AccessKind::Mixed;

    #[inline(always)]
    fn of(&self, bits: u64) -> Direction {
        if chosen(bits, self.threshold) { Direction::Write } else { Direction::Read }
    }
}
