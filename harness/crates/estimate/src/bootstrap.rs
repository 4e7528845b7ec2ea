//! An interval for the mean of a series whose neighbours are alike.
//!
//! Moving blocks wrapped round a circle, so that the first and last values are drawn as often as
//! the others (Politis and Romano 1992, "A circular block-resampling procedure for stationary
//! data"). It assumes that the series is stationary: a run that changes its regime midway gets an
//! interval that means little.

use onesided_random::SplitMix64;

/// Resamples. Ours, because: the ends of the interval then move by about 2 % of its width from
/// seed to seed, which is below what replicates differ by.
const RESAMPLES: usize = 1000;

/// Share of resamples outside on each side: 95 % are inside.
const TAIL: f64 = 0.025;

/// The lower and upper end of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Length of blocks for a series of `length` values: 1.5 times its cube root, at least 3.
///
/// Ours, because: the cube root is the optimal order for a variance (Hall, Horowitz and Jing
/// 1995), and with windows of 10 ms three of them span the stalls of a scheduler.
pub fn block_length(length: usize) -> usize {
    // The least b with b >= 1.5 * length^(1/3), in whole numbers: libraries of mathematics differ
    // in the last digit of a cube root, and machines would in their blocks.
    let enough = |block: usize| 8 * (block as u128).pow(3) >= 27 * length as u128;
    let bits = usize::BITS - length.leading_zeros();
    // 1.5 * 2^(bits/3) and more.
    let mut outside = 0;
    let mut block = 2_usize << bits.div_ceil(3);
    while block - outside > 1 {
        let middle = outside + (block - outside) / 2;
        if enough(middle) { block = middle } else { outside = middle }
    }
    block.max(3)
}

/// The 95 % percentile interval of the mean of `series`.
///
/// Absent if the series is shorter than two blocks: then the draws are all but the same.
/// The same series and seed always give the same interval.
pub fn mean_interval(series: &[u64], seed: u64) -> Option<Interval> {
    let block = block_length(series.len());
    if series.len() < 2 * block {
        return None;
    }
    let circle = Circle::of(series, block);
    let mut random = SplitMix64::new(seed);
    let mut sums: Vec<u128> = (0..RESAMPLES).map(|_| circle.resampled_sum(&mut random)).collect();
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "both factors are small constants"
    )]
    let outside = (TAIL * RESAMPLES as f64) as usize;
    let mut mean_at = |rank: usize| ratio(*sums.select_nth_unstable(rank).1, series.len());
    Some(Interval { low: mean_at(outside), high: mean_at(RESAMPLES - 1 - outside) })
}

/// A series on a circle, so that the sum of any block is one subtraction.
struct Circle {
    length: usize,
    block: usize,
    /// Sums of the first values; a block beyond the end goes on at the start.
    sums: Vec<u128>,
}

impl Circle {
    fn of(series: &[u64], block: usize) -> Self {
        let around = series.iter().chain(&series[..block]);
        let sums = around.scan(0, |sum, &value| {
            *sum += u128::from(value);
            Some(*sum)
        });
        Self { length: series.len(), block, sums: std::iter::once(0).chain(sums).collect() }
    }

    fn resampled_sum(&self, random: &mut SplitMix64) -> u128 {
        let mut sum = 0;
        let mut left = self.length;
        while left > 0 {
            let start = below(self.length, random);
            let taken = self.block.min(left);
            sum += self.sums[start + taken] - self.sums[start];
            left -= taken;
        }
        sum
    }
}

/// `sum / count` in floating point.
#[expect(clippy::cast_precision_loss, reason = "a mean of counts needs no more than 53 bits")]
pub(crate) fn ratio(sum: u128, count: usize) -> f64 {
    sum as f64 / count as f64
}

/// A number from 0 to below `bound`; some are likelier by less than `bound` / 2^64.
fn below(bound: usize, random: &mut SplitMix64) -> usize {
    let product = u128::from(random.next_bits()) * bound as u128;
    usize::try_from(product >> 64).expect("below a usize")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn blocks_grow_with_the_cube_root() {
        assert_eq!([5, 27, 200, 1000].map(block_length), [3, 5, 9, 15]);
    }

    #[test]
    fn blocks_are_the_least_that_reach_one_and_a_half_cube_roots() {
        for length in (0..2000).chain([999_999, 1_000_000, 1_000_001, 1 << 40, usize::MAX]) {
            let block = block_length(length) as u128;
            let reaches = |block: u128| 8 * block.pow(3) >= 27 * length as u128;
            assert!(reaches(block) && (block == 3 || !reaches(block - 1)), "{length}: {block}");
        }
    }

    #[test]
    fn the_interval_of_a_series_and_a_seed_stays_the_same() {
        // Runs are seeded so that their tables can be made again, on any machine.
        let interval = mean_interval(&independent(200, 7), 42).unwrap();
        assert_eq!(interval, Interval { low: 1485.32, high: 1560.195 });
        let interval = mean_interval(&independent(31, 8), 43).unwrap();
        assert_eq!(
            interval,
            Interval { low: 1_412.580_645_161_290_2, high: 1_527.354_838_709_677_3 }
        );
    }

    #[test]
    fn values_whose_sum_needs_more_than_64_bits_have_the_interval_of_smaller_ones() {
        let small = independent(200, 7);
        let large: Vec<u64> = small.iter().map(|value| value << 50).collect();
        let (small, large) = (mean_interval(&small, 1).unwrap(), mean_interval(&large, 1).unwrap());
        let scale = 2_f64.powi(50);
        assert_eq!(large, Interval { low: small.low * scale, high: small.high * scale });
    }

    #[test]
    fn a_constant_series_has_an_interval_of_no_width() {
        assert_eq!(mean_interval(&[7; 50], 1), Some(Interval { low: 7.0, high: 7.0 }));
    }

    #[test]
    fn a_series_of_less_than_two_blocks_has_no_interval() {
        assert_eq!(mean_interval(&[1, 2, 3, 4, 5], 1), None);
        assert!(mean_interval(&[1, 2, 3, 4, 5, 6], 1).is_some());
        assert_eq!(mean_interval(&[], 1), None);
    }

    /// Independent values, uniform from 1000 to below 2000: mean 1499.5.
    fn independent(length: usize, seed: u64) -> Vec<u64> {
        let mut random = SplitMix64::new(seed);
        (0..length).map(|_| 1000 + below(1000, &mut random) as u64).collect()
    }

    #[test]
    fn the_interval_of_independent_values_holds_their_mean_about_as_often_as_it_says() {
        let trials = 400;
        let held = (0..trials)
            .filter(|&seed| {
                let interval = mean_interval(&independent(200, seed), seed).unwrap();
                (interval.low..=interval.high).contains(&1499.5)
            })
            .count();
        // 95 % of 400 are 380; blocks of a finite series are known to hold a little less often.
        assert!((360..=392).contains(&held), "{held} of {trials}");
    }

    #[test]
    fn the_interval_of_independent_values_is_as_wide_as_the_textbook_says() {
        // 2 · 1.96 · 1000/√12 / √200 = 80.0.
        let widths = (0..100).map(|seed| {
            let interval = mean_interval(&independent(200, seed), seed).unwrap();
            interval.high - interval.low
        });
        let mean = widths.sum::<f64>() / 100.0;
        assert!((72.0..84.0).contains(&mean), "{mean}");
    }

    #[test]
    fn alike_neighbours_widen_the_interval() {
        let values = independent(40, 3);
        let alike: Vec<u64> = values.iter().flat_map(|&value| [value; 5]).collect();
        let mixed: Vec<u64> = (0..200).map(|index| alike[index * 7 % 200]).collect();
        let width = |series: &[u64]| {
            let interval = mean_interval(series, 1).unwrap();
            interval.high - interval.low
        };
        assert!(width(&alike) > 1.4 * width(&mixed));
    }

    proptest! {
        #[test]
        fn an_interval_is_ordered_within_the_values_and_follows_from_the_seed(
            series in proptest::collection::vec(0_u64..1_000_000, 6..60), seed: u64
        ) {
            let Some(interval) = mean_interval(&series, seed) else { return Ok(()) };
            #[expect(clippy::cast_precision_loss, reason = "below a million")]
            let bound = |value: Option<&u64>| *value.unwrap() as f64;
            prop_assert!(interval.low <= interval.high);
            prop_assert!(bound(series.iter().min()) <= interval.low);
            prop_assert!(interval.high <= bound(series.iter().max()));
            prop_assert_eq!(Some(interval), mean_interval(&series, seed));
        }
    }
}
