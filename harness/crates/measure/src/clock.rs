//! The clock of a run: a tick counter whose rate was measured against the kernel's.
//!
//! Reading is not fenced: an out-of-order CPU may take the reading some tens of instructions
//! early or late. `lfence` or `rdtscp` would cost more than that error is worth for operations of
//! a microsecond, and would drain the pipeline of the thread that is being measured.

mod calibration;
#[cfg(any(test, not(target_arch = "x86_64")))]
mod monotonic_raw;
#[cfg(target_arch = "x86_64")]
mod tsc;

#[cfg(not(target_arch = "x86_64"))]
use monotonic_raw as counter;
#[cfg(target_arch = "x86_64")]
use tsc as counter;

use std::{io, time::Duration};

use self::calibration::Anchor;
use crate::ticks::{TickRate, Ticks};

/// A tick counter with its measured rate. Copies are the same clock.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    rate: TickRate,
    /// Where the rate's measurement ended: counter and kernel time at one moment.
    anchor: Anchor,
    /// Of the rate, from the width of the brackets that it was measured between.
    uncertainty_parts_per_million: f64,
    cost_ns: f64,
    resolution_ns: f64,
}

/// Which counter a clock reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClockSource {
    /// The x86 time stamp counter (`rdtsc`).
    TimeStampCounter,
    /// `CLOCK_MONOTONIC_RAW` (`clock_gettime(2)`), where there is no counter that can be read
    /// without the kernel's help.
    MonotonicRaw,
}

impl ClockSource {
    /// Its name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TimeStampCounter => "time-stamp-counter",
            Self::MonotonicRaw => "monotonic-raw",
        }
    }
}

/// What is known about a clock.
#[derive(Clone, Debug, PartialEq)]
pub struct ClockDescription {
    /// Which counter is read.
    pub source: ClockSource,
    /// Its rate, measured against `CLOCK_MONOTONIC_RAW`.
    pub frequency_hz: u64,
    /// Most that the measured rate can be wrong by, from how long the two clocks took to read.
    pub frequency_uncertainty_parts_per_million: f64,
    /// Time that one reading takes.
    pub cost_ns: f64,
    /// Smallest step seen between readings that differ.
    pub resolution_ns: f64,
    /// Whether CPU and kernel promise a constant rate, through changes of frequency and sleep.
    pub invariant: bool,
    /// What the kernel itself keeps time with; absent where it does not say.
    pub kernel_clocksource: Option<String>,
}

/// How far a clock went from the kernel's since its rate was measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// Rate since calibration over the calibrated rate, minus 1; positive: it runs fast.
    pub parts_per_million: f64,
    /// Most that the number can be wrong by, from how long the clocks took to read, both now and
    /// in the calibration.
    pub uncertainty_parts_per_million: f64,
    /// Kernel time since calibration.
    pub elapsed: Duration,
}

/// Why there is no usable clock.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClockError {
    /// The kernel does not give the time to compare with.
    #[error("clock_gettime(CLOCK_MONOTONIC_RAW) failed")]
    Unreadable {
        /// The kernel's answer.
        source: io::Error,
    },
    /// The counter stood still, or went back.
    #[error("the counter did not advance within {reads} readings, last at {ticks}")]
    NotAdvancing {
        /// Last reading.
        ticks: u64,
        /// How often it was read.
        reads: u64,
    },
    /// The rate is not that of a usable counter.
    #[error("the counter went {ticks} ticks in {elapsed_ns} ns: no usable rate")]
    ImplausibleRate {
        /// Ticks counted.
        ticks: u64,
        /// Kernel time passed.
        elapsed_ns: u64,
    },
}

impl Clock {
    /// Measures the counter's rate; takes about 50 ms.
    ///
    /// # Errors
    /// When either clock cannot be read, or the counter does not count.
    pub fn calibrate() -> Result<Self, ClockError> {
        let calibration::Calibration { rate, anchor, uncertainty_parts_per_million } =
            calibration::calibrate()?;
        Ok(Self {
            rate,
            anchor,
            uncertainty_parts_per_million,
            cost_ns: calibration::cost_ns(rate),
            resolution_ns: calibration::resolution_ns(rate)?,
        })
    }

    /// The counter's reading.
    #[inline(always)]
    pub fn now(&self) -> Ticks {
        Ticks(counter::read())
    }

    /// A difference of readings in nanoseconds, to the nearest.
    #[inline(always)]
    pub const fn nanoseconds(&self, ticks: u64) -> u64 {
        self.rate.nanoseconds(ticks)
    }

    /// Ticks in a duration, to the nearest.
    pub fn ticks_of(&self, duration: Duration) -> u64 {
        self.rate.ticks_of(duration)
    }

    /// The measured rate.
    pub const fn rate(&self) -> TickRate {
        self.rate
    }

    /// What is known about this clock. Reads files: not for the data path.
    pub fn description(&self) -> ClockDescription {
        ClockDescription {
            source: counter::SOURCE,
            frequency_hz: self.rate.frequency_hz(),
            frequency_uncertainty_parts_per_million: self.uncertainty_parts_per_million,
            cost_ns: self.cost_ns,
            resolution_ns: self.resolution_ns,
            invariant: counter::is_invariant(),
            kernel_clocksource: calibration::kernel_clocksource(),
        }
    }

    /// What `CLOCK_MONOTONIC_RAW` showed at `reading`, in ns: by it, processes of one machine can
    /// compare their times. Exact to the clock's drift since then.
    ///
    /// # Errors
    /// When the kernel's clock cannot be read any more.
    pub fn raw_ns_at(&self, reading: Ticks) -> Result<u64, ClockError> {
        let anchor = Anchor::take()?;
        let since = |later: u64, earlier: u64| self.nanoseconds(later.saturating_sub(earlier));
        Ok((anchor.kernel_ns + since(reading.0, anchor.ticks))
            .saturating_sub(since(anchor.ticks, reading.0)))
    }

    /// Compares the clock with the kernel's again: for a doubt about a run that is over.
    ///
    /// # Errors
    /// When the kernel's clock cannot be read any more, or did not advance since.
    pub fn drift_since_calibration(&self) -> Result<Drift, ClockError> {
        calibration::drift(
            self.rate,
            self.anchor,
            Anchor::take()?,
            self.uncertainty_parts_per_million,
        )
    }
}

impl From<Clock> for TickRate {
    fn from(clock: Clock) -> Self {
        clock.rate
    }
}

impl From<&Clock> for TickRate {
    fn from(clock: &Clock) -> Self {
        clock.rate
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn the_calibrated_clock_agrees_with_the_standard_one() {
        let clock = Clock::calibrate().unwrap();
        let (own, standard) = (clock.now(), Instant::now());
        std::thread::sleep(Duration::from_millis(100));
        let elapsed = clock.nanoseconds(clock.now().checked_since(own).unwrap());
        let expected = standard.elapsed().as_nanos() as f64;
        let difference = (elapsed as f64 - expected).abs() / expected;
        assert!(difference < 0.02, "{elapsed} ns against {expected} ns");
    }

    #[test]
    fn the_description_holds_measured_values() {
        let clock = Clock::calibrate().unwrap();
        let description = clock.description();
        println!("{description:?}");
        assert_eq!(description.frequency_hz, clock.rate().frequency_hz());
        assert!(description.cost_ns > 0.0 && description.cost_ns < 100_000.0);
        assert!(description.resolution_ns > 0.0);
        assert!(description.frequency_uncertainty_parts_per_million >= 0.0);
    }

    #[test]
    fn times_of_the_kernels_clock_before_and_after_now_are_as_far_away_as_the_readings() {
        let clock = Clock::calibrate().unwrap();
        let now = clock.now();
        let millisecond = clock.ticks_of(Duration::from_millis(1));
        let at = |ticks| clock.raw_ns_at(Ticks(ticks)).unwrap() as i64;
        let (before, after) = (at(now.0 - millisecond), at(now.0 + millisecond));
        // Each call takes the kernel's time anew, in between which the clocks may differ a little.
        assert!((after - before - 2_000_000).abs() < 100_000, "{before} {after}");
    }

    #[test]
    fn a_clock_keeps_the_rate_that_was_just_measured_within_half_a_percent() {
        let clock = Clock::calibrate().unwrap();
        std::thread::sleep(Duration::from_millis(50));
        let drift = clock.drift_since_calibration().unwrap();
        println!("{drift:?}");
        assert!(drift.elapsed >= Duration::from_millis(50));
        // Far above what an interrupted reading does, far below a counter that
        // changes its rate with the CPU's.
        assert!(drift.parts_per_million.abs() < 5_000.0 + drift.uncertainty_parts_per_million);
    }
}
