//! Operations per second of one run: the study's estimator and the robust one.
//!
//! They differ where queue pairs do not start and end together. The study's counts each one at
//! its own mean rate, over its own time, as if all had been active all the time; the robust one
//! counts what all did together in the same time.

use std::ops::Range;

use crate::{
    bootstrap::{Interval, mean_interval, ratio},
    windows::{Windows, active},
};

/// Throughput with its interval within the run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throughput {
    /// Operations per second.
    pub ops: f64,
    /// Its 95 % interval; absent where there are too few windows for one.
    ///
    /// From windows of one run: it says nothing about how much runs differ.
    pub interval: Option<Interval>,
}

/// The study's estimator: each queue pair's mean window, summed (SRDS 2020, section V).
///
/// A queue pair's windows are those from its first to its last with an operation, as only these
/// are printed by the study's client. Absent if there is no operation at all.
pub fn published(windows: &Windows) -> Option<f64> {
    let mean = |counts: &[u64]| {
        let counts = &counts[active(counts)?];
        Some(ratio(counts.iter().map(|&count| u128::from(count)).sum(), counts.len()))
    };
    let means: Vec<f64> = windows.queue_pairs().filter_map(mean).collect();
    if means.is_empty() { None } else { Some(per_second(means.iter().sum(), windows)) }
}

/// The robust estimator: operations of all queue pairs in the windows of `interval`, by its time.
///
/// The interval is one of complete windows on the common clock, in which all were to be active.
/// Absent if it is empty.
pub fn robust(windows: &Windows, interval: Range<usize>, seed: u64) -> Option<Throughput> {
    let sums = windows.sums(interval);
    if sums.is_empty() {
        return None;
    }
    let mean = ratio(sums.iter().map(|&sum| u128::from(sum)).sum(), sums.len());
    let interval = mean_interval(&sums, seed).map(|interval| Interval {
        low: per_second(interval.low, windows),
        high: per_second(interval.high, windows),
    });
    Some(Throughput { ops: per_second(mean, windows), interval })
}

/// What `operations` a window are a second.
#[expect(clippy::cast_precision_loss, reason = "a window is far below 2^53 ns, which is 104 days")]
fn per_second(operations: f64, windows: &Windows) -> f64 {
    operations * 1e9 / windows.window_ns() as f64
}

#[cfg(test)]
mod tests {
    use onesided_results::series::WindowCount;
    use proptest::prelude::*;

    use super::*;

    const WINDOW_NS: u64 = 10_000_000;

    fn windows(table: &[Vec<u64>]) -> Windows {
        let mut counts = Vec::new();
        for (queue_pair, row) in (0..).zip(table) {
            for (window, &operations) in (0..).zip(row) {
                let start_ns = u64::from(window) * WINDOW_NS;
                counts.push(WindowCount { window, start_ns, queue_pair, operations });
            }
        }
        Windows::new(&counts, u32::try_from(table.len()).unwrap(), WINDOW_NS).unwrap()
    }

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
    }

    #[test]
    fn steady_clients_have_one_throughput_by_either_estimator() {
        // 3 clients of 500 operations in each 10 ms: 150 000 a second.
        let windows = windows(&vec![vec![500; 20]; 3]);
        assert_eq!(published(&windows), Some(150_000.0));
        let robust = robust(&windows, 0..20, 1).unwrap();
        assert_eq!(robust.ops, 150_000.0);
        assert_eq!(robust.interval, Some(Interval { low: 150_000.0, high: 150_000.0 }));
    }

    #[test]
    fn clients_one_after_another_are_counted_at_once_by_the_published_estimator_only() {
        // Each works 5 of 10 windows at 1000: together never more than 1000 a window.
        let first = [vec![1000; 5], vec![0; 5]].concat();
        let second = [vec![0; 5], vec![1000; 5]].concat();
        let windows = windows(&[first, second]);
        assert_eq!(published(&windows), Some(200_000.0));
        assert_eq!(robust(&windows, 0..10, 1).unwrap().ops, 100_000.0);
    }

    #[test]
    fn idle_windows_between_active_ones_count_and_those_around_do_not() {
        // (600 + 0 + 300) / 3 = 300 a window.
        let windows = windows(&[vec![0, 600, 0, 300, 0]]);
        assert_eq!(published(&windows), Some(30_000.0));
    }

    #[test]
    fn without_an_operation_there_is_no_published_estimate_and_a_robust_one_of_0() {
        let windows = windows(&[vec![0; 10]]);
        assert_eq!(published(&windows), None);
        assert_eq!(robust(&windows, 0..10, 1).unwrap().ops, 0.0);
        assert_eq!(robust(&windows, 3..3, 1), None);
    }

    #[test]
    fn few_windows_have_an_estimate_without_an_interval() {
        let robust = robust(&windows(&[vec![5; 5]]), 0..5, 1).unwrap();
        assert_eq!(robust, Throughput { ops: 500.0, interval: None });
    }

    fn any_table() -> impl Strategy<Value = Vec<Vec<u64>>> {
        (1_usize..5, 6_usize..40).prop_flat_map(|(queue_pairs, windows)| {
            let row = proptest::collection::vec(0_u64..10_000, windows);
            proptest::collection::vec(row, queue_pairs)
        })
    }

    proptest! {
        #[test]
        fn which_queue_pair_is_which_does_not_matter(table in any_table(), turn in 0_usize..5) {
            let mut turned = table.clone();
            turned.rotate_left(turn % table.len());
            let (a, b) = (windows(&table), windows(&turned));
            match (published(&a), published(&b)) {
                (Some(a), Some(b)) => prop_assert!(close(a, b)),
                (a, b) => prop_assert_eq!(a, b),
            }
            let all = 0..table[0].len();
            prop_assert_eq!(robust(&a, all.clone(), 1), robust(&b, all, 1));
        }

        #[test]
        fn twice_the_operations_are_twice_the_throughput(table in any_table()) {
            let twice: Vec<Vec<u64>> =
                table.iter().map(|row| row.iter().map(|count| count * 2).collect()).collect();
            let (a, b) = (windows(&table), windows(&twice));
            if let (Some(a), Some(b)) = (published(&a), published(&b)) {
                prop_assert!(close(a * 2.0, b));
            }
            let all = 0..table[0].len();
            let (a, b) = (robust(&a, all.clone(), 1).unwrap(), robust(&b, all, 1).unwrap());
            prop_assert!(close(a.ops * 2.0, b.ops));
            if let (Some(a), Some(b)) = (a.interval, b.interval) {
                prop_assert!(close(a.low * 2.0, b.low) && close(a.high * 2.0, b.high));
            }
        }

        #[test]
        fn identical_clients_add_up_by_either_estimator(
            row in proptest::collection::vec(1_u64..10_000, 6..40), clients in 1_usize..6
        ) {
            let one = windows(std::slice::from_ref(&row));
            let all = windows(&vec![row.clone(); clients]);
            #[expect(clippy::cast_precision_loss, reason = "below 6")]
            let clients = clients as f64;
            prop_assert!(close(published(&one).unwrap() * clients, published(&all).unwrap()));
            let robust = |windows| robust(windows, 0..row.len(), 1).unwrap().ops;
            prop_assert!(close(robust(&one) * clients, robust(&all)));
            prop_assert!(close(robust(&all), published(&all).unwrap()));
        }

        #[test]
        fn the_robust_estimate_is_never_above_the_published_one(table in any_table()) {
            let windows = windows(&table);
            let robust = robust(&windows, 0..table[0].len(), 1).unwrap().ops;
            prop_assert!(robust <= published(&windows).unwrap_or(0.0) * (1.0 + 1e-9));
        }
    }
}
