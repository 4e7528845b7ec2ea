//! CPUs that a client's threads share when there are more threads than CPUs.

use crate::time::{Moment, Span};

/// Round-robin time slices, as a scheduler gives to threads that never sleep. Threads are dealt to
/// CPUs in turn and stay there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cpus {
    cpus: usize,
    threads: usize,
    quantum: Span,
}

impl Cpus {
    pub(crate) fn new(cpus: usize, threads: usize, quantum: Span) -> Self {
        Self { cpus: cpus.max(1), threads, quantum }
    }

    /// Whether every thread has a CPU of its own.
    pub(crate) fn suffice(&self) -> bool {
        self.threads <= self.cpus || self.quantum == Span::ZERO
    }

    /// The first moment from `at` on at which `thread` runs.
    pub(crate) fn runs(&self, thread: usize, at: Moment) -> Moment {
        if self.suffice() {
            return at;
        }
        let (cpu, turn) = (thread % self.cpus, thread / self.cpus);
        let sharing = (self.threads - cpu).div_ceil(self.cpus) as u64;
        let (quantum, turn) = (self.quantum.0, turn as u64);
        let round = at.0 / (sharing * quantum);
        let begins = (round * sharing + turn) * quantum;
        if at.0 < begins {
            Moment(begins)
        } else if at.0 < begins + quantum {
            at
        } else {
            Moment(begins + sharing * quantum)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_of_a_cpu_take_turns_and_others_have_theirs_alone() {
        let cpus = Cpus::new(2, 3, Span(10));
        assert!(!cpus.suffice());
        // Threads 0 and 2 share CPU 0.
        let runs = |thread, at| cpus.runs(thread, Moment(at)).0;
        assert_eq!([runs(0, 3), runs(0, 10), runs(0, 19), runs(0, 20)], [3, 20, 20, 20]);
        assert_eq!([runs(2, 3), runs(2, 10), runs(2, 19), runs(2, 20)], [10, 10, 19, 30]);
        assert_eq!([runs(1, 3), runs(1, 17)], [3, 17]);
        assert!(Cpus::new(3, 3, Span(10)).suffice());
    }
}
