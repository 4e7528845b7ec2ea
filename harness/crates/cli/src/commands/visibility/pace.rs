//! How long counts go on, and how far they are.

use std::time::{Duration, Instant};

use crate::progress::Progress;

/// Time between two lines about one count. Ours.
const TOLD_EVERY: Duration = Duration::from_secs(5);

/// All counts.
pub struct Pace {
    rounds: u64,
    left: u64,
    until: Instant,
    progress: Progress,
}

impl Pace {
    /// Begins so many counts of so many rounds each, in such a time.
    pub fn begin(counts: u64, rounds: u64, limit: Duration) -> Self {
        Self { rounds, left: counts, until: Instant::now() + limit, progress: Progress::of(counts) }
    }

    /// Rounds of each.
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    /// Begins the next count, which is of `what`: says whether it goes on to another round. It does until it
    /// has all rounds, or until its part of the time that is left is over; the first round is always done.
    pub fn count(&mut self, what: String) -> impl FnMut() -> bool + '_ {
        let began = Instant::now();
        let part = self.until.saturating_duration_since(began) / self.left.max(1) as u32;
        self.left = self.left.saturating_sub(1);
        let (mut done, mut told) = (0_u64, began);
        move || {
            let now = Instant::now();
            if done >= self.rounds || done > 0 && now - began >= part {
                self.progress.step(&what);
                return false;
            }
            if now - told >= TOLD_EVERY {
                told = now;
                self.progress.say(&format!("{what}: {done} of {} WRITEs", self.rounds));
            }
            done += 1;
            true
        }
    }

    /// No more counts.
    pub fn end(&self) {
        self.progress.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounds_of(pace: &mut Pace) -> u64 {
        let mut goes_on = pace.count("something".to_owned());
        let mut rounds = 0;
        while goes_on() {
            rounds += 1;
        }
        rounds
    }

    #[test]
    fn a_count_has_its_rounds_where_there_is_time() {
        let mut pace = Pace::begin(2, 7, Duration::from_secs(3_600));
        assert_eq!([rounds_of(&mut pace), rounds_of(&mut pace)], [7, 7]);
    }

    #[test]
    fn a_count_ends_with_its_part_of_the_time_and_leaves_the_rest() {
        let began = Instant::now();
        let mut pace = Pace::begin(2, u64::MAX, Duration::from_millis(60));
        let first = rounds_of(&mut pace);
        let took = began.elapsed();
        assert!(first > 0 && took >= Duration::from_millis(25), "{first} in {took:?}");
        assert!(rounds_of(&mut pace) > 0);
        assert!(began.elapsed() >= Duration::from_millis(60));
    }

    #[test]
    fn each_count_has_a_round_even_where_no_time_is_left() {
        let mut pace = Pace::begin(2, 7, Duration::from_nanos(1));
        assert_eq!([rounds_of(&mut pace), rounds_of(&mut pace)], [1, 1]);
    }
}
