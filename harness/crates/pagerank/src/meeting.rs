//! Where threads of one memory meet, as nodes do in their barrier: spinning, unless others want the
//! CPU. One that blocks would have the baseline wait for the kernel where the fabric does not.

use std::{
    hint,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use onesided_placement::PreemptionWatch;

/// Looks between two looks around. Ours: some 10 µs.
const PATIENT: u32 = 1 << 10;

/// What it sleeps where others want its CPU; the kernel adds some 50 µs.
const MOMENT: Duration = Duration::from_micros(1);

/// A barrier of so many threads.
pub struct Meeting {
    threads: usize,
    come: AtomicUsize,
    round: AtomicUsize,
}

impl Meeting {
    /// Nobody has come yet.
    pub fn new(threads: usize) -> Self {
        Self { threads, come: AtomicUsize::new(0), round: AtomicUsize::new(0) }
    }

    /// Waits until all have come; what they did before is seen afterwards.
    pub fn wait(&self, preemption: &mut PreemptionWatch) {
        let round = self.round.load(Ordering::Relaxed);
        if self.come.fetch_add(1, Ordering::AcqRel) + 1 == self.threads {
            self.come.store(0, Ordering::Relaxed);
            self.round.store(round.wrapping_add(1), Ordering::Release);
            return;
        }
        let mut looks = 0_u32;
        while self.round.load(Ordering::Acquire) == round {
            hint::spin_loop();
            looks = looks.wrapping_add(1);
            if looks.is_multiple_of(PATIENT) && preemption.is_recent() {
                thread::sleep(MOMENT);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_goes_on_before_all_have_come() {
        const ROUNDS: usize = 2_000;
        let (meeting, sum) = (Meeting::new(3), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    let mut preemption = PreemptionWatch::default();
                    for round in 1..=ROUNDS {
                        sum.fetch_add(1, Ordering::Relaxed);
                        meeting.wait(&mut preemption);
                        assert_eq!(sum.load(Ordering::Relaxed), 3 * round);
                        meeting.wait(&mut preemption);
                    }
                });
            }
        });
    }
}
