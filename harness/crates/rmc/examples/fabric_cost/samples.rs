//! Times of short samples, and their median: most are not preempted, and those that are do not
//! count.

use onesided_measure::{Clock, Ticks};

/// Samples of so many operations each.
pub struct Samples {
    clock: Clock,
    each: u64,
    last: Ticks,
    ticks: Vec<u64>,
}

impl Samples {
    /// The first one starts now.
    pub fn new(clock: Clock, each: u64) -> Self {
        Self { clock, each, last: clock.now(), ticks: Vec::with_capacity(4_096) }
    }

    /// One ends, and the next one starts.
    pub fn end(&mut self) {
        let now = self.clock.now();
        self.ticks.push(now.0 - self.last.0);
        self.last = now;
    }

    /// Of the last three the second one counts.
    pub fn keep_second_of_three(&mut self) {
        self.ticks.pop();
        self.ticks.swap_remove(self.ticks.len() - 2);
    }

    /// Time of one operation of the median sample.
    pub fn median_ns(mut self) -> f64 {
        self.ticks.sort_unstable();
        let median = self.ticks[self.ticks.len() / 2];
        self.clock.nanoseconds(median * 64) as f64 / (64 * self.each) as f64
    }
}
