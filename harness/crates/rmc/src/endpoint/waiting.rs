//! What a requester does while nothing comes: rarely, and never while something does.

use std::{
    thread,
    time::{Duration, Instant},
};

use onesided_placement::PreemptionWatch;

use super::RmcEndpoint;

/// Empty polls before it looks around. Ours: some 10 µs, many round trips.
const PATIENT: u32 = 1 << 10;

/// Time between two looks whether the peer lives: asking the kernel takes below a microsecond.
const LIFE: Duration = Duration::from_millis(1);

/// Shortest time after which a living peer that answers nothing is taken for lost. Ours: a stopped
/// process is noticed, one that waits for a CPU among many is not taken for one.
pub const SHORTEST_PATIENCE: Duration = Duration::from_secs(10);

/// What it sleeps where others want its CPU; the kernel adds some 50 µs.
const MOMENT: Duration = Duration::from_micros(1);

/// How long nothing has come.
#[derive(Default)]
pub struct Idle {
    polls: u32,
    since: Option<Instant>,
    asked: Option<Instant>,
    preemption: PreemptionWatch,
}

impl Idle {
    /// Something came.
    #[inline]
    pub fn over(&mut self) {
        self.polls = 0;
        self.since = None;
    }

    /// What came cannot be taken yet: it is time to look around.
    #[inline]
    pub fn look_soon(&mut self) {
        self.polls = PATIENT.wrapping_sub(1);
    }

    /// Nothing came, once more; whether it is time to look around.
    #[inline]
    pub fn next(&mut self) -> bool {
        self.polls = self.polls.wrapping_add(1);
        self.polls.is_multiple_of(PATIENT)
    }
}

impl RmcEndpoint {
    /// Looks whether the peer sleeps, lives, or answers no more; lets others have the CPU.
    #[cold]
    pub(super) fn look_around(&mut self) {
        if self.idle.preemption.is_recent() {
            // Whoever we wait for may need this CPU.
            thread::sleep(MOMENT);
        }
        let Some(channel) = &self.channel else { return };
        if self.in_flight.count() == 0 {
            return self.idle.over();
        }
        channel.wake();
        let now = Instant::now();
        let since = *self.idle.since.get_or_insert(now);
        if self.idle.asked.is_some_and(|asked| now - asked < LIFE) {
            return;
        }
        self.idle.asked = Some(now);
        if !channel.peer.is_alive() {
            // What it answered while it lived counts; a delay on the fabric is not waited for.
            self.collect();
            self.lose();
        } else if now - since > self.patience {
            self.lose();
        }
    }
}
