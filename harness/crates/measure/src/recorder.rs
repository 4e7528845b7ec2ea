//! A thread's recorder: windows and latencies of its queue pairs.

use std::hint;

use crate::{
    counts::{QueuePairCounts, ThreadCounts},
    latency::LatencyRecorder,
    record::Record,
    ticks::{TickRate, Ticks},
};

/// What a recorder is to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecorderPlan {
    /// Start of the first window: common to all threads of a machine.
    pub t0: Ticks,
    /// Length of a window; at least 1.
    pub window_ns: u64,
    /// How many windows.
    pub windows: usize,
    /// How many queue pairs the thread drives.
    pub queue_pairs: usize,
}

/// Counts completions into windows from a common start, and latencies into histograms.
///
/// All memory is allocated and written when it is made, by the calling thread: it lies where that
/// thread's memory policy says, and recording causes no page fault. Rows are time, so that one
/// window's counts of all queue pairs share cache lines:
///
/// ```text
///              queue pair 0   1   2
///   row 0      before the first window
///   row 1      window 0      [t0, t0 + window)
///   ...
///   row n      window n-1
///   row n+1    after the last window
/// ```
pub struct Recorder {
    rate: TickRate,
    plan: RecorderPlan,
    /// The row in use.
    row: usize,
    /// Index of the row's first cell.
    row_start: usize,
    /// When the row in use is over; absent where it never is.
    row_end: Option<Ticks>,
    cells: Vec<u64>,
    latencies: Vec<LatencyRecorder>,
}

impl Recorder {
    /// A recorder of all zeros, standing before the first window.
    ///
    /// # Panics
    /// When a window is 0 ns long, or the cells do not fit the address space.
    pub fn new(clock: impl Into<TickRate>, plan: RecorderPlan) -> Self {
        assert!(plan.window_ns > 0, "a window of 0 ns holds nothing");
        let rows = plan.windows.checked_add(2).expect("as many windows as memory has bytes");
        let count = rows.checked_mul(plan.queue_pairs).expect("more cells than memory has bytes");
        // Zeros of a fresh allocation are mapped page by page when first written. Writing ones
        // first makes that now.
        let mut cells = vec![1; count];
        hint::black_box(&mut cells).fill(0);
        hint::black_box(&mut cells);
        Self {
            rate: clock.into(),
            plan,
            row: 0,
            row_start: 0,
            row_end: Some(plan.t0),
            cells,
            latencies: (0..plan.queue_pairs).map(|_| LatencyRecorder::new()).collect(),
        }
    }

    /// The same, with the windows counted from `t0` instead of the plan's: its memory can so be
    /// taken before it is known when the measurement begins.
    ///
    /// # Panics
    /// When a window has begun.
    #[must_use]
    pub fn starting_at(mut self, t0: Ticks) -> Self {
        assert_eq!(self.row, 0, "the windows have begun");
        self.plan.t0 = t0;
        self.row_end = Some(t0);
        self
    }

    /// Moves on to the row that `now` is in.
    #[cold]
    #[inline(never)]
    fn step(&mut self, now: Ticks) {
        while self.row_end.is_some_and(|end| now >= end) {
            self.row += 1;
            self.row_start += self.plan.queue_pairs;
            self.row_end = self.end_of(self.row);
        }
    }

    /// When a row is over, counted from the start so that rounding does not add up. Absent for the
    /// last row and beyond the counter's range.
    fn end_of(&self, row: usize) -> Option<Ticks> {
        if row > self.plan.windows {
            return None;
        }
        let from_start_ns = row as u128 * u128::from(self.plan.window_ns);
        self.plan.t0.checked_add(self.rate.ticks_of_nanoseconds(from_start_ns))
    }

    /// What was counted.
    pub fn finish(self) -> ThreadCounts {
        let Self { plan, cells, latencies, .. } = self;
        let queue_pairs = latencies.into_iter().enumerate().map(|(queue_pair, latency)| {
            let cell = |row: usize| cells[row * plan.queue_pairs + queue_pair];
            QueuePairCounts {
                windows: (1..=plan.windows).map(cell).collect(),
                before_start: cell(0),
                after_end: cell(plan.windows + 1),
                latency: latency.finish(),
            }
        });
        let queue_pairs = queue_pairs.collect();
        ThreadCounts { t0: plan.t0, window_ns: plan.window_ns, queue_pairs }
    }
}

impl Record for Recorder {
    /// A reading before the row in use changes nothing.
    #[inline]
    fn advance(&mut self, now: Ticks) {
        if self.row_end.is_some_and(|end| now >= end) {
            self.step(now);
        }
    }

    /// # Panics
    /// When the thread has no such queue pair.
    #[inline]
    fn completed(&mut self, queue_pair: usize, operations: u32) {
        assert!(queue_pair < self.plan.queue_pairs, "no queue pair {queue_pair} in the recorder");
        self.cells[self.row_start + queue_pair] += u64::from(operations);
    }

    /// # Panics
    /// When the thread has no such queue pair.
    #[inline]
    fn latency(&mut self, queue_pair: usize, ticks: u64) {
        self.latencies[queue_pair].record(self.rate.nanoseconds(ticks));
    }
}
