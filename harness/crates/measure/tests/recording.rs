//! What a recorder and a run count, seen from outside.

use onesided_measure::{
    LatencyCounts, MergeError, Record, Recorder, RecorderPlan, RunCounts, ThreadCounts, TickRate,
    Ticks,
};
use proptest::prelude::*;

const T0: Ticks = Ticks(1_000);

fn plan(windows: usize, queue_pairs: usize) -> RecorderPlan {
    RecorderPlan { t0: T0, window_ns: 10, windows, queue_pairs }
}

fn recorder(windows: usize, queue_pairs: usize) -> Recorder {
    Recorder::new(TickRate::NANOSECONDS, plan(windows, queue_pairs))
}

/// One completion: when, on which queue pair, how many operations, how long.
type Event = (u64, usize, u32, u64);

fn counted(events: &[Event], windows: usize, queue_pairs: usize) -> ThreadCounts {
    let mut recorder = recorder(windows, queue_pairs);
    for &(at, queue_pair, operations, latency) in events {
        recorder.advance(Ticks(at));
        recorder.completed(queue_pair, operations);
        recorder.latency(queue_pair, latency);
    }
    recorder.finish()
}

#[test]
fn windows_are_half_open_and_count_from_the_common_start() {
    let events = [(999, 0, 1, 5), (1_000, 0, 2, 5), (1_009, 0, 4, 5), (1_010, 0, 8, 5)];
    let thread = counted(&events, 3, 1);
    assert_eq!(thread.queue_pairs[0].windows, [6, 8, 0]);
    assert_eq!(thread.queue_pairs[0].before_start, 1);
    assert_eq!(thread.queue_pairs[0].after_end, 0);
}

#[test]
fn a_recorder_counts_from_the_start_that_it_is_told_last() {
    let mut recorder = recorder(1, 1).starting_at(Ticks(1_000_000));
    for now in [999_999, 1_000_000] {
        recorder.advance(Ticks(now));
        recorder.completed(0, 1);
    }
    let counts = recorder.finish();
    assert_eq!(counts.t0, Ticks(1_000_000));
    assert_eq!(
        (counts.queue_pairs[0].before_start, &counts.queue_pairs[0].windows[..]),
        (1, &[1][..])
    );
}

#[test]
fn empty_windows_are_skipped_and_what_comes_after_the_last_is_kept_apart() {
    let events = [(1_035, 1, 1, 5), (1_040, 1, 2, 5), (9_999_999, 1, 4, 5)];
    let thread = counted(&events, 4, 2);
    assert_eq!(thread.queue_pairs[1].windows, [0, 0, 0, 1]);
    assert_eq!(thread.queue_pairs[1].after_end, 6);
    assert_eq!(thread.queue_pairs[0].operations(), 0);
}

#[test]
fn window_boundaries_do_not_drift_where_a_window_is_not_a_whole_number_of_ticks() {
    // 3 ticks in 10 ns: the thousandth window ends 3 000 ticks after the start, not 1 000 × 3.33
    // rounded each.
    let rate = TickRate::from_hz(333_333_333).unwrap();
    let mut recorder = Recorder::new(rate, plan(1_000, 1));
    recorder.advance(Ticks(T0.0 + 3_332));
    recorder.completed(0, 1);
    recorder.advance(Ticks(T0.0 + 3_333));
    recorder.completed(0, 1);
    let counts = recorder.finish().queue_pairs.remove(0);
    assert_eq!((counts.windows[999], counts.after_end), (1, 1));
}

#[test]
fn latencies_are_converted_from_ticks() {
    let rate = TickRate::from_hz(2_000_000_000).unwrap();
    let mut recorder = Recorder::new(rate, plan(1, 1));
    recorder.latency(0, 4_000);
    assert_eq!(recorder.finish().queue_pairs[0].latency.mean_ns(), Some(2_000.0));
}

#[test]
#[should_panic(expected = "no queue pair 1 in the recorder")]
fn a_queue_pair_that_is_not_the_threads_is_never_counted_into_the_next_window() {
    recorder(3, 1).completed(1, 1);
}

#[test]
fn recording_causes_no_page_fault() {
    // The windows are 2 000 pages of 4 KiB, more than an allocator hands out without mapping anew,
    // and a histogram is 54: untouched, they would show.
    const WINDOWS: u64 = 1_000_000;
    const ALLOWED: i64 = 8;
    let mut recorder = recorder(WINDOWS as usize, 1);
    let before = minor_page_faults();
    for step in 0..WINDOWS {
        recorder.advance(Ticks(T0.0 + step * 10));
        recorder.completed(0, 1);
        recorder.latency(0, (1 << (step % 36)) + step);
    }
    let during = minor_page_faults() - before;
    assert_eq!(recorder.finish().queue_pairs[0].operations_in_windows(), WINDOWS);
    assert!(during <= ALLOWED, "{during} page faults while recording");

    let untouched = vec![0_u8; 8 << 20];
    let before = minor_page_faults();
    let seen: u64 = untouched.chunks(4_096).map(|page| u64::from(page[0])).sum();
    assert!(seen == 0 && minor_page_faults() > before, "page faults are not visible here");
}

fn minor_page_faults() -> i64 {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: the pointer is to an rusage of this frame; all-zero is a valid one.
    let usage = unsafe {
        assert_eq!(libc::getrusage(libc::RUSAGE_THREAD, usage.as_mut_ptr()), 0);
        usage.assume_init()
    };
    usage.ru_minflt
}

#[test]
fn a_run_refuses_counts_that_do_not_belong_to_it_and_stays_as_it_was() {
    let mut run = RunCounts::new(10, 2);
    run.add(counted(&[(1_000, 0, 1, 1)], 2, 2), &[4, 7]).unwrap();
    let unchanged = run.clone();
    let twice = run.add(counted(&[], 2, 2), &[5, 7]);
    assert_eq!(twice, Err(MergeError::CountedTwice { queue_pair: 7 }));
    let twice_at_once = run.add(counted(&[], 2, 2), &[5, 5]);
    assert_eq!(twice_at_once, Err(MergeError::CountedTwice { queue_pair: 5 }));
    let too_few = run.add(counted(&[], 2, 2), &[5]);
    assert_eq!(too_few, Err(MergeError::NumbersDiffer { numbers: 1, queue_pairs: 2 }));
    let more_windows = run.add(counted(&[], 3, 1), &[5]);
    assert_eq!(
        more_windows,
        Err(MergeError::WindowCountDiffers { queue_pair: 5, own: 2, theirs: 3 })
    );
    let longer = run.merge(RunCounts::new(20, 2));
    assert_eq!(longer, Err(MergeError::WindowLengthDiffers { own: 10, theirs: 20 }));
    assert_eq!(run, unchanged);
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let event = (900_u64..1_200, 0_usize..3, 0_u32..10, any::<u64>());
    prop::collection::vec(event, 0..100).prop_map(|mut events| {
        events.sort_by_key(|event| event.0);
        events
    })
}

fn merged(parts: &[LatencyCounts]) -> LatencyCounts {
    let mut total = LatencyCounts::default();
    parts.iter().for_each(|part| total.merge(part));
    total
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_completion_is_in_exactly_one_window_or_outside_all(events in events()) {
        let thread = counted(&events, 10, 3);
        for (queue_pair, counts) in thread.queue_pairs.iter().enumerate() {
            let expected = |from: u64, to: u64| -> u64 {
                let here = events.iter().filter(|event| event.1 == queue_pair);
                here.filter(|event| (from..to).contains(&event.0)).map(|event| u64::from(event.2)).sum()
            };
            for (window, &operations) in counts.windows.iter().enumerate() {
                let start = T0.0 + 10 * window as u64;
                prop_assert_eq!(operations, expected(start, start + 10));
            }
            prop_assert_eq!(counts.before_start, expected(0, T0.0));
            prop_assert_eq!(counts.after_end, expected(T0.0 + 100, u64::MAX));
            prop_assert_eq!(counts.operations(), expected(0, u64::MAX));
        }
    }

    #[test]
    fn merging_does_not_depend_on_the_order_and_equals_recording_together(
        one in events(), other in events(), third in events(),
    ) {
        let [a, b, c] = [&one, &other, &third].map(|events| counted(events, 10, 3));
        let mut forward = RunCounts::new(10, 10);
        forward.add(a.clone(), &[0, 1, 2]).unwrap();
        forward.add(b.clone(), &[3, 4, 5]).unwrap();
        forward.add(c.clone(), &[6, 7, 8]).unwrap();
        let mut backward = RunCounts::new(10, 10);
        backward.add(c, &[6, 7, 8]).unwrap();
        let mut rest = RunCounts::new(10, 10);
        rest.add(b, &[3, 4, 5]).unwrap();
        rest.add(a, &[0, 1, 2]).unwrap();
        backward.merge(rest).unwrap();
        prop_assert_eq!(&forward, &backward);
        prop_assert_eq!(forward.windows().iter().sum::<u64>(), forward.operations_in_windows());

        let parts: Vec<_> = forward.queue_pairs().map(|(_, counts)| counts.latency.clone()).collect();
        let reversed: Vec<_> = parts.iter().rev().cloned().collect();
        prop_assert_eq!(merged(&parts), merged(&reversed));
        prop_assert_eq!(forward.latency(), merged(&parts));

        let mut together = [one, other, third].concat();
        together.iter_mut().for_each(|event| event.1 = 0);
        together.sort_by_key(|event| event.0);
        prop_assert_eq!(&forward.latency(), &counted(&together, 10, 1).queue_pairs[0].latency);
    }

    #[test]
    fn a_quantile_is_within_a_thousandth_of_the_sorted_samples(
        mut latencies in prop::collection::vec(0_u64..60_000_000_000, 1..200),
        q in 0.0_f64..=1.0,
    ) {
        let events: Vec<Event> = latencies.iter().map(|&latency| (1_000, 0, 1, latency)).collect();
        let counts = counted(&events, 1, 1).queue_pairs[0].latency.clone();
        latencies.sort_unstable();
        let rank = ((q * latencies.len() as f64).ceil() as usize).max(1);
        let exact = latencies[rank - 1];
        let quantile = counts.quantile_ns(q).unwrap();
        prop_assert!(quantile >= exact && (quantile - exact) as f64 <= exact as f64 / 1_000.0);
    }
}
