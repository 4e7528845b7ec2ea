//! Few objects often, many seldom.

use onesided_random::Random;

use super::AddressPattern;
use crate::slots::Slots;

/// Object k of n, counted from 1, with a probability proportional to k^-s.
///
/// Rank is position: the popular objects lie together at the start of the region and, where they
/// are packed, share cache lines. All queue pairs agree on which they are.
///
/// Draws by rejection-inversion (Hörmann, Derflinger 1996, doi:10.1145/235025.235029) in constant
/// time and memory: a point under the integral of x^-s is inverted, rounded to a whole rank, and
/// refused where it lies above that rank's bar of the histogram. Ranks are exact up to 2^53.
#[derive(Clone, Debug)]
pub struct Zipf {
    slots: Slots,
    random: Random,
    exponent: f64,
    /// Integral at the left end of the range: the bar of rank 1 begins here.
    lowest: f64,
    /// Integral at the right end, n + 1/2.
    highest: f64,
    /// A point so close left of its rank is under the bar for every rank from 2 on; for rank 1
    /// there is no other.
    squeeze: f64,
}

impl Zipf {
    /// Draws from all of the objects; absent where the exponent is not above 0 and finite.
    pub fn new(slots: Slots, exponent: f64, random: Random) -> Option<Self> {
        if !(exponent > 0.0 && exponent.is_finite()) {
            return None;
        }
        let count = slots.count().get() as f64;
        Some(Self {
            slots,
            random,
            exponent,
            lowest: integral(1.5, exponent) - 1.0,
            highest: integral(count + 0.5, exponent),
            squeeze: 2.0
                - inverse_integral(integral(2.5, exponent) - density(2.0, exponent), exponent),
        })
    }

    /// A rank from 1 to n.
    #[inline]
    fn rank(&mut self) -> u64 {
        let exponent = self.exponent;
        loop {
            let area = self.highest + self.random.below_one() * (self.lowest - self.highest);
            let point = inverse_integral(area, exponent);
            // The conversion saturates: rounding may leave the range by one on either side.
            let rank = ((point + 0.5) as u64).clamp(1, self.slots.count().get());
            let middle = rank as f64;
            if middle - point <= self.squeeze
                || area >= integral(middle + 0.5, exponent) - density(middle, exponent)
            {
                return rank;
            }
        }
    }
}

impl AddressPattern for Zipf {
    #[inline]
    fn next_offset(&mut self) -> u64 {
        let rank = self.rank();
        self.slots.offset(rank - 1)
    }
}

/// x^-s.
#[inline]
fn density(x: f64, exponent: f64) -> f64 {
    (-exponent * x.ln()).exp()
}

/// An integral of x^-s that is 0 at 1: (x^(1-s) - 1) / (1-s), which is ln x at s = 1.
#[inline]
fn integral(x: f64, exponent: f64) -> f64 {
    let logarithm = x.ln();
    logarithm * expm1_over((1.0 - exponent) * logarithm)
}

/// The x of which [`integral`] is `area`.
#[inline]
fn inverse_integral(area: f64, exponent: f64) -> f64 {
    // Left of -1 there is no such x; rounding alone leads there.
    let scaled = (area * (1.0 - exponent)).max(-1.0);
    (area * ln_1p_over(scaled)).exp()
}

/// (e^t - 1) / t, which tends to 1 at 0.
#[inline]
fn expm1_over(t: f64) -> f64 {
    if t.abs() > 1e-8 { t.exp_m1() / t } else { 1.0 + t / 2.0 }
}

/// ln(1 + t) / t, which tends to 1 at 0.
#[inline]
fn ln_1p_over(t: f64) -> f64 {
    if t.abs() > 1e-8 { t.ln_1p() / t } else { 1.0 - t / 2.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SlotLayout;

    fn zipf(count: u64, exponent: f64) -> Zipf {
        let slots = Slots::new(SlotLayout::Packed, 8, count).unwrap();
        Zipf::new(slots, exponent, Random::new(11, 0)).unwrap()
    }

    #[test]
    fn frequencies_follow_the_law_below_at_and_above_exponent_one() {
        const COUNT: u64 = 40;
        const DRAWS: u32 = 200_000;
        for exponent in [0.1, 0.5, 0.99, 1.0, 1.000_000_001, 1.3, 3.0] {
            let mut zipf = zipf(COUNT, exponent);
            let mut seen = [0_u32; COUNT as usize];
            (0..DRAWS).for_each(|_| seen[zipf.rank() as usize - 1] += 1);
            let weight = |rank: usize| (rank as f64).powf(-exponent);
            let total: f64 = (1..=COUNT as usize).map(weight).sum();
            let term = |(index, &count): (usize, &u32)| {
                let expected = f64::from(DRAWS) * weight(index + 1) / total;
                (f64::from(count) - expected).powi(2) / expected
            };
            let chi_square: f64 = seen.iter().enumerate().map(term).sum();
            // 39 degrees of freedom: the 0.1 % and 99.9 % points.
            assert!((16.3..72.1).contains(&chi_square), "{exponent}: {chi_square}");
        }
    }

    #[test]
    fn the_inverse_of_the_integral_is_its_inverse() {
        for exponent in [0.2, 0.99, 1.0, 1.01, 2.5] {
            for x in [0.6, 1.0, 1.5, 10.0, 1e4] {
                let back = inverse_integral(integral(x, exponent), exponent);
                assert!((back / x - 1.0).abs() < 1e-6, "{exponent} {x}: {back}");
            }
        }
    }

    #[test]
    fn one_object_is_always_drawn_and_a_trillion_stay_in_range() {
        let mut single = zipf(1, 0.99);
        assert!((0..1_000).all(|_| single.rank() == 1));
        let count = 1 << 40;
        let mut many = zipf(count, 0.5);
        let largest = (0..10_000).map(|_| many.rank()).max().unwrap();
        assert!((count / 2..=count).contains(&largest), "{largest}");
    }

    #[test]
    fn exponents_without_a_distribution_are_refused() {
        let slots = Slots::new(SlotLayout::Packed, 8, 10).unwrap();
        for exponent in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Zipf::new(slots, exponent, Random::new(0, 0)).is_none(), "{exponent}");
        }
    }
}
