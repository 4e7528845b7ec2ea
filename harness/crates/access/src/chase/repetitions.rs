//! How often loads are timed, and what is kept of it.

use std::{
    num::{NonZeroU32, NonZeroU64},
    time::Duration,
};

use onesided_measure::Clock;

use super::cycle::Cycle;

/// Least time of warming up: long enough for a processor to leave its idle clock rate. Ours.
const WARM_UP: Duration = Duration::from_millis(20);

/// Loads between two looks at the clock while warming up.
const LOADS_PER_LOOK: u64 = 1 << 16;

/// How much is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// How often a number of loads is timed.
    pub repetitions: NonZeroU32,
    /// Loads of one repetition, rounded up to whole turns of the loop.
    pub loads: NonZeroU64,
}

impl Default for Effort {
    /// 15 repetitions of 2^18 loads: 26 ms each at 100 ns, and at 1 ns still long against a timer
    /// interrupt.
    fn default() -> Self {
        let (repetitions, loads) = (NonZeroU32::new(15), NonZeroU64::new(1 << 18));
        Self { repetitions: repetitions.expect("not 0"), loads: loads.expect("not 0") }
    }
}

/// The time of one load, over the repetitions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Latency {
    /// Median in nanoseconds: an interrupt lengthens a repetition, nothing shortens one.
    pub median_ns: f64,
    /// Lower quartile.
    pub low_quartile_ns: f64,
    /// Upper quartile.
    pub high_quartile_ns: f64,
    /// Shortest.
    pub min_ns: f64,
    /// Loads of one repetition.
    pub loads: u64,
    /// Repetitions.
    pub repetitions: u32,
}

/// Warms up for a lap at least, then times.
pub(super) fn measure(cycle: &mut Cycle<'_>, clock: &Clock, effort: Effort) -> Latency {
    warm_up(cycle, clock);
    let loads = Cycle::rounded(effort.loads.get());
    let mut times_ns = Vec::with_capacity(effort.repetitions.get() as usize);
    for _ in 0..effort.repetitions.get() {
        let began = clock.now();
        cycle.walk(loads);
        let ticks = clock.now().checked_since(began).unwrap_or(0);
        times_ns.push(clock.nanoseconds(ticks) as f64 / loads as f64);
    }
    summarised(times_ns, loads)
}

fn warm_up(cycle: &mut Cycle<'_>, clock: &Clock) {
    let enough = clock.ticks_of(WARM_UP);
    let began = clock.now();
    let mut loads = 0;
    while loads < cycle.lines() || clock.now().checked_since(began).is_none_or(|t| t < enough) {
        cycle.walk(LOADS_PER_LOOK);
        loads += LOADS_PER_LOOK;
    }
}

fn summarised(mut times_ns: Vec<f64>, loads: u64) -> Latency {
    times_ns.sort_by(f64::total_cmp);
    Latency {
        median_ns: quantile(&times_ns, 0.5),
        low_quartile_ns: quantile(&times_ns, 0.25),
        high_quartile_ns: quantile(&times_ns, 0.75),
        min_ns: times_ns[0],
        loads,
        repetitions: times_ns.len() as u32,
    }
}

/// Of ascending numbers, between the two nearest (Hyndman, Fan 1996, definition 7, R's default).
pub(super) fn quantile(ascending: &[f64], fraction: f64) -> f64 {
    let at = fraction * (ascending.len() - 1) as f64;
    let (below, above) = (ascending[at.floor() as usize], ascending[at.ceil() as usize]);
    below + (above - below) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_of_one_to_five_are_those_of_r() {
        let latency = summarised(vec![5.0, 1.0, 4.0, 2.0, 3.0], 32);
        assert_eq!(latency.median_ns, 3.0);
        assert_eq!((latency.low_quartile_ns, latency.high_quartile_ns), (2.0, 4.0));
        assert_eq!((latency.min_ns, latency.repetitions, latency.loads), (1.0, 5, 32));
        // quantile(c(1, 2, 3, 4), .25) is 1.75 in R.
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.25), 1.75);
    }

    #[test]
    fn one_repetition_is_its_own_median_and_quartiles() {
        let latency = summarised(vec![7.0], 32);
        assert_eq!((latency.low_quartile_ns, latency.high_quartile_ns), (7.0, 7.0));
    }
}
