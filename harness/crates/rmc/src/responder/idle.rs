//! What a responder does when there is nothing to do: it spins for a while, then it sleeps.

use std::{
    hint,
    time::{Duration, Instant},
};

use onesided_placement::PreemptionWatch;

/// Rounds that only look, at full speed. Ours: some 10 µs, above a round trip and what a
/// requester does between two operations of a closed loop.
const EAGER: u32 = 2_000;

/// Rounds between two looks around, later on.
const BREATH: u32 = 2_000;

/// Time that it spins where nobody else wants the CPU. Ours: waking takes tens of microseconds, so
/// that a load with pauses below this does not meet a sleeping responder.
pub const RESPONDERS_SPIN: Duration = Duration::from_millis(2);

/// First and longest sleep. Ours: a request that is sent when the responder just fell asleep, and
/// whose sender does not see so, waits for the first; an idle node wakes 50 times a second.
const SLEEPS: (Duration, Duration) = (Duration::from_millis(1), Duration::from_millis(20));

/// How long it has been idle.
#[derive(Default)]
pub struct Idle {
    rounds: u32,
    since: Option<Instant>,
    sleeps: u32,
    preemption: PreemptionWatch,
}

/// What follows an idle round.
pub enum Idling {
    /// The next round.
    Go,
    /// Sleep, then the next round.
    Sleep(Duration),
}

impl Idle {
    /// There was something to do.
    #[inline]
    pub fn over(&mut self) {
        self.rounds = 0;
        self.since = None;
        self.sleeps = 0;
    }

    /// There was nothing to do, once more.
    #[inline]
    pub fn next(&mut self) -> Idling {
        self.rounds += 1;
        if self.rounds < EAGER {
            return Idling::Go;
        }
        hint::spin_loop();
        if !self.rounds.is_multiple_of(BREATH) && self.sleeps == 0 {
            return Idling::Go;
        }
        self.breathe()
    }

    #[cold]
    fn breathe(&mut self) -> Idling {
        let since = *self.since.get_or_insert_with(Instant::now);
        if self.sleeps == 0 && !self.preemption.is_recent() && since.elapsed() < RESPONDERS_SPIN {
            return Idling::Go;
        }
        let (first, longest) = SLEEPS;
        let time = longest.min(first.saturating_mul(1 << self.sleeps.min(8)));
        self.sleeps += 1;
        Idling::Sleep(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_spins_then_sleeps_longer_and_longer_and_starts_again() {
        let mut idle = Idle::default();
        let start = Instant::now();
        let first = loop {
            if let Idling::Sleep(time) = idle.next() {
                break time;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "it never sleeps");
        };
        let mut slept = vec![first];
        for _ in 0..8 {
            let Idling::Sleep(time) = idle.next() else { panic!("it goes on sleeping") };
            slept.push(time);
        }
        assert_eq!((slept[0], slept[8]), SLEEPS);
        assert!(slept.is_sorted());
        idle.over();
        assert!(matches!(idle.next(), Idling::Go));
    }
}
