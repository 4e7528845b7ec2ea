//! The counter's rate against the kernel's clock, and what a reading costs.

use std::{fs, hint, io, mem::MaybeUninit, thread, time::Duration};

use super::{ClockError, Drift, counter};
use crate::ticks::TickRate;

/// How long the counter is watched. Ours: a bracket of 50 ns at both ends is 1 ppm of it.
const WATCHED: Duration = Duration::from_millis(50);
/// Brackets tried for one anchor. Ours: all of them interrupted is out of the question, and 64
/// take microseconds.
const BRACKETS: usize = 64;
/// Readings without a step after which a counter stands still. Ours: about a second of the
/// slowest clock readings (1 µs, HPET in a virtual machine).
const PATIENCE_READS: u64 = 1_000_000;

/// Counter and kernel time at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Anchor {
    pub(super) ticks: u64,
    pub(super) kernel_ns: u64,
    /// Ticks from before to after the kernel's clock was read.
    width_ticks: u64,
}

impl Anchor {
    /// Reads the kernel's clock between two readings of the counter, several times, and keeps the
    /// tightest: one that was interrupted is wide.
    pub(super) fn take() -> Result<Self, ClockError> {
        let mut best = Self::bracket()?;
        for _ in 1..BRACKETS {
            let candidate = Self::bracket()?;
            if candidate.width_ticks < best.width_ticks {
                best = candidate;
            }
        }
        Ok(best)
    }

    fn bracket() -> Result<Self, ClockError> {
        let before = counter::read();
        let kernel_ns = kernel_nanoseconds()?;
        let after = counter::read();
        let width_ticks =
            after.checked_sub(before).ok_or(ClockError::NotAdvancing { ticks: after, reads: 2 })?;
        Ok(Self { ticks: before + width_ticks / 2, kernel_ns, width_ticks })
    }
}

/// A measured rate.
pub(super) struct Calibration {
    pub(super) rate: TickRate,
    pub(super) anchor: Anchor,
    pub(super) uncertainty_parts_per_million: f64,
}

/// `CLOCK_MONOTONIC_RAW` in nanoseconds (`clock_gettime(2)`): not steered by NTP.
pub(super) fn kernel_nanoseconds() -> Result<u64, ClockError> {
    let mut time = MaybeUninit::<libc::timespec>::uninit();
    // SAFETY: the pointer is to a timespec of this frame, which the call fills when it returns 0.
    let time = unsafe {
        if libc::clock_gettime(libc::CLOCK_MONOTONIC_RAW, time.as_mut_ptr()) != 0 {
            return Err(ClockError::Unreadable { source: io::Error::last_os_error() });
        }
        time.assume_init()
    };
    Ok(time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64)
}

pub(super) fn calibrate() -> Result<Calibration, ClockError> {
    let start = Anchor::take()?;
    thread::sleep(WATCHED);
    let end = Anchor::take()?;
    let (ticks, elapsed_ns) = difference(start, end)?;
    let measured_hz = ticks as f64 * 1e9 / elapsed_ns as f64;
    let frequency_hz = counter::EXACT_HZ.unwrap_or(measured_hz.round() as u64);
    let rate =
        TickRate::from_hz(frequency_hz).ok_or(ClockError::ImplausibleRate { ticks, elapsed_ns })?;
    let uncertainty_parts_per_million = match counter::EXACT_HZ {
        Some(_) => 0.0,
        None => uncertainty_parts_per_million(start, end, ticks),
    };
    Ok(Calibration { rate, anchor: end, uncertainty_parts_per_million })
}

/// Ticks and nanoseconds from one anchor to a later one.
fn difference(start: Anchor, end: Anchor) -> Result<(u64, u64), ClockError> {
    let stopped = ClockError::NotAdvancing { ticks: end.ticks, reads: 2 * BRACKETS as u64 };
    let ticks = end.ticks.checked_sub(start.ticks).filter(|&ticks| ticks > 0);
    let elapsed_ns = end.kernel_ns.checked_sub(start.kernel_ns).filter(|&elapsed| elapsed > 0);
    match (ticks, elapsed_ns) {
        (Some(ticks), Some(elapsed_ns)) => Ok((ticks, elapsed_ns)),
        _ => Err(stopped),
    }
}

/// The kernel's reading is somewhere within each bracket, taken for its middle.
fn uncertainty_parts_per_million(start: Anchor, end: Anchor, ticks: u64) -> f64 {
    (start.width_ticks + end.width_ticks) as f64 / 2.0 / ticks as f64 * 1e6
}

pub(super) fn drift(
    rate: TickRate,
    start: Anchor,
    end: Anchor,
    calibration_uncertainty_parts_per_million: f64,
) -> Result<Drift, ClockError> {
    let (ticks, elapsed_ns) = difference(start, end)?;
    let expected_ticks = rate.frequency_hz() as f64 * elapsed_ns as f64 / 1e9;
    Ok(Drift {
        parts_per_million: (ticks as f64 / expected_ticks - 1.0) * 1e6,
        uncertainty_parts_per_million: uncertainty_parts_per_million(start, end, ticks)
            + calibration_uncertainty_parts_per_million,
        elapsed: Duration::from_nanos(elapsed_ns),
    })
}

/// Mean cost of a reading in the best of several batches: interruptions only add.
pub(super) fn cost_ns(rate: TickRate) -> f64 {
    const BATCHES: u32 = 64;
    const READS: u32 = 256;
    let batch = || {
        let start = counter::read();
        for _ in 0..READS {
            hint::black_box(counter::read());
        }
        counter::read().saturating_sub(start)
    };
    let best = (0..BATCHES).map(|_| batch()).min().unwrap_or(0);
    fractional_ns(rate, best) / f64::from(READS + 1)
}

/// Smallest step between readings that differ.
pub(super) fn resolution_ns(rate: TickRate) -> Result<f64, ClockError> {
    const STEPS: u32 = 1_000;
    let mut smallest = u64::MAX;
    for _ in 0..STEPS {
        smallest = smallest.min(step()?);
    }
    Ok(fractional_ns(rate, smallest))
}

/// Reads until the counter steps on.
fn step() -> Result<u64, ClockError> {
    let start = counter::read();
    for _ in 0..PATIENCE_READS {
        let ticks = counter::read().saturating_sub(start);
        if ticks > 0 {
            return Ok(ticks);
        }
    }
    Err(ClockError::NotAdvancing { ticks: start, reads: PATIENCE_READS })
}

fn fractional_ns(rate: TickRate, ticks: u64) -> f64 {
    ticks as f64 * 1e9 / rate.frequency_hz() as f64
}

/// What the kernel keeps time with. It leaves the time stamp counter when it catches it drifting
/// or differing among CPUs, so that anything but `tsc` is a reason for doubt on x86.
pub(super) fn kernel_clocksource() -> Option<String> {
    let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let name = fs::read_to_string(path).ok()?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn anchor(ticks: u64, kernel_ns: u64) -> Anchor {
        Anchor { ticks, kernel_ns, width_ticks: 100 }
    }

    #[test]
    fn drift_is_the_relative_excess_of_ticks() {
        let rate = TickRate::from_hz(2_000_000_000).unwrap();
        let start = anchor(1_000, 5_000);
        let end = anchor(1_000 + 2_000_020_000, 5_000 + 1_000_000_000);
        let drift = drift(rate, start, end, 1.0).unwrap();
        assert!((drift.parts_per_million - 10.0).abs() < 1e-6);
        assert!((drift.uncertainty_parts_per_million - 1.05).abs() < 1e-3);
        assert_eq!(drift.elapsed, Duration::from_secs(1));
    }

    #[test]
    fn a_counter_that_stands_still_or_goes_back_is_an_error() {
        let refused = difference(anchor(10, 0), anchor(10, 50_000_000)).unwrap_err();
        assert!(matches!(refused, ClockError::NotAdvancing { ticks: 10, .. }));
        assert!(difference(anchor(10, 0), anchor(9, 50_000_000)).is_err());
    }

    #[test]
    fn an_anchor_lies_between_its_neighbours() {
        let (before, kernel_before) = (counter::read(), kernel_nanoseconds().unwrap());
        let anchor = Anchor::take().unwrap();
        let (after, kernel_after) = (counter::read(), kernel_nanoseconds().unwrap());
        assert!((before..=after).contains(&anchor.ticks));
        assert!((kernel_before..=kernel_after).contains(&anchor.kernel_ns));
    }
}
