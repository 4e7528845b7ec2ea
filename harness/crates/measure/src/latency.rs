//! Latencies of one queue pair while they are recorded.

use std::hint;

use hdrhistogram::Histogram;

use crate::counts::{Bucket, LatencyCounts};

/// Longest latency told apart: 60 s. Ours: longer than any time-out of a reliable connection that
/// a run would use.
pub const HIGHEST_LATENCY_NS: u64 = 60_000_000_000;
/// Decimal digits that a histogram bucket keeps: its width is at most a thousandth of its value.
pub const SIGNIFICANT_DIGITS: u8 = 3;

/// Buckets of a histogram, at the most: 1024 for each power of two up to the highest latency, and as many
/// below.
pub const MOST_BUCKETS: usize = 1 << 15;

/// A histogram with exact moments beside it. About 216 KiB.
pub(crate) struct LatencyRecorder {
    histogram: Histogram<u64>,
    sum_ns: u128,
    sum_of_squares_ns2: u128,
    saturated: u64,
    /// Meaningless without samples.
    min_ns: u64,
    /// Meaningless without samples.
    max_ns: u64,
}

impl LatencyRecorder {
    /// An empty recorder whose memory is mapped already, on the caller's node.
    pub(crate) fn new() -> Self {
        let mut histogram = Histogram::new_with_bounds(1, HIGHEST_LATENCY_NS, SIGNIFICANT_DIGITS)
            .expect("the bounds are constants that the histogram accepts");
        // A fresh allocation is mapped page by page when first written; `reset` writes it all.
        hint::black_box(&mut histogram).reset();
        hint::black_box(&mut histogram);
        Self {
            histogram,
            sum_ns: 0,
            sum_of_squares_ns2: 0,
            saturated: 0,
            min_ns: u64::MAX,
            max_ns: 0,
        }
    }

    #[inline]
    pub(crate) fn record(&mut self, latency_ns: u64) {
        self.min_ns = self.min_ns.min(latency_ns);
        self.max_ns = self.max_ns.max(latency_ns);
        let counted_ns = latency_ns.min(HIGHEST_LATENCY_NS);
        self.saturated += u64::from(latency_ns > HIGHEST_LATENCY_NS);
        self.histogram.saturating_record(counted_ns);
        self.sum_ns += u128::from(counted_ns);
        self.sum_of_squares_ns2 += u128::from(counted_ns) * u128::from(counted_ns);
    }

    /// What was recorded, with the buckets that are not empty.
    pub(crate) fn finish(self) -> LatencyCounts {
        let bucket = |value: u64, count: u64| Bucket {
            lowest_ns: self.histogram.lowest_equivalent(value),
            highest_ns: self.histogram.highest_equivalent(value),
            count,
        };
        let buckets: Vec<Bucket> = self
            .histogram
            .iter_recorded()
            .map(|step| bucket(step.value_iterated_to(), step.count_at_value()))
            .collect();
        let is_empty = buckets.is_empty();
        LatencyCounts {
            buckets,
            samples: self.histogram.len(),
            saturated: self.saturated,
            min_ns: (!is_empty).then_some(self.min_ns),
            max_ns: (!is_empty).then_some(self.max_ns),
            sum_ns: self.sum_ns,
            sum_of_squares_ns2: self.sum_of_squares_ns2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(latencies_ns: &[u64]) -> LatencyCounts {
        let mut recorder = LatencyRecorder::new();
        latencies_ns.iter().for_each(|&latency| recorder.record(latency));
        recorder.finish()
    }

    #[test]
    fn a_bucket_holds_its_value_and_is_at_most_a_thousandth_wide() {
        for value in [0, 1, 999, 2_047, 2_048, 123_456, 7_000_000, 59_999_999_999] {
            let counts = recorded(&[value]);
            let [bucket] = counts.buckets[..] else { panic!("one bucket: {:?}", counts.buckets) };
            assert!((bucket.lowest_ns..=bucket.highest_ns).contains(&value));
            assert!((bucket.highest_ns - bucket.lowest_ns) as f64 <= value as f64 / 1_000.0);
            assert_eq!(bucket.count, 1);
        }
    }

    #[test]
    fn a_sample_beyond_the_histogram_is_counted_as_saturated_and_kept_in_the_last_bucket() {
        let counts = recorded(&[1_000, HIGHEST_LATENCY_NS, HIGHEST_LATENCY_NS + 1, u64::MAX]);
        assert_eq!((counts.samples, counts.saturated), (4, 2));
        assert_eq!(counts.max_ns, Some(u64::MAX));
        assert_eq!(counts.buckets.iter().map(|bucket| bucket.count).sum::<u64>(), 4);
        assert_eq!(counts.sum_ns, 1_000 + 3 * u128::from(HIGHEST_LATENCY_NS));
    }

    #[test]
    fn no_histogram_has_more_buckets_than_is_said() {
        let all = LatencyRecorder::new().histogram.distinct_values();
        assert!((MOST_BUCKETS / 2..=MOST_BUCKETS).contains(&all), "{all}");
    }

    #[test]
    fn without_samples_there_is_no_smallest_or_largest() {
        let counts = recorded(&[]);
        assert_eq!((counts.min_ns, counts.max_ns, counts.mean_ns()), (None, None, None));
        assert!(counts.buckets.is_empty());
    }
}
