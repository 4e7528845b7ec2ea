//! The cheapest random numbers that pass for random.

use onesided_random::SplitMix64;

/// wyrand (Wang Yi, `wyhash`, public domain, 2019): a counter, and one multiplication that mixes
/// it.
///
/// The next state does not wait for the multiplication, so that a loop can have several draws
/// under way: xoshiro256**, which other generators here use, makes each draw wait for the last.
/// The period is 2^64.
#[derive(Clone, Debug)]
pub struct Draw(u64);

const INCREMENT: u64 = 0xa076_1d64_78bd_642f;
const MIX: u64 = 0xe703_7ed1_a0b4_28db;

/// Bits of a draw that choose the operation; the others choose the object.
const CHOICE_BITS: u32 = 24;

impl Draw {
    /// A sequence that depends on both numbers.
    pub const fn new(seed: u64, stream: u64) -> Self {
        let of_seed = SplitMix64::new(seed).next_bits();
        Self(SplitMix64::new(of_seed.wrapping_add(stream)).next_bits())
    }

    /// The next 64 bits.
    #[inline(always)]
    pub const fn next_bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(INCREMENT);
        let product = self.0 as u128 * (self.0 ^ MIX) as u128;
        (product >> 64) as u64 ^ product as u64
    }
}

/// A number below `bound` from the high bits of a draw: its share of 2^64, rounded down. With a
/// bound of at most 2^40 no number is likelier than another by more than one in 2^24, and the low
/// 24 bits stay free for [`chosen`].
#[inline(always)]
pub(super) const fn below(bits: u64, bound: u64) -> u64 {
    ((bits as u128 * bound as u128) >> 64) as u64
}

/// How many of the 2^24 values of a draw's low bits mean yes, for a probability of 0 to 1.
pub(super) fn threshold(probability: f64) -> u32 {
    (probability * f64::from(1_u32 << CHOICE_BITS)).round() as u32
}

/// Whether a draw means yes.
#[inline(always)]
pub(super) const fn chosen(bits: u64, threshold: u32) -> bool {
    (bits as u32) & ((1 << CHOICE_BITS) - 1) < threshold
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wyrand_gives_what_its_definition_gives_when_computed_by_halves() {
        // 64 x 64 bits by schoolbook multiplication of 32-bit halves.
        fn folded(a: u64, b: u64) -> u64 {
            let (ah, al, bh, bl) = (a >> 32, a & 0xffff_ffff, b >> 32, b & 0xffff_ffff);
            let (low, cross, other) = (al * bl, ah * bl, al * bh);
            let middle = (low >> 32) + (cross & 0xffff_ffff) + (other & 0xffff_ffff);
            let high = ah * bh + (cross >> 32) + (other >> 32) + (middle >> 32);
            high ^ (middle << 32 | low & 0xffff_ffff)
        }
        let mut draw = Draw(42);
        let mut state = 42_u64;
        for _ in 0..1000 {
            state = state.wrapping_add(0xa076_1d64_78bd_642f);
            assert_eq!(draw.next_bits(), folded(state, state ^ 0xe703_7ed1_a0b4_28db));
        }
    }

    #[test]
    fn the_ends_of_a_bound_and_of_a_probability_are_exact() {
        assert_eq!((below(0, 7), below(u64::MAX, 7)), (0, 6));
        assert_eq!((below(u64::MAX, 1), below(u64::MAX, 1 << 40)), (0, (1 << 40) - 1));
        assert!(!chosen(0, threshold(0.0)));
        assert!(chosen(u64::MAX, threshold(1.0)));
        assert_eq!(threshold(0.5), 1 << 23);
    }
}
