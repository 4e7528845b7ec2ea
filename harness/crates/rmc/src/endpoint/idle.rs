//! How long nothing has come.

use std::time::{Duration, Instant};

use onesided_placement::PreemptionWatch;

/// Empty polls before it looks around. Ours: some 10 µs, many round trips.
const PATIENT: u32 = 1 << 10;

/// Shortest time after which a living peer that answers nothing is taken for lost. Ours: a stopped
/// process is noticed, one that waits for a CPU among many is not taken for one.
pub const SHORTEST_PATIENCE: Duration = Duration::from_secs(10);

/// How long nothing has come.
#[derive(Default)]
pub struct Idle {
    polls: u32,
    pub(super) since: Option<Instant>,
    pub(super) asked: Option<Instant>,
    pub(super) preemption: PreemptionWatch,
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
