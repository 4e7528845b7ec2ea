//! Which objects are accessed.

mod zipf;

pub use zipf::Zipf;

use onesided_random::Random;

use crate::slots::Slots;

/// Which objects are accessed, by one queue pair or worker.
pub trait AddressPattern {
    /// Where the next object begins, in bytes from the start of the region.
    fn next_offset(&mut self) -> u64;
}

/// Always the same object: in the study's runs, each client its own.
#[derive(Clone, Copy, Debug)]
pub struct OwnSlot {
    offset: u64,
}

impl OwnSlot {
    /// The object with this index; absent where there are not so many.
    pub fn new(slots: &Slots, index: u64) -> Option<Self> {
        (index < slots.count().get()).then(|| Self { offset: slots.offset(index) })
    }
}

impl AddressPattern for OwnSlot {
    #[inline]
    fn next_offset(&mut self) -> u64 {
        self.offset
    }
}

/// One object after the other, and from the start again.
#[derive(Clone, Copy, Debug)]
pub struct Sequential {
    slots: Slots,
    next: u64,
}

impl Sequential {
    /// A walk from this object; absent where there are not so many.
    pub fn new(slots: Slots, start: u64) -> Option<Self> {
        (start < slots.count().get()).then_some(Self { slots, next: start })
    }
}

impl AddressPattern for Sequential {
    #[inline]
    fn next_offset(&mut self) -> u64 {
        let offset = self.slots.offset(self.next);
        self.next += 1;
        if self.next == self.slots.count().get() {
            self.next = 0;
        }
        offset
    }
}

/// Any object, each equally likely.
#[derive(Clone, Debug)]
pub struct Uniform {
    slots: Slots,
    random: Random,
}

impl Uniform {
    /// Draws from all of them.
    pub const fn new(slots: Slots, random: Random) -> Self {
        Self { slots, random }
    }
}

impl AddressPattern for Uniform {
    #[inline]
    fn next_offset(&mut self) -> u64 {
        self.slots.offset(self.random.below(self.slots.count()))
    }
}
