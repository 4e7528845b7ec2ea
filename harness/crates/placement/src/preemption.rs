//! Whether a thread that waits spinning keeps the one that it waits for from running.
//!
//! `sched_yield(2)` is no answer: newer kernels take a whole slice of time for each call from the
//! thread that yields (Linux 6.18), also where nobody else wants the CPU, and what has yielded a
//! thousand times then starves for seconds. So a thread spins as long as it was not preempted of
//! late, and sleeps for a moment where it was: others want this CPU, and may be who it waits for.

use std::{
    mem,
    time::{Duration, Instant},
};

/// How long a preemption is remembered. Ours: some slices of time of several threads.
const REMEMBERED: Duration = Duration::from_millis(100);

/// Preemptions of a thread.
#[derive(Default)]
pub struct PreemptionWatch {
    preempted: Option<u64>,
    until: Option<Instant>,
}

impl PreemptionWatch {
    /// Whether the calling thread was preempted of late. It asks the kernel.
    pub fn is_recent(&mut self) -> bool {
        let preempted = preemptions();
        let now = Instant::now();
        if self.preempted.replace(preempted).is_some_and(|before| before != preempted) {
            self.until = Some(now + REMEMBERED);
        }
        self.until.is_some_and(|until| now < until)
    }
}

/// How often the calling thread was preempted since it began (`getrusage(2)`, ru_nivcsw).
pub(crate) fn preemptions() -> u64 {
    // SAFETY: a structure of numbers, for which zeroes will do.
    let mut usage: libc::rusage = unsafe { mem::zeroed() };
    // SAFETY: the structure lives. The call fails for no thread.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    usage.ru_nivcsw.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CpuSet, cpus_of_current_thread, pin_current_thread};

    #[test]
    fn threads_that_spin_on_one_cpu_notice_each_other() {
        let cpu = CpuSet::of(cpus_of_current_thread().unwrap().first());
        let spin = || {
            pin_current_thread(&cpu).unwrap();
            let (mut preemption, start) = (PreemptionWatch::default(), Instant::now());
            while !preemption.is_recent() {
                assert!(start.elapsed() < Duration::from_secs(20), "nobody was noticed");
            }
        };
        // The second keeps spinning until the first has noticed it, and the other way round.
        std::thread::scope(|scope| {
            let other = scope.spawn(|| (spin(), std::thread::sleep(Duration::ZERO)));
            spin();
            let start = Instant::now();
            while !other.is_finished() {
                assert!(start.elapsed() < Duration::from_secs(20));
            }
        });
    }
}
