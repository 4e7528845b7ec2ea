//! Where the threads of two nodes meet, spinning: one that slept would have to warm up again.

use std::{
    hint,
    sync::atomic::{AtomicU32, AtomicUsize, Ordering},
    thread,
};

/// Threads that meet.
const THREADS: usize = 2;

/// Looks after which the CPU is offered to others. Ours: some 10 µs.
const PATIENT: u32 = 1 << 10;

/// How far a measurement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum Phase {
    /// Nothing counts yet.
    WarmUp,
    /// What is measured counts.
    Counts,
    /// This round is the last one.
    Over,
}

/// A point that two threads come to again and again.
pub struct Meeting {
    come: AtomicUsize,
    round: AtomicUsize,
    phase: AtomicU32,
}

impl Meeting {
    /// Nobody has come yet.
    pub fn new() -> Self {
        let (come, round) = (AtomicUsize::new(0), AtomicUsize::new(0));
        Self { come, round, phase: AtomicU32::new(Phase::WarmUp as u32) }
    }

    /// Waits until both have come; what they did before is seen afterwards.
    pub fn meet(&self) {
        let round = self.round.load(Ordering::Relaxed);
        if self.come.fetch_add(1, Ordering::AcqRel) + 1 == THREADS {
            self.come.store(0, Ordering::Relaxed);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut looks = 0_u32;
        while self.round.load(Ordering::Acquire) == round {
            hint::spin_loop();
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(PATIENT) {
                thread::yield_now();
            }
        }
    }

    /// Goes on to a later phase, which both know of once they have met.
    pub fn enter(&self, phase: Phase) {
        self.phase.fetch_max(phase as u32, Ordering::Relaxed);
    }

    /// The phase.
    pub fn phase(&self) -> Phase {
        let now = self.phase.load(Ordering::Relaxed);
        let all = [Phase::WarmUp, Phase::Counts, Phase::Over];
        all.into_iter().find(|phase| *phase as u32 == now).expect("one of them was entered")
    }
}
