use std::{sync::atomic::AtomicU32, time::Duration};

use super::*;

fn tally(windows: usize) -> Tally {
    let mut tally = Tally::new(windows, 100, 64);
    tally.start(Ticks(1000));
    tally
}

#[test]
fn accesses_count_in_the_window_in_which_their_batch_ended() {
    let mut tally = tally(10);
    for (now, accesses) in [(1000, 1), (1099, 2), (1100, 4), (1350, 8), (1399, 16), (1420, 32)] {
        tally.add(Ticks(now), accesses);
    }
    let report = tally.finish(Ticks(1430));
    assert_eq!(report.windows, [3, 4, 0, 24]);
    assert_eq!((report.after_windows, report.ended), (32, Ticks(1430)));
}

#[test]
fn accesses_beyond_the_expected_time_are_added_up_and_not_lost() {
    let mut tally = tally(2);
    for (now, accesses) in [(1050, 1), (1150, 2), (1250, 4), (1350, 8)] {
        tally.add(Ticks(now), accesses);
    }
    let report = tally.finish(Ticks(1400));
    assert_eq!((report.windows, report.after_windows), (vec![1, 2], 12));
}

#[test]
fn the_end_of_a_window_and_the_start_and_the_end_are_looked_at_for_the_cpu() {
    let mut tally = tally(10);
    for now in [1050, 1150, 1160, 1450] {
        tally.add(Ticks(now), 1);
    }
    let report = tally.finish(Ticks(1460));
    assert_eq!(report.seen.iter().map(|seen| seen.samples).sum::<u64>(), 4);
}

#[test]
fn a_rate_is_kept_by_bursts_of_at_most_a_million_a_second() {
    let clock = Clock::calibrate().unwrap();
    let hertz = clock.rate().frequency_hz() as f64;
    for (rate, expected_burst) in [(1.0, 1), (1e6, 1), (1.5e6, 2), (1e8, 100), (1e12, 256)] {
        let Ok(Pacing::Rate { burst, interval }) = Pacing::of(Pace::Rate(rate), &clock) else {
            panic!("{rate}")
        };
        assert_eq!(burst, expected_burst);
        let ticks = interval as f64 / (1_u64 << FRACTION_BITS) as f64;
        assert!((f64::from(burst) * hertz / ticks / rate - 1.0).abs() < 1e-6, "{rate}: {ticks}");
    }
    for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Pacing::of(Pace::Rate(rate), &clock).is_err(), "{rate}");
    }
}

/// Stops the loop after so many calls.
struct StopsItself<'a> {
    left: u32,
    calls: &'a AtomicU32,
    stop: &'a AtomicBool,
}

impl Batch for StopsItself<'_> {
    fn run(&mut self, accesses: u32) -> Done {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.left -= 1;
        self.stop.store(self.left == 0, Ordering::Relaxed);
        Done { writes: u64::from(accesses) / 4, atomics: 1, swapped: 1 }
    }
}

#[test]
fn every_access_is_counted_once_and_none_follows_a_stop() {
    let (clock, calls, stop) =
        (Clock::calibrate().unwrap(), AtomicU32::new(0), AtomicBool::new(false));
    let mut batch = StopsItself { left: 10, calls: &calls, stop: &stop };
    let tally = Tally::new(5, clock.ticks_of(Duration::from_millis(1)), 64);
    let report = drive(&mut batch, Pacing::Unpaced, clock, clock.now(), tally, &stop);
    assert_eq!(calls.load(Ordering::Relaxed), 10);
    assert_eq!((report.reads, report.writes), (1910, 640));
    assert_eq!((report.atomics, report.swapped), (10, 10));
    assert_eq!(report.windows.iter().sum::<u64>() + report.after_windows, 2560);
}

#[test]
fn a_thread_that_waits_is_stopped_without_waiting_for_its_next_access() {
    let (clock, calls, stop) =
        (Clock::calibrate().unwrap(), AtomicU32::new(0), AtomicBool::new(false));
    let mut batch = StopsItself { left: u32::MAX, calls: &calls, stop: &stop };
    let pacing = Pacing::of(Pace::Think(Duration::from_secs(600)), &clock).unwrap();
    let tally = Tally::new(5, clock.ticks_of(Duration::from_millis(1)), 64);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while calls.load(Ordering::Relaxed) == 0 {
                std::thread::yield_now();
            }
            stop.store(true, Ordering::Relaxed);
        });
        let report = drive(&mut batch, pacing, clock, clock.now(), tally, &stop);
        assert_eq!(report.accesses(), 1);
    });
}
