//! Counts of one run by queue pair and window.

use std::ops::Range;

use onesided_results::series::WindowCount;

/// Operations by queue pair and window, all windows of one length from a common start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Windows {
    window_ns: u64,
    windows: usize,
    /// One row a queue pair, one after another.
    counts: Vec<u64>,
}

/// Counts that are not a full table of windows.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WindowsError {
    /// A queue pair that the run does not have.
    #[error("queue pair {queue_pair} is counted, but the run has only {queue_pairs}, from 0")]
    UnknownQueuePair {
        /// The queue pair.
        queue_pair: u32,
        /// How many there are.
        queue_pairs: u32,
    },
    /// A window that does not start where its number says.
    #[error("window {window} starts at {start_ns} ns, but should at {expected_ns} ns")]
    WrongStart {
        /// The window.
        window: u32,
        /// Its start.
        start_ns: u64,
        /// Where it should start.
        expected_ns: u64,
    },
    /// A count that stands there twice.
    #[error("window {window} of queue pair {queue_pair} is counted twice")]
    Twice {
        /// The window.
        window: u32,
        /// The queue pair.
        queue_pair: u32,
    },
    /// A count that is not there; an idle window is a 0.
    #[error("window {window} of queue pair {queue_pair} is missing (an idle one is a row with 0)")]
    Missing {
        /// The window.
        window: usize,
        /// The queue pair.
        queue_pair: usize,
    },
}

impl Windows {
    /// The table of `counts`, in any order, for `queue_pairs` queue pairs.
    ///
    /// # Errors
    /// When a count is missing, there twice, of no queue pair of the run, or of a window that
    /// starts elsewhere.
    ///
    /// # Panics
    /// When `window_ns` is 0.
    pub fn new(
        counts: &[WindowCount],
        queue_pairs: u32,
        window_ns: u64,
    ) -> Result<Self, WindowsError> {
        assert!(window_ns > 0, "a window has a length");
        let windows = counts.iter().map(|count| count.window as usize + 1).max().unwrap_or(0);
        let mut table = vec![None; windows.min(counts.len()) * queue_pairs as usize];
        for &WindowCount { window, start_ns, queue_pair, operations } in counts {
            if queue_pair >= queue_pairs {
                return Err(WindowsError::UnknownQueuePair { queue_pair, queue_pairs });
            }
            let expected_ns = u64::from(window).saturating_mul(window_ns);
            if start_ns != expected_ns {
                return Err(WindowsError::WrongStart { window, start_ns, expected_ns });
            }
            // Beyond the table only where so many windows are missing that it was made shorter.
            let place = queue_pair as usize * windows + window as usize;
            if let Some(place) = table.get_mut(place)
                && place.replace(operations).is_some()
            {
                return Err(WindowsError::Twice { window, queue_pair });
            }
        }
        let missing =
            |place| WindowsError::Missing { window: place % windows, queue_pair: place / windows };
        let counts =
            table.into_iter().enumerate().map(|(place, count)| count.ok_or_else(|| missing(place)));
        Ok(Self { window_ns, windows, counts: counts.collect::<Result<_, _>>()? })
    }

    /// Length of a window.
    pub fn window_ns(&self) -> u64 {
        self.window_ns
    }

    /// How many windows there are.
    pub fn windows(&self) -> usize {
        self.windows
    }

    /// Each queue pair's counts, one a window.
    pub fn queue_pairs(&self) -> impl Iterator<Item = &[u64]> {
        // Without windows there is no count, and any length gives no chunk.
        self.counts.chunks(self.windows.max(1))
    }

    /// Operations of all queue pairs in each of the windows of `range`.
    ///
    /// # Panics
    /// When the range goes beyond the windows.
    pub fn sums(&self, range: Range<usize>) -> Vec<u64> {
        assert!(range.end <= self.windows, "{range:?} goes beyond {} windows", self.windows);
        range.map(|window| self.queue_pairs().map(|counts| counts[window]).sum()).collect()
    }

    /// Operations in all.
    pub fn operations(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Windows in which every queue pair was active from start to end: behind the last one's
    /// first active window's start, before the first one's last active window, which may be part
    /// idle. Empty if a queue pair never was.
    pub fn all_active(&self) -> Range<usize> {
        let active = self.queue_pairs().map(active);
        active
            .map(|range| range.map_or(0..0, |range| range.start..range.end - 1))
            .reduce(|a, b| a.start.max(b.start)..a.end.min(b.end))
            .filter(|range| !range.is_empty())
            .unwrap_or(0..0)
    }
}

/// From the first to behind the last window with an operation.
pub(crate) fn active(counts: &[u64]) -> Option<Range<usize>> {
    let first = counts.iter().position(|&count| count > 0)?;
    let last = counts.iter().rposition(|&count| count > 0)?;
    Some(first..last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(table: &[&[u64]]) -> Vec<WindowCount> {
        let mut counts = Vec::new();
        for (queue_pair, row) in (0..).zip(table) {
            for (window, &operations) in (0..).zip(*row) {
                let start_ns = u64::from(window) * 10;
                counts.push(WindowCount { window, start_ns, queue_pair, operations });
            }
        }
        counts
    }

    #[test]
    fn sums_are_over_queue_pairs_in_whatever_order_counts_come() {
        let mut counts = counts(&[&[1, 2, 3], &[10, 20, 30]]);
        counts.reverse();
        let windows = Windows::new(&counts, 2, 10).unwrap();
        assert_eq!(windows.sums(0..3), [11, 22, 33]);
        assert_eq!(windows.sums(1..2), [22]);
        assert_eq!((windows.windows(), windows.operations()), (3, 66));
    }

    #[test]
    fn a_table_with_a_hole_is_refused() {
        let mut counts = counts(&[&[1, 2], &[3, 4]]);
        counts.remove(2);
        let error = Windows::new(&counts, 2, 10).unwrap_err();
        assert_eq!(error, WindowsError::Missing { window: 0, queue_pair: 1 });
        let lonely = [WindowCount { window: 4_000_000_000, start_ns: 40_000_000_000, ..counts[0] }];
        let error = Windows::new(&lonely, 1, 10).unwrap_err();
        assert!(matches!(error, WindowsError::Missing { .. }), "{error:?}");
    }

    #[test]
    fn a_queue_pair_without_any_count_is_missing() {
        let error = Windows::new(&counts(&[&[1, 2]]), 2, 10).unwrap_err();
        assert_eq!(error, WindowsError::Missing { window: 0, queue_pair: 1 });
    }

    #[test]
    fn a_count_that_cannot_be_is_refused() {
        let good = counts(&[&[1, 2]]);
        let with = |change: fn(&mut WindowCount)| {
            let mut counts = good.clone();
            change(&mut counts[1]);
            Windows::new(&counts, 1, 10).unwrap_err()
        };
        assert_eq!(
            with(|count| count.queue_pair = 1),
            WindowsError::UnknownQueuePair { queue_pair: 1, queue_pairs: 1 }
        );
        assert_eq!(
            with(|count| count.start_ns = 11),
            WindowsError::WrongStart { window: 1, start_ns: 11, expected_ns: 10 }
        );
        assert_eq!(
            with(|count| (count.window, count.start_ns) = (0, 0)),
            WindowsError::Twice { window: 0, queue_pair: 0 }
        );
    }

    #[test]
    fn all_active_is_where_nobody_has_yet_to_start_or_has_ended() {
        let range = |table: &[&[u64]]| {
            Windows::new(&counts(table), u32::try_from(table.len()).unwrap(), 10)
                .unwrap()
                .all_active()
        };
        assert_eq!(range(&[&[5, 5, 5, 5], &[0, 5, 5, 5]]), 1..3);
        assert_eq!(range(&[&[5, 5, 1, 0], &[5, 5, 5, 5]]), 0..2);
        assert_eq!(range(&[&[5, 5, 5, 5], &[0, 0, 0, 0]]), 0..0);
        assert_eq!(range(&[&[5, 1, 0, 0], &[0, 0, 5, 5]]), 0..0);
        assert_eq!(range(&[]), 0..0);
    }
}
