//! What a thread does while nothing comes: rarely, and never while something does.
//!
//! It spins, unless others want its CPU: then it sleeps for moments, so that more nodes than CPUs
//! get on. And since memory that a dead peer would write never changes, it asks from time to time
//! for an operation to be sent to the peer, whose failure tells.

use std::{
    hint, thread,
    time::{Duration, Instant},
};

use onesided_placement::PreemptionWatch;

/// Empty looks before it looks around. Ours: some 10 µs, above a round trip.
const PATIENT: u32 = 1 << 10;

/// What it sleeps where others want its CPU; the kernel adds some 50 µs.
const MOMENT: Duration = Duration::from_micros(1);

/// Time without anything after which a peer is asked whether it lives. Ours: below what a person
/// notices, and far above what it costs.
const SILENCE: Duration = Duration::from_millis(20);

/// Looks that found nothing, in a row.
#[derive(Default)]
pub struct Waiting {
    looks: u32,
    since: Option<Instant>,
    preemption: PreemptionWatch,
}

/// What follows a look that found nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Idle {
    /// The next look.
    Look,
    /// Nothing has come for a while: what is left to be said is said now.
    Tidy,
    /// Nothing has come for long: the peer is asked whether it lives.
    Ask,
}

impl Waiting {
    /// Something came.
    #[inline]
    pub fn over(&mut self) {
        self.looks = 0;
        self.since = None;
    }

    /// Whether nothing has come lately.
    #[inline]
    pub fn has_looked(&self) -> bool {
        self.looks > 0
    }

    /// Nothing came, once more.
    #[inline]
    pub fn next(&mut self) -> Idle {
        self.looks = self.looks.wrapping_add(1);
        hint::spin_loop();
        if self.looks.is_multiple_of(PATIENT) { self.look_around() } else { Idle::Look }
    }

    #[cold]
    fn look_around(&mut self) -> Idle {
        if self.preemption.is_recent() {
            // Whoever it waits for may need this CPU.
            thread::sleep(MOMENT);
        }
        let now = Instant::now();
        if now - *self.since.get_or_insert(now) < SILENCE {
            return Idle::Tidy;
        }
        self.since = Some(now);
        Idle::Ask
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn it_tidies_up_soon_and_asks_again_and_again_while_nothing_comes() {
        let mut waiting = Waiting::default();
        let start = Instant::now();
        let mut seen = Vec::new();
        while seen.iter().filter(|idle| **idle == Idle::Ask).count() < 2 {
            assert!(start.elapsed() < Duration::from_secs(20), "it never asks");
            match waiting.next() {
                Idle::Look => {}
                idle => seen.push(idle),
            }
        }
        assert_eq!(seen[0], Idle::Tidy);
        assert!(start.elapsed() >= 2 * SILENCE);
        waiting.over();
        assert_eq!(waiting.next(), Idle::Look);
    }
}
