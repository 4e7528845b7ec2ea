//! What was counted, after a run.

use std::{cmp::Ordering, iter::Peekable};

use crate::ticks::Ticks;

/// What one thread counted, by its queue pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadCounts {
    /// Start of the first window.
    pub t0: Ticks,
    /// Length of a window.
    pub window_ns: u64,
    /// In the thread's own order.
    pub queue_pairs: Vec<QueuePairCounts>,
}

/// What was counted on one queue pair.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuePairCounts {
    /// Operations completed in each window from the common start.
    pub windows: Vec<u64>,
    /// Operations completed before the first window.
    pub before_start: u64,
    /// Operations completed after the last window.
    pub after_end: u64,
    /// Latencies of the operations that were timed, whichever window they completed in.
    pub latency: LatencyCounts,
}

impl QueuePairCounts {
    /// Operations completed within the windows.
    pub fn operations_in_windows(&self) -> u64 {
        self.windows.iter().sum()
    }

    /// Operations completed, whenever.
    pub fn operations(&self) -> u64 {
        self.before_start + self.operations_in_windows() + self.after_end
    }
}

/// One bucket of a latency histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Smallest latency in it.
    pub lowest_ns: u64,
    /// Largest latency in it.
    pub highest_ns: u64,
    /// How many samples.
    pub count: u64,
}

/// A distribution of latencies: histogram, and exact sums beside it.
///
/// A saturated sample enters the histogram and the sums as [`crate::HIGHEST_LATENCY_NS`], so that
/// mean and deviation are lower bounds while [`LatencyCounts::saturated`] is not 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LatencyCounts {
    /// The buckets that are not empty, ascending.
    pub buckets: Vec<Bucket>,
    /// How many samples, saturated ones included.
    pub samples: u64,
    /// How many samples were longer than [`crate::HIGHEST_LATENCY_NS`].
    pub saturated: u64,
    /// Shortest sample, exactly; absent without samples.
    pub min_ns: Option<u64>,
    /// Longest sample, exactly and even if saturated; absent without samples.
    pub max_ns: Option<u64>,
    /// Sum of the samples.
    pub sum_ns: u128,
    /// Sum of the samples' squares.
    pub sum_of_squares_ns2: u128,
}

impl LatencyCounts {
    /// Arithmetic mean; absent without samples.
    pub fn mean_ns(&self) -> Option<f64> {
        let (quotient, remainder) = self.whole_mean()?;
        Some(quotient as f64 + remainder as f64 / self.samples as f64)
    }

    /// Standard deviation of the samples, divisor n; absent without samples.
    ///
    /// The squares are taken around the mean's whole part, in integers, so that nothing cancels.
    pub fn population_sd_ns(&self) -> Option<f64> {
        let (quotient, remainder) = self.whole_mean()?;
        let samples = u128::from(self.samples);
        let around_quotient =
            self.sum_of_squares_ns2 - samples * quotient * quotient - 2 * quotient * remainder;
        let fraction = remainder as f64 / self.samples as f64;
        let variance = around_quotient as f64 / self.samples as f64 - fraction * fraction;
        Some(variance.max(0.0).sqrt())
    }

    /// Standard error of the mean, `population_sd_ns / sqrt(samples)`, as if samples were
    /// independent; absent without samples.
    ///
    /// Named, because the study's code prints this one as the deviation.
    pub fn standard_error_ns(&self) -> Option<f64> {
        self.population_sd_ns().map(|deviation| deviation / (self.samples as f64).sqrt())
    }

    /// The smallest latency that at least a fraction `q` of the samples do not exceed, as its
    /// bucket's upper end but no more than the longest sample; absent without samples.
    ///
    /// # Panics
    /// When `q` is not within 0 to 1.
    pub fn quantile_ns(&self, q: f64) -> Option<u64> {
        assert!((0.0..=1.0).contains(&q), "a quantile is within 0 to 1, not {q}");
        let rank = ((q * self.samples as f64).ceil() as u64).max(1);
        let mut seen = 0;
        let bucket = self.buckets.iter().find(|bucket| {
            seen += bucket.count;
            seen >= rank
        })?;
        self.max_ns.map(|longest| longest.min(bucket.highest_ns))
    }

    /// Adds another distribution to this one.
    pub fn merge(&mut self, other: &Self) {
        self.buckets = merged(&self.buckets, &other.buckets);
        self.samples += other.samples;
        self.saturated += other.saturated;
        self.min_ns = self.min_ns.into_iter().chain(other.min_ns).min();
        self.max_ns = self.max_ns.max(other.max_ns);
        self.sum_ns += other.sum_ns;
        self.sum_of_squares_ns2 += other.sum_of_squares_ns2;
    }

    /// The sum as quotient and remainder by the number of samples.
    fn whole_mean(&self) -> Option<(u128, u128)> {
        let samples = u128::from(self.samples);
        Some((self.sum_ns.checked_div(samples)?, self.sum_ns.checked_rem(samples)?))
    }
}

/// Two ascending lists of buckets as one. All histograms have the same buckets, so that equal
/// lower ends mean equal buckets.
fn merged(one: &[Bucket], other: &[Bucket]) -> Vec<Bucket> {
    let (mut one, mut other) = (one.iter().copied().peekable(), other.iter().copied().peekable());
    std::iter::from_fn(|| next_merged(&mut one, &mut other)).collect()
}

fn next_merged<I: Iterator<Item = Bucket>>(
    one: &mut Peekable<I>,
    other: &mut Peekable<I>,
) -> Option<Bucket> {
    let order = match (one.peek(), other.peek()) {
        (Some(left), Some(right)) => left.lowest_ns.cmp(&right.lowest_ns),
        (Some(_), None) => Ordering::Less,
        (None, _) => Ordering::Greater,
    };
    match order {
        Ordering::Less => one.next(),
        Ordering::Greater => other.next(),
        Ordering::Equal => {
            let (left, right) = (one.next()?, other.next()?);
            Some(Bucket { count: left.count + right.count, ..left })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::latency::LatencyRecorder;

    fn recorded(latencies_ns: &[u64]) -> LatencyCounts {
        let mut recorder = LatencyRecorder::new();
        latencies_ns.iter().for_each(|&latency| recorder.record(latency));
        recorder.finish()
    }

    #[test]
    fn deviation_and_standard_error_are_not_the_same_number() {
        // By hand: mean 5, squared distances 9 1 1 1 0 0 4 16, sum 32, 32 / 8 = 4.
        let counts = recorded(&[2, 4, 4, 4, 5, 5, 7, 9]);
        assert_eq!(counts.mean_ns(), Some(5.0));
        assert_eq!(counts.population_sd_ns(), Some(2.0));
        let standard_error = counts.standard_error_ns().unwrap();
        assert!((standard_error - 0.707_106_781_186_547_5).abs() < 1e-15);
    }

    #[test]
    fn the_deviation_of_long_and_nearly_equal_latencies_does_not_cancel_away() {
        // Mean 50 s and a half nanosecond; distances are a half each.
        let counts = recorded(&[50_000_000_000, 50_000_000_001]);
        assert_eq!(counts.mean_ns(), Some(50_000_000_000.5));
        assert_eq!(counts.population_sd_ns(), Some(0.5));
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_samples() {
        let counts = recorded(&(1..=1_000).collect::<Vec<_>>());
        assert_eq!(counts.quantile_ns(0.0), Some(1));
        assert_eq!(counts.quantile_ns(0.5), Some(500));
        assert_eq!(counts.quantile_ns(0.999), Some(999));
        assert_eq!(counts.quantile_ns(1.0), Some(1_000));
        assert_eq!(recorded(&[]).quantile_ns(0.5), None);
    }

    #[test]
    fn a_quantile_never_exceeds_the_longest_sample() {
        let counts = recorded(&[1_000_001]);
        assert_eq!(counts.quantile_ns(0.5), Some(1_000_001));
    }

    #[test]
    #[should_panic(expected = "a quantile is within 0 to 1, not 99")]
    fn a_percentage_is_not_taken_for_a_quantile() {
        recorded(&[1]).quantile_ns(99.0);
    }
}
