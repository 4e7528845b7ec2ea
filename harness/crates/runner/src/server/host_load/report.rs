//! What one thread did, whichever process it was in.

use std::time::Duration;

use onesided_control::message::LoadSeries;
use onesided_measure::{Clock, Ticks};
use onesided_results::{
    RunConfiguration,
    record::{LoadThreadTotals, ThreadProof},
};

/// Beyond warm-up and measured time, what windows are still counted for: connecting, draining and a
/// slow start. Ours.
const BEYOND: Duration = Duration::from_secs(10);

/// How long windows are counted for.
pub(super) fn expected(configuration: &RunConfiguration) -> Duration {
    Duration::from_millis(configuration.warm_up_ms + configuration.duration_ms) + BEYOND
}

/// The client's measured interval on the server's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) struct Interval {
    /// Its start.
    pub t0: Ticks,
    /// Its length.
    pub length_ns: u64,
    /// By how much the start may be wrong, either way.
    pub uncertainty_ns: u64,
}

impl Interval {
    /// From four times: the client knows how long it was between the arrival of a message of ours
    /// and the sending of its answer, and between the interval's start and that answer; we know
    /// when we sent and when the answer came. What is left is the two messages' travel: half of it
    /// is the answer's, give or take the other half (Cristian 1989, doi:10.1007/BF01784024).
    pub(in crate::server) fn of(
        clock: Clock,
        sent: Ticks,
        answered: Ticks,
        since_connected_ns: u64,
        since_start_ns: u64,
        length_ns: u64,
    ) -> Self {
        let away_ns = clock.nanoseconds(answered.0.saturating_sub(sent.0));
        let travel_ns = away_ns.saturating_sub(since_connected_ns);
        let back_ns = since_start_ns.saturating_add(travel_ns / 2);
        let back = clock.ticks_of(std::time::Duration::from_nanos(back_ns));
        let t0 = Ticks(answered.0.saturating_sub(back));
        Self { t0, length_ns, uncertainty_ns: travel_ns.div_ceil(2) }
    }

    /// Its end, on the same clock.
    pub(in crate::server) fn end(self, clock: Clock) -> Ticks {
        Ticks(self.t0.0 + clock.ticks_of(Duration::from_nanos(self.length_ns)))
    }
}

/// One thread's report.
#[derive(Clone, Debug)]
pub(super) struct LoadThread {
    pub proof: ThreadProof,
    /// Start of its first window, counted from the start of the measured interval.
    pub starts_ns: i64,
    pub window_ns: u64,
    pub windows: Vec<u64>,
    pub accesses: u64,
    pub reads: u64,
    pub writes: u64,
    pub swaps_won: u64,
}

impl LoadThread {
    /// Its sums, and its rate over the windows that are whole within the interval.
    pub(super) fn totals(&self, interval: Interval) -> LoadThreadTotals {
        let end_ns = i64::try_from(interval.length_ns).unwrap_or(i64::MAX);
        let window_ns = self.window_ns as i64;
        let starts = (0..).map(|index| self.starts_ns + index * window_ns);
        let within: Vec<u64> = starts
            .zip(&self.windows)
            .filter(|(start, _)| *start >= 0 && start + window_ns <= end_ns)
            .map(|(_, accesses)| *accesses)
            .collect();
        let measured_ns = within.len() as u64 * self.window_ns;
        let rate = within.iter().sum::<u64>() as f64 * 1e9 / measured_ns as f64;
        LoadThreadTotals {
            role: self.proof.role,
            thread: self.proof.thread,
            accesses: self.accesses,
            reads: self.reads,
            writes: self.writes,
            swaps_won: self.swaps_won,
            rate_per_second: (measured_ns > 0).then_some(rate),
            measured_ns,
        }
    }

    /// Its windows.
    pub(super) fn into_series(self) -> LoadSeries {
        LoadSeries {
            role: self.proof.role,
            thread: self.proof.thread,
            starts_ns: self.starts_ns,
            window_ns: self.window_ns,
            accesses: self.windows,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use onesided_results::vocabulary::ThreadRole;

    use super::*;

    fn thread(starts_ns: i64, windows: &[u64]) -> LoadThread {
        LoadThread {
            proof: ThreadProof {
                role: ThreadRole::Worker,
                thread: 3,
                asked: "any".to_owned(),
                asked_cpus: None,
                resolved_node: None,
                seen: Vec::new(),
                activity: None,
            },
            starts_ns,
            window_ns: 10,
            windows: windows.to_vec(),
            accesses: windows.iter().sum::<u64>() + 1,
            reads: 4,
            writes: 2,
            swaps_won: 0,
        }
    }

    fn interval(length_ns: u64) -> Interval {
        Interval { t0: Ticks(0), length_ns, uncertainty_ns: 1 }
    }

    #[test]
    fn only_windows_that_are_whole_within_the_interval_make_the_rate() {
        // From -15: -15, -5, 5, 15, 25; of these 5 and 15 lie within 0 to 30.
        let totals = thread(-15, &[100, 100, 6, 8, 100]).totals(interval(30));
        assert_eq!((totals.measured_ns, totals.accesses), (20, 315));
        assert_eq!(totals.rate_per_second, Some(14.0 * 1e9 / 20.0));
        assert_eq!(thread(-15, &[100]).totals(interval(30)).rate_per_second, None);
        // One that begins and ends with the interval is within.
        assert_eq!(thread(0, &[5]).totals(interval(10)).measured_ns, 10);
    }

    #[test]
    fn the_start_is_found_from_both_sides_times_to_within_the_travel() {
        let clock = Clock::calibrate().unwrap();
        let ticks = |us: u64| clock.ticks_of(Duration::from_micros(us));
        // Sent at 1 s, answered after 500 us; the client had it for 400 us, started 250 us ago.
        let sent = Ticks(ticks(1_000_000));
        let answered = Ticks(sent.0 + ticks(500));
        let interval = Interval::of(clock, sent, answered, 400_000, 250_000, 7);
        assert_eq!((interval.uncertainty_ns, interval.length_ns), (50_000, 7));
        let since = clock.nanoseconds(interval.t0.0 - sent.0);
        assert!(since.abs_diff(200_000) < 1_000, "{since}");
    }

    #[test]
    fn a_clock_that_runs_a_little_fast_gives_no_negative_travel() {
        let clock = Clock::calibrate().unwrap();
        let interval = Interval::of(clock, Ticks(1 << 40), Ticks(1 << 40), 10, 5, 7);
        assert_eq!(interval.uncertainty_ns, 0);
        assert!(interval.t0.0 <= 1 << 40);
    }
}
