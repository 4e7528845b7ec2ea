//! Which operation is asked for.

use onesided_random::Random;

use crate::generator::PostedOperation;

/// Which operation is asked for, on one queue pair.
pub trait Mix {
    /// The next operation.
    fn next_operation(&mut self) -> PostedOperation;
}

/// Always the same operation.
#[derive(Clone, Copy, Debug)]
pub struct Single(pub PostedOperation);

impl Mix for Single {
    #[inline]
    fn next_operation(&mut self) -> PostedOperation {
        self.0
    }
}

/// Reads and one other operation, each drawn independently.
#[derive(Clone, Debug)]
pub struct ReadOr {
    other: PostedOperation,
    fraction: f64,
    random: Random,
}

impl ReadOr {
    /// `other` with this probability; absent where it is not within 0 to 1.
    pub fn new(other: PostedOperation, fraction: f64, random: Random) -> Option<Self> {
        (0.0..=1.0).contains(&fraction).then_some(Self { other, fraction, random })
    }
}

impl Mix for ReadOr {
    #[inline]
    fn next_operation(&mut self) -> PostedOperation {
        if self.random.below_one() < self.fraction { self.other } else { PostedOperation::Read }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writes(write_fraction: f64, draws: u32) -> u32 {
        let other = PostedOperation::Write;
        let mut mix = ReadOr::new(other, write_fraction, Random::new(1, 2)).unwrap();
        let is_write = |_: &u32| mix.next_operation() == other;
        (0..draws).filter(is_write).count() as u32
    }

    #[test]
    fn what_is_drawn_does_not_depend_on_the_other_operation() {
        let drawn = |other| {
            let mut mix = ReadOr::new(other, 0.4, Random::new(7, 0)).unwrap();
            (0..1_000).map(|_| mix.next_operation() == other).collect::<Vec<_>>()
        };
        assert_eq!(drawn(PostedOperation::Write), drawn(PostedOperation::FetchAndAdd));
    }

    #[test]
    fn nine_to_one_is_nine_to_one() {
        const DRAWS: u32 = 100_000;
        // Five standard deviations of the binomial distribution: 5 × sqrt(n × 0.9 × 0.1) = 474.
        assert!(writes(0.9, DRAWS).abs_diff(90_000) < 474);
    }

    #[test]
    fn the_ends_are_exact() {
        assert_eq!(writes(0.0, 10_000), 0);
        assert_eq!(writes(1.0, 10_000), 10_000);
    }

    #[test]
    fn what_is_not_a_fraction_is_refused() {
        for fraction in [-0.1, 1.1, 90.0, f64::NAN] {
            let other = PostedOperation::FetchAndAdd;
            assert!(ReadOr::new(other, fraction, Random::new(0, 0)).is_none(), "{fraction}");
        }
    }
}
