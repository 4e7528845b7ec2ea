//! Samples of some operations in a row, and windows of time.

use std::time::Duration;

use onesided_measure::{Clock, Ticks};
use onesided_placement::SpinningWatch;

use crate::spread::Spread;

/// Windows of a measurement. Ours: enough for a median, and long enough each for time slices of
/// threads that share a CPU to be within.
pub const WINDOWS: usize = 10;

/// The most samples of a measurement: memory for them is there before it begins.
const MOST_SAMPLES: usize = 1 << 16;

/// Counts of one thread, which spins, since a start that several may share.
pub struct Timing {
    clock: Clock,
    start: Ticks,
    window: u64,
    /// Operations of a sample.
    sample: u64,
    last: Ticks,
    done: u64,
    /// Nanoseconds x 16 are not lost by it: the clock's own ticks.
    samples: Vec<u64>,
    windows: [u64; WINDOWS],
    watch: SpinningWatch,
    without_cpu: f64,
}

impl Timing {
    /// Of samples of so many operations, within so long.
    pub fn new(clock: Clock, longest: Duration, sample: u64) -> Self {
        let window = (clock.ticks_of(longest) / WINDOWS as u64).max(1);
        let samples = Vec::with_capacity(MOST_SAMPLES);
        let now = clock.now();
        Self {
            clock,
            start: now,
            window,
            sample,
            last: now,
            done: 0,
            samples,
            windows: [0; WINDOWS],
            watch: SpinningWatch::begin(),
            without_cpu: 0.0,
        }
    }

    /// Counts from this moment on.
    pub fn begin(&mut self, start: Ticks) {
        self.watch = SpinningWatch::begin();
        (self.start, self.last) = (start, self.clock.now());
    }

    /// Ends it, on the thread that began it.
    pub fn end(&mut self) {
        self.without_cpu = self.watch.without_cpu();
    }

    /// The share of its time that its thread had no CPU, once it has ended.
    pub fn without_cpu(&self) -> f64 {
        self.without_cpu
    }

    /// So many operations more are done; whether there is time for more.
    #[inline]
    pub fn done(&mut self, operations: u64) -> bool {
        self.done_at(operations, self.clock.now())
    }

    #[inline]
    fn done_at(&mut self, operations: u64, now: Ticks) -> bool {
        let before = self.done;
        self.done += operations;
        if before / self.sample != self.done / self.sample {
            if self.samples.len() < MOST_SAMPLES && self.done.is_multiple_of(self.sample) {
                self.samples.push(now.0.saturating_sub(self.last.0));
            }
            self.last = now;
        }
        let window = (now.0.saturating_sub(self.start.0) / self.window) as usize;
        match self.windows.get_mut(window) {
            Some(window) => *window += operations,
            None => return false,
        }
        true
    }

    /// Operations so far.
    pub fn operations(&self) -> u64 {
        self.done
    }

    /// Time of one operation of each sample in nanoseconds, and how many samples there are.
    pub fn latency_ns(&self) -> (Option<Spread>, u64) {
        let one = |ticks: &u64| self.clock.nanoseconds(*ticks) as f64 / self.sample as f64;
        (Spread::of(self.samples.iter().map(one).collect()), self.samples.len() as u64)
    }

    /// Operations in a second of each window that several threads counted from the same start.
    pub fn rates(all: &[&Self]) -> Option<Spread> {
        let first = all.first()?;
        let window_ns = first.clock.nanoseconds(first.window) as f64;
        let sum = |window: usize| all.iter().map(|timing| timing.windows[window]).sum::<u64>();
        Spread::of((0..WINDOWS).map(|window| sum(window) as f64 * 1e9 / window_ns).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_measurement_ends_in_time_and_rates_fit_its_count() {
        let clock = Clock::calibrate().unwrap();
        let mut timing = Timing::new(clock, Duration::from_millis(20), 16);
        let start = clock.now();
        timing.begin(start);
        // Four at a time, forty times in a window, by a clock of the test's own.
        let step = timing.window / 40;
        timing.last = start;
        let moments = (1..).map(|number| Ticks(start.0 + number * step));
        let ended = moments.take_while(|now| timing.done_at(4, *now)).count() as u64;
        // One less where a window is a whole number of steps: the last moment is its end then.
        assert!((399..=420).contains(&ended), "{ended}");
        assert_eq!(timing.operations(), 4 * (ended + 1), "the last was too late to count");
        assert_eq!(timing.windows.iter().sum::<u64>(), 4 * ended);
        let (latency, samples) = timing.latency_ns();
        let expected = clock.nanoseconds(4 * step) as f64 / 16.0;
        // The one that was too late for a window still ends a sample.
        assert_eq!((latency.unwrap().median, samples), (expected, (ended + 1) / 4));
        let both = Timing::rates(&[&timing, &timing]).unwrap();
        assert!(both.low <= both.median && both.median <= both.high);
        let alone = Timing::rates(&[&timing]).unwrap();
        assert!((both.median - 2.0 * alone.median).abs() < 1e-9 * both.median);
    }
}
