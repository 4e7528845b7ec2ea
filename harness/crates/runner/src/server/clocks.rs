//! How far a client host's clock is from the server's.
//!
//! ```text
//!   server   sent ------.          .------ received
//!   client               `- theirs'
//! ```
//!
//! The client read its clock somewhere between the two instants of the server. Taking it for the
//! middle is wrong by at most half of the round trip, however unequal the two ways are (Cristian
//! 1989, doi:10.1007/BF01784024); so the shortest of some round trips says most.

use std::time::Duration;

/// Round trips on each host, before a run and after it. Ours: on a quiet network the third is as
/// short as any, and they take less time than connecting a queue pair.
pub(super) const ROUND_TRIPS: u32 = 16;

/// Time that every message needs beyond the slowest round trip before it is acted upon. Ours: a
/// client's process may have to wait that long for a CPU beside its spinning threads.
const SCHEDULING: Duration = Duration::from_millis(50);

/// Longest time that is left before a start. Ours: a control connection that was once slower need
/// not be again.
const LONGEST_NOTICE: Duration = Duration::from_secs(2);

/// One question after a client's clock. All by `CLOCK_MONOTONIC_RAW`, in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RoundTrip {
    /// When the server asked, by its own clock.
    pub sent_ns: u64,
    /// What the client's clock showed.
    pub theirs_ns: u64,
    /// When the server had the answer.
    pub received_ns: u64,
}

impl RoundTrip {
    fn took_ns(&self) -> u64 {
        self.received_ns.saturating_sub(self.sent_ns)
    }
}

/// How a client's clock stood at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    /// By how much it was ahead of the server's.
    pub offset_ns: i64,
    /// Most that the offset can be wrong by.
    pub uncertainty_ns: u64,
    /// When, by the server's clock.
    pub at_ns: u64,
    /// Longest of the round trips.
    pub slowest_ns: u64,
    /// How many there were.
    pub round_trips: u32,
}

impl Reading {
    /// Of some round trips; nothing of none.
    pub(super) fn of(trips: &[RoundTrip]) -> Option<Self> {
        let shortest = trips.iter().min_by_key(|trip| trip.took_ns())?;
        let at_ns = shortest.sent_ns + shortest.took_ns() / 2;
        Some(Self {
            offset_ns: shortest.theirs_ns.wrapping_sub(at_ns).cast_signed(),
            uncertainty_ns: shortest.took_ns().div_ceil(2),
            at_ns,
            slowest_ns: trips.iter().map(RoundTrip::took_ns).max().unwrap_or(0),
            round_trips: trips.len() as u32,
        })
    }

    /// What the client's clock shows when the server's shows `at_ns`.
    pub(super) fn theirs(&self, at_ns: u64) -> u64 {
        at_ns.saturating_add_signed(self.offset_ns)
    }

    /// By how much the client's clock ran faster than the server's from this reading to a later
    /// one, in parts per million, and by how much that may be wrong.
    pub(super) fn drift_ppm(&self, later: &Self) -> (f64, f64) {
        let elapsed_ns = later.at_ns.saturating_sub(self.at_ns).max(1) as f64;
        let gained_ns = later.offset_ns.wrapping_sub(self.offset_ns) as f64;
        let uncertain_ns = (self.uncertainty_ns + later.uncertainty_ns) as f64;
        (gained_ns / elapsed_ns * 1e6, uncertain_ns / elapsed_ns * 1e6)
    }
}

/// How long before the start it is said: time for the slowest round trip twice over.
pub(super) fn notice_ns(readings: &[Reading]) -> u64 {
    let slowest_ns = readings.iter().map(|reading| reading.slowest_ns).max().unwrap_or(0);
    let notice = SCHEDULING + Duration::from_nanos(slowest_ns.saturating_mul(2));
    notice.min(LONGEST_NOTICE).as_nanos() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A client whose clock is ahead by `offset_ns`, over ways that take this long.
    fn trip(sent_ns: u64, there_ns: u64, back_ns: u64, offset_ns: i64) -> RoundTrip {
        RoundTrip {
            sent_ns,
            theirs_ns: (sent_ns + there_ns).saturating_add_signed(offset_ns),
            received_ns: sent_ns + there_ns + back_ns,
        }
    }

    #[test]
    fn the_offset_of_equal_ways_is_exact_and_the_shortest_round_trip_is_taken() {
        for offset_ns in [0, 17_000_000_000, -9_000_000_000] {
            let at = 30_000_000_000;
            let trips = [
                trip(at, 90_000, 10_000, offset_ns),
                trip(at + 200_000, 500, 500, offset_ns),
                trip(at + 300_000, 9_000, 1_000_000, offset_ns),
            ];
            let reading = Reading::of(&trips).unwrap();
            assert_eq!(reading.offset_ns, offset_ns);
            assert_eq!((reading.uncertainty_ns, reading.round_trips), (500, 3));
            assert_eq!((reading.at_ns, reading.slowest_ns), (at + 200_500, 1_009_000));
            let shown = reading.theirs(at).cast_signed();
            assert_eq!(shown, at.cast_signed() + offset_ns);
        }
        assert_eq!(Reading::of(&[]), None);
    }

    #[test]
    fn however_unequal_the_ways_are_the_offset_is_within_its_uncertainty() {
        for (there_ns, back_ns) in [(1, 99_999), (99_999, 1), (0, 1), (33, 34), (0, 0)] {
            for offset_ns in [-5_000_000, 5_000_000] {
                let reading = Reading::of(&[trip(10_000_000, there_ns, back_ns, offset_ns)]);
                let reading = reading.unwrap();
                let wrong_ns = reading.offset_ns.abs_diff(offset_ns);
                assert!(wrong_ns <= reading.uncertainty_ns, "{there_ns} {back_ns}: {reading:?}");
            }
        }
    }

    #[test]
    fn a_clock_that_gains_has_a_drift_that_is_no_surer_than_its_two_offsets() {
        let before = Reading::of(&[trip(1_000_000_000, 1_000, 1_000, 5_000)]).unwrap();
        let after = Reading::of(&[trip(3_000_000_000, 1_000, 1_000, 105_000)]).unwrap();
        let (drift_ppm, uncertainty_ppm) = before.drift_ppm(&after);
        // 100 us in 2 s, known to 2 us.
        assert!((drift_ppm - 50.0).abs() < 1e-9, "{drift_ppm}");
        assert!((uncertainty_ppm - 1.0).abs() < 1e-9, "{uncertainty_ppm}");
    }

    #[test]
    fn the_start_is_named_early_enough_for_the_slowest_message_and_not_for_ever_ahead() {
        let of = |took_ns| Reading::of(&[trip(1, took_ns, 0, 0)]).unwrap();
        assert_eq!(notice_ns(&[of(1_000), of(3_000_000)]), 56_000_000);
        assert_eq!(notice_ns(&[of(60_000_000_000)]), 2_000_000_000);
    }
}
