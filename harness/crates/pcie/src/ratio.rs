//! Exact fractions.

use std::{cmp::Ordering, ops::Add};

/// A fraction of whole numbers that are not negative, in lowest terms.
///
/// Numerators and denominators of this crate stay far below 2^64, so that sums, products and
/// comparisons in 128 bits do not overflow; where one would, it panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ratio {
    numerator: u128,
    denominator: u128,
}

impl Ratio {
    /// Nothing.
    pub const ZERO: Self = Self { numerator: 0, denominator: 1 };

    /// `numerator` over `denominator`.
    ///
    /// # Panics
    /// When `denominator` is 0.
    pub fn new(numerator: u128, denominator: u128) -> Self {
        assert!(denominator != 0, "a fraction over 0");
        let divisor = greatest_common_divisor(numerator, denominator);
        Self { numerator: numerator / divisor, denominator: denominator / divisor }
    }

    /// The number above, and that below.
    pub const fn parts(self) -> (u128, u128) {
        (self.numerator, self.denominator)
    }

    /// Whether it is 0.
    pub const fn is_zero(self) -> bool {
        self.numerator == 0
    }

    /// One over it; absent of 0.
    pub fn inverse(self) -> Option<Self> {
        (!self.is_zero())
            .then_some(Self { numerator: self.denominator, denominator: self.numerator })
    }

    /// So many times it.
    pub fn times(self, factor: u128) -> Self {
        Self::new(self.numerator * factor, self.denominator)
    }

    /// The largest whole number that is not above it.
    pub const fn floor(self) -> u128 {
        self.numerator / self.denominator
    }

    /// The nearest floating-point number, for printing.
    pub fn to_f64(self) -> f64 {
        self.numerator as f64 / self.denominator as f64
    }
}

impl From<u64> for Ratio {
    fn from(number: u64) -> Self {
        Self { numerator: number.into(), denominator: 1 }
    }
}

impl Add for Ratio {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let numerator = self.numerator * other.denominator + other.numerator * self.denominator;
        Self::new(numerator, self.denominator * other.denominator)
    }
}

impl Ord for Ratio {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.numerator * other.denominator).cmp(&(other.numerator * self.denominator))
    }
}

impl PartialOrd for Ratio {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

fn greatest_common_divisor(mut one: u128, mut other: u128) -> u128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fractions_are_in_lowest_terms_and_add_up_exactly() {
        assert_eq!(Ratio::new(34, 16).parts(), (17, 8));
        assert_eq!(Ratio::new(1, 3) + Ratio::new(1, 6), Ratio::new(1, 2));
        assert_eq!(Ratio::new(0, 7), Ratio::ZERO);
        assert!(Ratio::new(1, 3) < Ratio::new(34, 100));
        assert_eq!(Ratio::new(10, 4).floor(), 2);
        assert_eq!(Ratio::ZERO.inverse(), None);
    }
}
