//! What merged histograms say about latency.

use std::collections::BTreeMap;

use onesided_results::series::LatencyBucket;

/// Latencies in buckets that do not overlap.
///
/// Buckets come from histograms of three significant digits, so that means and quantiles are off
/// by 0.1 % at most; below 2048 ns buckets are 1 ns wide and nothing is off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Latencies {
    /// Width and count of a bucket by its lowest latency.
    buckets: BTreeMap<u64, Bucket>,
    samples: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bucket {
    highest_ns: u64,
    count: u64,
}

/// Buckets that cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LatencyError {
    /// A bucket that ends before it starts.
    #[error("a bucket goes from {lowest_ns} ns to {highest_ns} ns")]
    Reversed {
        /// Its lowest latency.
        lowest_ns: u64,
        /// Its highest latency.
        highest_ns: u64,
    },
    /// Two buckets that a latency could be in both of.
    #[error(
        "bucket {lowest_ns} to {highest_ns} ns overlaps bucket {other_lowest_ns} to \
         {other_highest_ns} ns: they are of histograms of different precision"
    )]
    Overlap {
        /// The new bucket's lowest latency.
        lowest_ns: u64,
        /// The new bucket's highest latency.
        highest_ns: u64,
        /// The other bucket's lowest latency.
        other_lowest_ns: u64,
        /// The other bucket's highest latency.
        other_highest_ns: u64,
    },
}

impl Latencies {
    /// Merges `buckets`, of whichever queue pairs they are.
    ///
    /// # Errors
    /// When a bucket is reversed, or two overlap without being the same.
    pub fn of<'a>(
        buckets: impl IntoIterator<Item = &'a LatencyBucket>,
    ) -> Result<Self, LatencyError> {
        let mut merged = Self::default();
        buckets.into_iter().try_for_each(|bucket| merged.add(bucket)).map(|()| merged)
    }

    fn add(&mut self, bucket: &LatencyBucket) -> Result<(), LatencyError> {
        let &LatencyBucket { lowest_ns, highest_ns, count, .. } = bucket;
        if lowest_ns > highest_ns {
            return Err(LatencyError::Reversed { lowest_ns, highest_ns });
        }
        if count == 0 {
            return Ok(());
        }
        // Those in place do not overlap, so only the last one that starts by this one's end can.
        let neighbour = self.buckets.range_mut(..=highest_ns).next_back();
        match neighbour {
            Some((&other_lowest_ns, other)) if other.highest_ns >= lowest_ns => {
                let other_highest_ns = other.highest_ns;
                if (other_lowest_ns, other_highest_ns) != (lowest_ns, highest_ns) {
                    return Err(LatencyError::Overlap {
                        lowest_ns,
                        highest_ns,
                        other_lowest_ns,
                        other_highest_ns,
                    });
                }
                other.count = other.count.saturating_add(count);
            }
            _ => {
                self.buckets.insert(lowest_ns, Bucket { highest_ns, count });
            }
        }
        // Of counts that nobody can have made: the record beside them has others.
        self.samples = self.samples.saturating_add(count);
        Ok(())
    }

    /// Latencies in all.
    pub fn samples(&self) -> u64 {
        self.samples
    }

    /// The mean, with each latency in the middle of its bucket; absent without a latency.
    pub fn mean_ns(&self) -> Option<f64> {
        if self.samples == 0 {
            return None;
        }
        let sum: f64 = self.middles().map(|(middle, count)| middle * count).sum();
        Some(sum / number(self.samples))
    }

    /// The standard deviation of the latencies themselves (of the population: its square is the
    /// mean squared distance from the mean), not of their mean; absent without a latency.
    pub fn population_sd_ns(&self) -> Option<f64> {
        let mean = self.mean_ns()?;
        let squares: f64 =
            self.middles().map(|(middle, count)| (middle - mean).powi(2) * count).sum();
        Some((squares / number(self.samples)).sqrt())
    }

    /// The smallest latency that at least `per_mille` thousandths of all do not exceed, as the
    /// upper end of its bucket, which never understates it; absent without a latency.
    ///
    /// # Panics
    /// When `per_mille` is not from 1 to 1000.
    pub fn quantile_ns(&self, per_mille: u32) -> Option<u64> {
        assert!((1..=1000).contains(&per_mille), "{per_mille} thousandths are no share");
        let rank = (u128::from(self.samples) * u128::from(per_mille)).div_ceil(1000);
        let mut seen = 0;
        self.buckets.values().find_map(|bucket| {
            seen += u128::from(bucket.count);
            (seen >= rank).then_some(bucket.highest_ns)
        })
    }

    /// The middle and count of each bucket.
    fn middles(&self) -> impl Iterator<Item = (f64, f64)> {
        self.buckets.iter().map(|(&lowest_ns, bucket)| {
            let middle = f64::midpoint(number(lowest_ns), number(bucket.highest_ns));
            (middle, number(bucket.count))
        })
    }
}

#[expect(clippy::cast_precision_loss, reason = "nanoseconds and counts need at most 53 bits")]
fn number(value: u64) -> f64 {
    value as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bucket(lowest_ns: u64, highest_ns: u64, count: u64) -> LatencyBucket {
        LatencyBucket { queue_pair: 0, lowest_ns, highest_ns, count }
    }

    fn exact(latencies: &[u64]) -> Latencies {
        Latencies::of(&latencies.iter().map(|&ns| bucket(ns, ns, 1)).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn the_textbook_sample_has_mean_5_and_population_deviation_2() {
        let latencies = exact(&[2, 4, 4, 4, 5, 5, 7, 9]);
        assert_eq!(latencies.mean_ns(), Some(5.0));
        // Not 2/√8, the standard error, and not 2.138, the sample deviation.
        assert_eq!(latencies.population_sd_ns(), Some(2.0));
        assert_eq!(latencies.quantile_ns(500), Some(4));
        assert_eq!(latencies.quantile_ns(501), Some(5));
        assert_eq!(latencies.quantile_ns(1000), Some(9));
        assert_eq!(latencies.samples(), 8);
    }

    #[test]
    fn quantiles_of_the_first_thousand_numbers_are_their_ranks() {
        let latencies = exact(&(1..=1000).collect::<Vec<_>>());
        let quantile = |per_mille| latencies.quantile_ns(per_mille).unwrap();
        assert_eq!([10, 70, 500, 990, 999].map(quantile), [10, 70, 500, 990, 999]);
    }

    #[test]
    fn a_wide_bucket_counts_in_its_middle_and_its_quantile_at_its_end() {
        let latencies = Latencies::of(&[bucket(1000, 1003, 2), bucket(2000, 2000, 1)]).unwrap();
        assert_eq!(latencies.mean_ns(), Some((1001.5 * 2.0 + 2000.0) / 3.0));
        assert_eq!(latencies.quantile_ns(500), Some(1003));
    }

    #[test]
    fn without_a_latency_nothing_is_said() {
        let latencies = Latencies::of(&[bucket(1, 2, 0)]).unwrap();
        assert_eq!(latencies.samples(), 0);
        assert_eq!(latencies.mean_ns(), None);
        assert_eq!(latencies.population_sd_ns(), None);
        assert_eq!(latencies.quantile_ns(500), None);
    }

    #[test]
    fn buckets_that_do_not_belong_together_are_refused() {
        let reversed = Latencies::of(&[bucket(2, 1, 1)]).unwrap_err();
        assert_eq!(reversed, LatencyError::Reversed { lowest_ns: 2, highest_ns: 1 });
        for other in [bucket(12, 19, 1), bucket(10, 11, 1), bucket(0, 10, 1), bucket(0, 99, 1)] {
            let error = Latencies::of(&[bucket(10, 15, 1), other]).unwrap_err();
            assert!(matches!(error, LatencyError::Overlap { .. }), "{other:?}: {error}");
        }
    }

    proptest! {
        #[test]
        fn the_order_of_buckets_does_not_matter(
            latencies in proptest::collection::vec(0_u64..5000, 1..100), turn in 0_usize..100
        ) {
            let mut turned = latencies.clone();
            turned.rotate_left(turn % latencies.len());
            prop_assert_eq!(exact(&latencies), exact(&turned));
        }

        #[test]
        fn quantiles_are_those_of_the_sorted_latencies(
            mut latencies in proptest::collection::vec(0_u64..5000, 1..100), per_mille in 1_u32..=1000
        ) {
            let merged = exact(&latencies);
            latencies.sort_unstable();
            let rank = (latencies.len() * per_mille as usize).div_ceil(1000);
            prop_assert_eq!(merged.quantile_ns(per_mille), Some(latencies[rank - 1]));
        }

        #[test]
        fn merging_the_same_latencies_twice_changes_only_their_number(
            latencies in proptest::collection::vec(0_u64..5000, 1..100)
        ) {
            let (once, twice) = (exact(&latencies), exact(&latencies.repeat(2)));
            prop_assert_eq!(twice.samples(), once.samples() * 2);
            prop_assert!((once.mean_ns().unwrap() - twice.mean_ns().unwrap()).abs() < 1e-6);
            prop_assert_eq!(once.quantile_ns(500), twice.quantile_ns(500));
        }
    }
}
