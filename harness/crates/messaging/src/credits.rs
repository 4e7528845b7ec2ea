//! What a receiver tells its sender: the credits of the ring and of the outbox.
//!
//! Both are counts from the beginning, so that telling once more is harmless and the newest word
//! is all there is to know. They travel with each message of the other direction, and by
//! themselves in a word of their own, which takes no place in a ring: a full ring never keeps back
//! what would empty the other. Of two counts of which only the lower bytes are new, none is ahead of
//! what is true.

/// Bits of each count.
pub const COUNT_BITS: u32 = 28;

const MASK: u64 = (1 << COUNT_BITS) - 1;

/// Lines of the ring that were used, and of the outbox that were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Credits {
    /// Lines of the ring.
    pub consumed: u64,
    /// Lines of the outbox.
    pub released: u64,
}

impl Credits {
    /// As 56 bits.
    #[inline]
    pub fn bits(self) -> u64 {
        self.consumed & MASK | (self.released & MASK) << COUNT_BITS
    }

    /// Takes news into account; what is older than what is known changes nothing.
    #[inline]
    pub fn update(&mut self, bits: u64) {
        self.consumed = later(self.consumed, bits & MASK);
        self.released = later(self.released, bits >> COUNT_BITS & MASK);
    }
}

/// The count that is not before `known` and has these low bits, or `known` where that is too far.
#[inline]
pub fn later(known: u64, low: u64) -> u64 {
    let ahead = low.wrapping_sub(known) & MASK;
    if ahead < 1 << (COUNT_BITS - 1) { known + ahead } else { known }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn news_are_heard_in_any_order_and_over_the_end_of_the_bits() {
        let mut known = Credits::default();
        let mut told = Credits::default();
        for step in 0..5_000 {
            let before = told;
            told.consumed += 100_003 * (step % 3);
            told.released += 90_001;
            known.update(told.bits());
            assert_eq!(known, told);
            known.update(before.bits());
            assert_eq!(known, told, "what is older changes nothing");
        }
        assert!(told.released > 1 << COUNT_BITS);
    }
}
