//! The common start: every thread of a run counts from one t0.

use std::{
    sync::{
        OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use onesided_measure::{Clock, Ticks};

/// Where threads meet, and the t0 they leave with.
///
/// Those that came first spin, and yield in between: they are about to spin anyway, and waking
/// from a sleep takes longer and differs from thread to thread.
pub(crate) struct Start {
    missing: AtomicUsize,
    t0: OnceLock<Ticks>,
    warm_up_ticks: u64,
}

impl Start {
    /// For `threads` threads that warm up for `warm_up_ticks` before t0.
    pub(crate) fn new(threads: usize, warm_up_ticks: u64) -> Self {
        Self { missing: AtomicUsize::new(threads), t0: OnceLock::new(), warm_up_ticks }
    }

    /// The end of the warm-up; absent until all threads have met.
    pub(crate) fn t0(&self) -> Option<Ticks> {
        self.t0.get().copied()
    }

    /// Waits for all threads; returns t0, the end of the warm-up, which begins now. Nothing when
    /// `stop` says that a thread will not come.
    pub(crate) fn meet(&self, clock: Clock, stop: &AtomicBool) -> Option<Ticks> {
        if self.missing.fetch_sub(1, Ordering::AcqRel) == 1 {
            let t0 = Ticks(clock.now().0 + self.warm_up_ticks);
            self.t0.set(t0).expect("one thread a run is the last to come");
        }
        loop {
            if let Some(t0) = self.t0.get() {
                return Some(*t0);
            }
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            std::hint::spin_loop();
            thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_that_come_at_different_times_leave_with_the_same_t0() {
        let clock = Clock::calibrate().unwrap();
        let (start, stop) = (Start::new(3, 1000), AtomicBool::new(false));
        let meet = |delay_ms| {
            thread::sleep(std::time::Duration::from_millis(delay_ms));
            (clock.now(), start.meet(clock, &stop).unwrap())
        };
        let met = thread::scope(|scope| {
            let threads = [0, 5, 20].map(|delay_ms| scope.spawn(move || meet(delay_ms)));
            threads.map(|thread| thread.join().unwrap())
        });
        let t0 = met[0].1;
        assert!(met.iter().all(|(arrived, agreed)| *agreed == t0 && arrived.0 + 1000 <= t0.0));
    }

    #[test]
    fn who_waits_for_a_thread_that_will_not_come_is_let_go() {
        let clock = Clock::calibrate().unwrap();
        let (start, stop) = (Start::new(2, 1000), AtomicBool::new(false));
        let met = thread::scope(|scope| {
            let waiting = scope.spawn(|| start.meet(clock, &stop));
            thread::sleep(std::time::Duration::from_millis(5));
            stop.store(true, Ordering::Relaxed);
            waiting.join().unwrap()
        });
        assert_eq!(met, None);
    }
}
