//! What a run counted, by the queue pairs of all its threads and machines.

use std::collections::{BTreeMap, BTreeSet};

use crate::counts::{LatencyCounts, QueuePairCounts, ThreadCounts};

/// The counts of a run, by the number that a queue pair has in the run.
///
/// Threads may be added, and partial runs merged, in any order: the result is the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunCounts {
    window_ns: u64,
    windows: usize,
    queue_pairs: BTreeMap<usize, QueuePairCounts>,
}

/// Why counts do not belong together. Nothing was added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// Windows are of different length.
    #[error("windows of {theirs} ns cannot join a run with windows of {own} ns")]
    WindowLengthDiffers {
        /// The run's.
        own: u64,
        /// The newcomer's.
        theirs: u64,
    },
    /// A different number of windows.
    #[error("queue pair {queue_pair} has {theirs} windows, the run {own}")]
    WindowCountDiffers {
        /// Its number in the run.
        queue_pair: usize,
        /// The run's.
        own: usize,
        /// The newcomer's.
        theirs: usize,
    },
    /// A queue pair is there already: two threads claim it.
    #[error("queue pair {queue_pair} was counted twice")]
    CountedTwice {
        /// Its number in the run.
        queue_pair: usize,
    },
    /// Not as many numbers as queue pairs.
    #[error("{numbers} numbers were given for the {queue_pairs} queue pairs of a thread")]
    NumbersDiffer {
        /// Numbers given.
        numbers: usize,
        /// Queue pairs counted.
        queue_pairs: usize,
    },
}

impl RunCounts {
    /// A run without queue pairs yet.
    pub const fn new(window_ns: u64, windows: usize) -> Self {
        Self { window_ns, windows, queue_pairs: BTreeMap::new() }
    }

    /// Length of a window.
    pub const fn window_ns(&self) -> u64 {
        self.window_ns
    }

    /// The queue pairs with their numbers, ascending.
    pub fn queue_pairs(&self) -> impl ExactSizeIterator<Item = (usize, &QueuePairCounts)> {
        self.queue_pairs.iter().map(|(&number, counts)| (number, counts))
    }

    /// Adds a thread's queue pairs; `numbers` are those that they have in the run, in the thread's
    /// order.
    ///
    /// # Errors
    /// [`MergeError`] says what does not fit; nothing is added then.
    pub fn add(&mut self, thread: ThreadCounts, numbers: &[usize]) -> Result<(), MergeError> {
        self.check_window_length(thread.window_ns)?;
        if numbers.len() != thread.queue_pairs.len() {
            return Err(MergeError::NumbersDiffer {
                numbers: numbers.len(),
                queue_pairs: thread.queue_pairs.len(),
            });
        }
        self.insert(numbers.iter().copied().zip(thread.queue_pairs).collect())
    }

    /// Adds another part of the same run, for instance another machine's.
    ///
    /// # Errors
    /// [`MergeError`] says what does not fit; nothing is added then.
    pub fn merge(&mut self, other: Self) -> Result<(), MergeError> {
        self.check_window_length(other.window_ns)?;
        self.insert(other.queue_pairs.into_iter().collect())
    }

    /// Operations of all queue pairs in each window.
    pub fn windows(&self) -> Vec<u64> {
        let mut totals = vec![0; self.windows];
        for counts in self.queue_pairs.values() {
            totals.iter_mut().zip(&counts.windows).for_each(|(total, window)| *total += window);
        }
        totals
    }

    /// Operations of all queue pairs within the windows.
    pub fn operations_in_windows(&self) -> u64 {
        self.queue_pairs.values().map(QueuePairCounts::operations_in_windows).sum()
    }

    /// Operations of all queue pairs, whenever.
    pub fn operations(&self) -> u64 {
        self.queue_pairs.values().map(QueuePairCounts::operations).sum()
    }

    /// Latencies of all queue pairs.
    pub fn latency(&self) -> LatencyCounts {
        let mut total = LatencyCounts::default();
        self.queue_pairs.values().for_each(|counts| total.merge(&counts.latency));
        total
    }

    fn check_window_length(&self, theirs: u64) -> Result<(), MergeError> {
        if theirs == self.window_ns {
            Ok(())
        } else {
            Err(MergeError::WindowLengthDiffers { own: self.window_ns, theirs })
        }
    }

    fn insert(&mut self, queue_pairs: Vec<(usize, QueuePairCounts)>) -> Result<(), MergeError> {
        let mut added = BTreeSet::new();
        for &(queue_pair, ref counts) in &queue_pairs {
            if self.queue_pairs.contains_key(&queue_pair) || !added.insert(queue_pair) {
                return Err(MergeError::CountedTwice { queue_pair });
            }
            let (own, theirs) = (self.windows, counts.windows.len());
            if own != theirs {
                return Err(MergeError::WindowCountDiffers { queue_pair, own, theirs });
            }
        }
        self.queue_pairs.extend(queue_pairs);
        Ok(())
    }
}
