//! The common start: every thread of a run counts from one t0.
//!
//! Where one host has all threads, the last to come decides it. Where there are several hosts, the
//! server does, once all threads of all hosts have come.

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
    beginning: Beginning,
}

/// When the warm-up begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Beginning {
    /// When the last thread comes.
    WhenAllHaveMet,
    /// At an instant that [`Start::begin_at`] is told.
    WhenTold,
}

impl Start {
    /// For `threads` threads that warm up for `warm_up_ticks` before t0.
    pub(crate) fn new(threads: usize, warm_up_ticks: u64, beginning: Beginning) -> Self {
        let missing = AtomicUsize::new(threads);
        Self { missing, t0: OnceLock::new(), warm_up_ticks, beginning }
    }

    /// Whether every thread has come.
    pub(crate) fn all_have_met(&self) -> bool {
        self.missing.load(Ordering::Acquire) == 0
    }

    /// Has the warm-up begin at `begin`, at once if that is past; t0 follows from `begin` all the
    /// same.
    ///
    /// # Panics
    /// When the beginning is not [`Beginning::WhenTold`], or was told.
    pub(crate) fn begin_at(&self, begin: Ticks) {
        assert_eq!(self.beginning, Beginning::WhenTold, "the last thread decides");
        let t0 = Ticks(begin.0.saturating_add(self.warm_up_ticks));
        self.t0.set(t0).expect("a run begins once");
    }

    /// The end of the warm-up; absent until all threads have met.
    pub(crate) fn t0(&self) -> Option<Ticks> {
        self.t0.get().copied()
    }

    /// Waits for all threads and for the warm-up's beginning; returns t0, its end. Nothing when
    /// `stop` says that a thread will not come.
    pub(crate) fn meet(&self, clock: Clock, stop: &AtomicBool) -> Option<Ticks> {
        let last = self.missing.fetch_sub(1, Ordering::AcqRel) == 1;
        if last && self.beginning == Beginning::WhenAllHaveMet {
            let t0 = Ticks(clock.now().0 + self.warm_up_ticks);
            self.t0.set(t0).expect("one thread a run is the last to come");
        }
        loop {
            if let Some(t0) = self.t0.get()
                && clock.now().0.saturating_add(self.warm_up_ticks) >= t0.0
            {
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
        let (start, stop) =
            (Start::new(3, 1000, Beginning::WhenAllHaveMet), AtomicBool::new(false));
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
    fn threads_that_are_told_when_begin_then_or_at_once_if_it_is_past() {
        let clock = Clock::calibrate().unwrap();
        let millisecond = clock.ticks_of(std::time::Duration::from_millis(1));
        for (from_now, begins_by_then) in [(20, true), (-5, false)] {
            let start = Start::new(2, 7, Beginning::WhenTold);
            let stop = AtomicBool::new(false);
            let meet = || (start.meet(clock, &stop).unwrap(), clock.now());
            let (begin, met) = thread::scope(|scope| {
                let threads = [scope.spawn(meet), scope.spawn(meet)];
                while !start.all_have_met() {
                    thread::yield_now();
                }
                assert_eq!(start.t0(), None, "nobody has said when");
                let now = clock.now().0;
                let begin = Ticks(now.wrapping_add_signed(from_now * millisecond as i64));
                start.begin_at(begin);
                (begin, threads.map(|thread| thread.join().unwrap()))
            });
            for (t0, began) in met {
                assert_eq!(t0.0, begin.0 + 7, "t0 is where it was said to be");
                assert!(began >= begin, "{from_now} ms: before it was time");
                assert!(begins_by_then || began > t0);
            }
        }
    }

    #[test]
    fn who_waits_for_a_thread_that_will_not_come_is_let_go() {
        let clock = Clock::calibrate().unwrap();
        let (start, stop) =
            (Start::new(2, 1000, Beginning::WhenAllHaveMet), AtomicBool::new(false));
        let met = thread::scope(|scope| {
            let waiting = scope.spawn(|| start.meet(clock, &stop));
            thread::sleep(std::time::Duration::from_millis(5));
            stop.store(true, Ordering::Relaxed);
            waiting.join().unwrap()
        });
        assert_eq!(met, None);
    }
}
