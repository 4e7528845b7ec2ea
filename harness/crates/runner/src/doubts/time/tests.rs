use onesided_results::record::{CounterRecord, ThreadProof};

use super::*;
use crate::doubts::hosts::tests::side;

const SECOND: u64 = 1_000_000_000;

fn client(activities: &[ThreadActivity]) -> SideRecord {
    let bare = side(&[None]).threads.remove(0);
    let thread = |(index, activity): (usize, &ThreadActivity)| ThreadProof {
        role: ThreadRole::Client,
        thread: index as u32,
        activity: Some(activity.clone()),
        ..bare.clone()
    };
    SideRecord { threads: activities.iter().enumerate().map(thread).collect(), ..side(&[]) }
}

fn gap(longest_ns: u64, stalled_ns: u64) -> ThreadActivity {
    ThreadActivity {
        elapsed_ns: SECOND,
        longest_gap_ns: Some(longest_ns),
        stalled_ns: Some(stalled_ns),
        ..ThreadActivity::default()
    }
}

fn of_gaps_of(activities: &[ThreadActivity], median_ns: u64, windows: &[u64]) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    of_gaps(&client(activities), Some(median_ns), windows, false, &mut doubts);
    doubts
}

#[test]
fn a_gap_of_a_window_is_a_stall_and_windows_without_anything_make_a_standstill() {
    let (quiet, full) = (gap(9_000_000, 0), [9, 9, 9, 9]);
    assert!(of_gaps_of(std::slice::from_ref(&quiet), 2_000, &full).is_empty());
    let stalled = Doubt::Stalled { threads: 1, of: 2, longest_ms: 30.0 };
    let some = [quiet, gap(30_000_000, 30_000_000)];
    let told = of_gaps_of(&some, 2_000, &full);
    assert_eq!(told, std::slice::from_ref(&stalled));
    assert_eq!(of_gaps_of(&some, 2_000, &[0, 9, 0, 9, 0]), [stalled], "none after another");
    let most = of_gaps_of(&some, 2_000, &[9, 0, 0, 9]);
    assert_eq!(most, [Doubt::Standstill { empty: 2, windows: 4, longest_ms: 30.0 }]);
    assert!(most[0].invalidates());
    let mut by_network = Vec::new();
    of_gaps(&client(&some), Some(2_000), &[9, 0, 0, 9], true, &mut by_network);
    assert_eq!(by_network, [Doubt::Stalled { threads: 1, of: 2, longest_ms: 30.0 }]);
}

#[test]
fn what_is_slow_throughout_has_not_stalled() {
    // Each operation takes 15 ms, longer than a window: nothing but gaps.
    assert!(of_gaps_of(&[gap(16_000_000, SECOND)], 15_000_000, &[1, 0, 1, 1]).is_empty());
    // And a thread of a server waits for no completion.
    let waiting = ThreadActivity { elapsed_ns: SECOND, ..ThreadActivity::default() };
    assert!(of_gaps_of(&[waiting], 0, &[0, 0]).is_empty());
}

#[test]
fn a_thread_without_a_cpu_for_a_hundredth_of_its_time_is_told() {
    let without = |ns: u64| ThreadActivity {
        elapsed_ns: SECOND,
        ran_ns: SECOND - ns,
        ..ThreadActivity::default()
    };
    let of = |activities: &[ThreadActivity]| {
        let mut doubts = Vec::new();
        of_waiting(Side::Client, &RunConfiguration::default(), &client(activities), &mut doubts);
        doubts
    };
    assert!(of(&[without(9_999_999)]).is_empty());
    let told = Doubt::Preempted {
        side: Side::Client,
        thread: "client thread 2".to_owned(),
        percent: 50.0,
        threads: 2,
        of: 3,
    };
    let half = without(SECOND / 2);
    assert_eq!(of(&[without(0), without(10_000_000), half]), [told]);
    // Of a short time it is a hundredth soon.
    let ran_ns = SECOND / 10 - 9_999_999;
    let slice = ThreadActivity { elapsed_ns: SECOND / 10, ran_ns, ..ThreadActivity::default() };
    assert!(of(&[slice]).is_empty());
}

#[test]
fn a_worker_that_pauses_is_not_preempted_but_one_that_waits_is() {
    let of = |activity: ThreadActivity| {
        let mut record = client(&[activity]);
        record.threads[0].role = ThreadRole::Worker;
        let mut doubts = Vec::new();
        of_waiting(Side::Server, &RunConfiguration::default(), &record, &mut doubts);
        doubts
    };
    let pauses = ThreadActivity { elapsed_ns: SECOND, ran_ns: SECOND / 10, ..Default::default() };
    assert!(of(pauses.clone()).is_empty(), "where nobody knows how long it waited, too");
    assert!(of(ThreadActivity { waited_ns: Some(9_999_999), ..pauses.clone() }).is_empty());
    let told = of(ThreadActivity { waited_ns: Some(SECOND / 2), ..pauses });
    let thread = "worker thread 0".to_owned();
    let expected =
        Doubt::Preempted { side: Side::Server, thread, percent: 50.0, threads: 1, of: 1 };
    assert_eq!(told, [expected]);
}

#[test]
fn what_the_machine_and_the_responder_count_is_told_from_a_hundredth_and_a_twentieth_on() {
    let configuration =
        RunConfiguration { warm_up_ms: 200, duration_ms: 1800, ..RunConfiguration::default() };
    let of = |after: &[(&str, u64)]| {
        let named = |value: &dyn Fn(u64) -> u64| {
            after.iter().map(|(name, rise)| ((*name).to_owned(), value(*rise))).collect()
        };
        let (before, after) = (named(&|_| 7), named(&|rise| 7 + rise));
        let counters = CounterRecord { before, after, ..CounterRecord::default() };
        let mut doubts = Vec::new();
        of_counters(Side::Server, &configuration, &counters, &mut doubts);
        doubts.iter().map(Doubt::name).collect::<Vec<_>>()
    };
    assert!(of(&[]).is_empty());
    assert!(of(&[("machine/stolen_ms", 10)]).is_empty());
    assert_eq!(of(&[("machine/stolen_ms", 20)]), ["cpu-stolen"]);
    let slept =
        |requests, sleeps| of(&[("responder_requests", requests), ("responder_sleeps", sleeps)]);
    assert!(slept(1000, 49).is_empty() && slept(100, 31).is_empty() && slept(0, 500).is_empty());
    assert_eq!(slept(1000, 50), ["responder-slept"]);
    let waited = |ns| of(&[("responder_requests", 9), ("responder_wait_ns", ns)]);
    assert!(waited(19_999_999).is_empty());
    assert_eq!(waited(20_000_000), ["preempted"]);
}
