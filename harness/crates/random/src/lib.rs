//! Random numbers that are the same everywhere, given a seed.

use std::num::NonZeroU64;

/// Vigna's SplitMix64, the generator that his others are seeded with
/// (Steele, Lea, Flood 2014, doi:10.1145/2714064.2660195).
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Starts at `seed`; any will do.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    #[inline]
    pub const fn next_bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is 1 or more; some are likelier by less than `bound` / 2^64.
    #[inline]
    pub const fn below(&mut self, bound: usize) -> usize {
        (self.next_bits() % bound as u64) as usize
    }
}

/// xoshiro256** (Blackman, Vigna 2021, doi:10.1145/3460772).
#[derive(Clone, Debug)]
pub struct Random([u64; 4]);

/// 2^-53, the distance of neighbours among the fractions drawn.
const FRACTION: f64 = 1.0 / (1_u64 << 53) as f64;

impl Random {
    /// A sequence that depends on both numbers. Streams of one seed are unrelated; so are equal
    /// streams of different seeds.
    pub const fn new(seed: u64, stream: u64) -> Self {
        let of_seed = SplitMix64::new(seed).next_bits();
        let mut states = SplitMix64::new(of_seed.wrapping_add(stream));
        Self([states.next_bits(), states.next_bits(), states.next_bits(), states.next_bits()])
    }

    /// The next 64 bits.
    #[inline]
    pub const fn next_bits(&mut self) -> u64 {
        let [first, second, third, fourth] = &mut self.0;
        let bits = second.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = *second << 17;
        *third ^= *first;
        *fourth ^= *second;
        *second ^= *third;
        *first ^= *fourth;
        *third ^= shifted;
        *fourth = fourth.rotate_left(45);
        bits
    }

    /// A fraction in [0, 1), a multiple of 2^-53.
    #[inline]
    pub const fn below_one(&mut self) -> f64 {
        (self.next_bits() >> 11) as f64 * FRACTION
    }

    /// A fraction in (0, 1], a multiple of 2^-53: has a logarithm.
    #[inline]
    pub const fn above_zero(&mut self) -> f64 {
        ((self.next_bits() >> 11) + 1) as f64 * FRACTION
    }

    /// A whole number below `bound`, each equally likely (Lemire 2019, doi:10.1145/3230636).
    #[inline]
    pub const fn below(&mut self, bound: NonZeroU64) -> u64 {
        let bound = bound.get();
        let mut product = self.next_bits() as u128 * bound as u128;
        if (product as u64) < bound {
            // Of the 2^64 low halves, this many belong to numbers that would come once too often.
            let surplus = bound.wrapping_neg() % bound;
            while (product as u64) < surplus {
                product = self.next_bits() as u128 * bound as u128;
            }
        }
        (product >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix64_gives_the_reference_sequence_of_seed_1234567() {
        let mut generator = SplitMix64::new(1_234_567);
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        assert_eq!([(); 5].map(|()| generator.next_bits()), expected);
    }

    #[test]
    fn xoshiro256_star_star_gives_the_reference_sequence_of_state_1_2_3_4() {
        let mut generator = Random([1, 2, 3, 4]);
        let expected = [
            11_520,
            0,
            1_509_978_240,
            1_215_971_899_390_074_240,
            1_216_172_134_540_287_360,
            607_988_272_756_665_600,
            16_172_922_978_634_559_625,
            8_476_171_486_693_032_832,
            10_595_114_339_597_558_777,
            2_904_607_092_377_533_576,
        ];
        assert_eq!([(); 10].map(|()| generator.next_bits()), expected);
    }

    #[test]
    fn another_seed_or_another_stream_is_another_sequence() {
        let first = |seed, stream| Random::new(seed, stream).next_bits();
        let drawn = [first(0, 0), first(0, 1), first(1, 0), first(1, 1)];
        let distinct: std::collections::BTreeSet<_> = drawn.into_iter().collect();
        assert_eq!(distinct.len(), 4);
        assert_eq!(first(3, 4), first(3, 4));
    }

    #[test]
    fn a_bound_of_three_quarters_of_the_range_is_drawn_without_bias() {
        // Without rejection, four draws would make three numbers, and every third come twice.
        let bound = NonZeroU64::new(3 << 62).unwrap();
        let mut random = Random::new(5, 0);
        let thirds = (0..30_000).filter(|_| random.below(bound).is_multiple_of(3)).count();
        // Five standard deviations: 5 × sqrt(30 000 × 2/9) = 408.
        assert!(thirds.abs_diff(10_000) < 408, "{thirds}");
    }

    #[test]
    fn fractions_include_the_end_that_they_say() {
        let mut zeros = Random([0; 4]);
        assert_eq!(zeros.below_one(), 0.0);
        assert_eq!(zeros.above_zero(), FRACTION);
        assert!(((u64::MAX >> 11) as f64 * FRACTION) < 1.0);
        assert_eq!(((u64::MAX >> 11) + 1) as f64 * FRACTION, 1.0);
    }
}
