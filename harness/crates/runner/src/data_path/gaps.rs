//! Times in which nothing completed although something was due.

use onesided_measure::Ticks;

/// What nothing completed in, of one thread.
///
/// A gap ends with a completion, and begins with the completion before it or, where nothing was in
/// flight then, where the latency of what completed counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Gaps {
    /// The last completion; before the first one, the beginning.
    last: Ticks,
    /// Longest gap, in ticks.
    pub longest: u64,
    /// Sum of the gaps that are stalls, in ticks.
    pub stalled: u64,
    /// From so many ticks on a gap is a stall.
    stall: u64,
}

impl Gaps {
    /// None yet at `now`.
    pub(crate) fn new(now: Ticks, stall: u64) -> Self {
        Self { last: now, longest: 0, stalled: 0, stall }
    }

    /// The same, with `now` as the beginning.
    pub(crate) fn starting_at(self, now: Ticks) -> Self {
        Self { last: now, ..self }
    }

    /// Forgets what was, but not when something completed last.
    pub(crate) fn begin_again(&mut self) {
        (self.longest, self.stalled) = (0, 0);
    }

    /// The last completion.
    #[inline]
    pub(crate) fn last(&self) -> Ticks {
        self.last
    }

    /// Something completed at `now`; `latency` is asked for the longest latency of that where it
    /// may matter, which is seldom.
    #[inline]
    pub(crate) fn completed(&mut self, now: Ticks, latency: impl FnOnce() -> u64) {
        let quiet = now.0.saturating_sub(self.last.0);
        if quiet > self.longest || quiet >= self.stall {
            self.note(quiet.min(latency()));
        }
        self.last = now;
    }

    #[cold]
    fn note(&mut self, gap: u64) {
        self.longest = self.longest.max(gap);
        if gap >= self.stall {
            self.stalled += gap;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_is_no_longer_than_what_ends_it_was_in_flight() {
        let mut gaps = Gaps::new(Ticks(100), 1000);
        gaps.completed(Ticks(160), || 500);
        assert_eq!((gaps.longest, gaps.stalled), (60, 0), "from the beginning on");
        gaps.completed(Ticks(5160), || 70);
        assert_eq!(
            (gaps.longest, gaps.stalled),
            (70, 0),
            "nothing was in flight for the most of it"
        );
        gaps.completed(Ticks(6660), || 1600);
        gaps.completed(Ticks(7660), || 1000);
        assert_eq!((gaps.longest, gaps.stalled), (1500, 2500));
        gaps.completed(Ticks(7661), || unreachable!("a short one is not looked at"));
        gaps.begin_again();
        assert_eq!((gaps.longest, gaps.stalled, gaps.last()), (0, 0, Ticks(7661)));
    }
}
