//! Which thread drives which queue pairs: neighbours together, shares that differ by one at most.

use std::ops::Range;

/// One thread's queue pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadShare {
    /// Their numbers in the run.
    pub queue_pairs: Range<usize>,
}

impl ThreadShare {
    /// The shares of `threads` threads.
    ///
    /// # Panics
    /// When there are more threads than queue pairs: the configuration was checked before.
    pub fn deal(queue_pairs: usize, threads: usize) -> Vec<Self> {
        assert!((1..=queue_pairs).contains(&threads), "1 <= threads <= queue pairs");
        let first = |thread: usize| thread * queue_pairs / threads;
        let share = |thread| Self { queue_pairs: first(thread)..first(thread + 1) };
        (0..threads).map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_queue_pair_is_dealt_to_exactly_one_thread_and_shares_differ_by_one_at_most() {
        for queue_pairs in 1..40 {
            for threads in 1..=queue_pairs {
                let shares = ThreadShare::deal(queue_pairs, threads);
                let all = shares.iter().flat_map(|share| share.queue_pairs.clone());
                assert_eq!(all.collect::<Vec<_>>(), (0..queue_pairs).collect::<Vec<_>>());
                let sizes = || shares.iter().map(|share| share.queue_pairs.len());
                assert!(sizes().max().unwrap() - sizes().min().unwrap() <= 1);
            }
        }
    }
}
