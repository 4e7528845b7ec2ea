//! The loop of a thread: batches, the clock, windows.

use std::sync::atomic::{AtomicBool, Ordering};

use onesided_measure::{Clock, Ticks};
use onesided_placement::{Scheduling, SchedulingWatch, current_cpu};

use super::{BATCH_ACCESSES, Batch, Done, Pace, Seen, ThreadReport};

/// Bursts of a paced thread in a second, at the most; ours: fifty readings of the clock fit in
/// between.
const BURSTS_PER_SECOND: f64 = 1e6;

/// Bits behind the point of an instant that paces: at 4 GHz, an error of a tick in 18 minutes of
/// bursts at a microsecond's distance.
const FRACTION_BITS: u32 = 32;

/// A pace in the clock's unit.
#[derive(Clone, Copy, Debug)]
pub(super) enum Pacing {
    Unpaced,
    Think { ticks: u64 },
    Rate { burst: u32, interval: u128 },
}

impl Pacing {
    /// The rate itself where it is none.
    pub(super) fn of(pace: Pace, clock: &Clock) -> Result<Self, f64> {
        match pace {
            Pace::Unpaced => Ok(Self::Unpaced),
            Pace::Think(pause) => Ok(Self::Think { ticks: clock.ticks_of(pause) }),
            Pace::Rate(rate) if rate > 0.0 && rate.is_finite() => {
                let burst = (rate / BURSTS_PER_SECOND).ceil().clamp(1.0, BATCH_ACCESSES.into());
                let ticks = clock.rate().frequency_hz() as f64 * burst / rate;
                let interval = (ticks * (1_u64 << FRACTION_BITS) as f64) as u128;
                Ok(Self::Rate { burst: burst as u32, interval })
            }
            Pace::Rate(rate) => Err(rate),
        }
    }

    fn burst(self) -> u32 {
        match self {
            Self::Unpaced => BATCH_ACCESSES,
            Self::Think { .. } => 1,
            Self::Rate { burst, .. } => burst,
        }
    }
}

/// Counts accesses by window, and CPUs.
pub(super) struct Tally {
    report: ThreadReport,
    scheduling: SchedulingWatch,
    /// Beyond the last window: the end of time.
    window_end: u64,
    window_ticks: u64,
    /// The window that is being counted.
    current: usize,
    counted: u64,
}

impl Tally {
    /// With room for so many windows, already touched, and for every CPU of the machine.
    pub(super) fn new(windows: usize, window_ticks: u64, cpus: usize) -> Self {
        let report = ThreadReport {
            seen: Vec::with_capacity(cpus),
            scheduling: Scheduling::default(),
            started: Ticks(0),
            ended: Ticks(0),
            windows: vec![0; windows],
            after_windows: 0,
            reads: 0,
            writes: 0,
            atomics: 0,
            swapped: 0,
        };
        let scheduling = SchedulingWatch::begin();
        Self { report, scheduling, window_end: 0, window_ticks, current: 0, counted: 0 }
    }

    fn start(&mut self, t0: Ticks) {
        self.report.started = t0;
        self.window_end = t0.0 + self.window_ticks;
        // Zeros that were allocated may be pages that were not yet touched.
        self.report.windows.fill(0);
        self.scheduling.restart();
        self.sample();
    }

    fn sample(&mut self) {
        let (cpu, node) = current_cpu();
        match self.report.seen.iter_mut().find(|seen| seen.cpu == cpu) {
            Some(seen) => seen.samples += 1,
            None => self.report.seen.push(Seen { cpu, node, samples: 1 }),
        }
    }

    #[inline(always)]
    fn add(&mut self, now: Ticks, accesses: u32) {
        if now.0 >= self.window_end {
            self.turn(now);
        }
        self.counted += u64::from(accesses);
    }

    /// Goes on to the window of this moment.
    fn turn(&mut self, now: Ticks) {
        while now.0 >= self.window_end {
            match self.report.windows.get_mut(self.current) {
                Some(window) => *window = self.counted,
                None => self.report.after_windows += self.counted,
            }
            self.counted = 0;
            self.current += 1;
            self.window_end += self.window_ticks;
        }
        self.sample();
    }

    fn finish(mut self, now: Ticks) -> ThreadReport {
        if now.0 >= self.window_end {
            self.turn(now);
        }
        self.sample();
        self.report.ended = now;
        self.report.scheduling = self.scheduling.end();
        self.report.after_windows += self.counted;
        self.report.windows.truncate(self.current);
        self.report
    }
}

/// Accesses memory until it is told to stop.
pub(super) fn drive(
    batch: &mut dyn Batch,
    pacing: Pacing,
    clock: Clock,
    t0: Ticks,
    mut tally: Tally,
    stop: &AtomicBool,
) -> ThreadReport {
    tally.start(t0);
    let burst = pacing.burst();
    let (mut accesses, mut all) = (0_u64, Done::default());
    let mut due = u128::from(t0.0) << FRACTION_BITS;
    let ended = loop {
        let done = batch.run(burst);
        accesses += u64::from(burst);
        all.writes += done.writes;
        all.atomics += done.atomics;
        all.swapped += done.swapped;
        let now = clock.now();
        tally.add(now, burst);
        let wait_until = match pacing {
            Pacing::Unpaced => now,
            Pacing::Think { ticks } => Ticks(now.0.saturating_add(ticks)),
            Pacing::Rate { interval, .. } => {
                due += interval;
                Ticks((due >> FRACTION_BITS) as u64)
            }
        };
        if let Some(ended) = wait(clock, now, wait_until, stop) {
            break ended;
        }
    };
    let mut report = tally.finish(ended);
    report.reads = accesses - all.writes - all.atomics;
    (report.writes, report.atomics, report.swapped) = (all.writes, all.atomics, all.swapped);
    report
}

/// Spins until a moment; returns the present one if it is to stop before.
#[inline(always)]
fn wait(clock: Clock, mut now: Ticks, until: Ticks, stop: &AtomicBool) -> Option<Ticks> {
    loop {
        if stop.load(Ordering::Relaxed) {
            return Some(now);
        }
        if now >= until {
            return None;
        }
        std::hint::spin_loop();
        now = clock.now();
    }
}

#[cfg(test)]
mod tests;
