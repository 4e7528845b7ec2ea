use proptest::prelude::*;

use super::*;

const OPS: u64 = 1_000_000;

fn lines(lines: &[(u32, u64)]) -> Vec<PrintedRate> {
    lines.iter().map(|&(client, ops)| PrintedRate { client, micro_ops: ops * OPS }).collect()
}

struct Read {
    rates: Vec<PrintedRate>,
    clock: Clock,
    clients: Vec<ClientSummary>,
}

fn read(rates: Vec<PrintedRate>) -> Read {
    let count = rates.iter().map(|rate| rate.client as usize + 1).max().unwrap_or(0);
    let clock = Clock::recover(&rates, count);
    let clients = ClientSummary::of(&rates, &clock, count);
    Read { rates, clock, clients }
}

impl Read {
    fn published(&self) -> Option<f64> {
        published(&self.clients)
    }

    fn steady(&self, operations: f64) -> Option<Steady> {
        steady(&self.rates, &self.clock, &self.clients, operations, 1)
    }
}

/// Clients of so many epochs at so many operations per second each, in turns.
fn in_turns(clients: &[(usize, u64)]) -> Vec<PrintedRate> {
    let longest = clients.iter().map(|&(epochs, _)| epochs).max().unwrap_or(0);
    let turn = |epoch| {
        let there = (0..).zip(clients).filter(move |(_, (epochs, _))| epoch < *epochs);
        there.map(|(client, &(_, ops))| PrintedRate { client, micro_ops: ops * OPS })
    };
    (0..longest).flat_map(turn).collect()
}

#[test]
fn a_line_is_never_before_the_one_above_nor_an_epoch_after_its_own_clients_last() {
    // Client 1 is late with its second line, which then took two epochs, client 2 with its first.
    let rates = lines(&[(0, 1), (1, 1), (0, 1), (0, 1), (1, 1), (2, 1), (1, 1), (2, 1)]);
    let clock = Clock::recover(&rates, 3);
    let spans: Vec<_> = clock.spans().iter().map(|span| (span.start, span.end)).collect();
    assert_eq!(spans, [(0, 1), (0, 1), (1, 2), (2, 3), (1, 3), (2, 3), (3, 4), (3, 4)]);
}

#[test]
fn steady_clients_have_one_throughput_by_either_estimator() {
    // Two at 600 and 400 for 10 epochs of 10 ms: 60 and 40 operations.
    let read = read(in_turns(&[(10, 600), (10, 400)]));
    assert_eq!(read.published(), Some(1000.0));
    let steady = read.steady(50.0).unwrap();
    // The first is scaled from 60 to 50 operations, as it issued no more.
    assert_eq!(steady.throughput.unwrap().ops, 900.0);
    assert_eq!((steady.closure, steady.window_fraction), (1.0, 1.0));
}

#[test]
fn clients_that_end_early_are_counted_on_only_by_the_published_estimator() {
    // 60 operations each: at 1000 in 6 epochs, at 500 in 12.
    let read = read(in_turns(&[(6, 1000), (12, 500)]));
    assert_eq!(read.published(), Some(1500.0));
    let steady = read.steady(60.0).unwrap();
    assert_eq!(steady.window, 0..6);
    assert_eq!(steady.throughput.unwrap().ops, 1500.0);
    assert_eq!(steady.window_fraction, 0.5);
    assert_eq!(steady.micro_ops[6..], [500 * OPS; 6]);
}

#[test]
fn a_burst_after_a_stall_weighs_by_its_time() {
    // Client 1 says 100 for its second line, which took 5 epochs, and 1000 for the five others.
    let mut rates = lines(&[(0, 500), (1, 1000)]);
    rates.extend(lines(&[(0, 500); 5]));
    rates.extend(lines(&[(1, 100)]));
    rates.extend(lines(&[(0, 500), (1, 1000)].repeat(4)));
    let read = read(rates);
    // 500 + (100 + 5 * 1000) / 6 = 1350, but 500 + (5 * 100 + 5 * 1000) / 10 = 1050.
    assert_eq!(read.published(), Some(1350.0));
    assert_eq!(read.steady(1000.0).unwrap().throughput.unwrap().ops, 1050.0);
}

#[test]
fn a_client_that_begins_late_is_not_counted_before() {
    // Client 1 begins three epochs after client 0: both do 60 operations, at 1000 in 6 epochs.
    let mut rates = lines(&[(0, 1000); 3]);
    rates.extend(lines(&[(0, 1000), (1, 1000)].repeat(3)));
    rates.extend(lines(&[(1, 1000); 3]));
    let read = read(rates);
    let steady = read.steady(60.0).unwrap();
    assert_eq!((steady.closure, steady.window.clone()), (1.0, 3..6));
    assert_eq!(steady.micro_ops[..4], [1000 * OPS, 1000 * OPS, 1000 * OPS, 2000 * OPS]);
}

#[test]
fn ramp_up_and_drain_are_outside() {
    // Client 1 completes nothing in its first two epochs, client 0 ends two epochs early.
    let mut rates = lines(&[(0, 900), (1, 0), (0, 900), (1, 0)]);
    rates.extend(lines(&[(0, 500), (1, 500)].repeat(6)));
    rates.extend(lines(&[(1, 900), (1, 900)]));
    let read = read(rates);
    let steady = read.steady(1000.0).unwrap();
    assert_eq!((steady.window.clone(), steady.throughput.unwrap().ops), (2..8, 1000.0));
    assert_eq!(steady.window_fraction, 0.6);
    let second = &read.clients[1];
    assert_eq!((second.first_active, second.end), (Some(2), 10));
}

#[test]
fn less_than_five_epochs_of_all_clients_give_no_estimate() {
    let steady = |epochs| read(in_turns(&[(epochs, 10), (20, 10)])).steady(9.0).unwrap();
    assert!(steady(4).throughput.is_none());
    assert!(steady(5).throughput.is_some());
    assert_eq!(steady(4).window_fraction, 0.2);
}

#[test]
fn a_client_that_never_completes_anything_leaves_no_window() {
    let read = read(in_turns(&[(10, 100), (10, 0)]));
    assert_eq!(read.published(), Some(100.0));
    let steady = read.steady(10.0).unwrap();
    assert_eq!((steady.window.clone(), steady.throughput), (0..0, None));
}

#[test]
fn without_a_line_there_is_no_estimate() {
    let read = read(Vec::new());
    assert_eq!((read.published(), read.steady(1.0)), (None, None));
}

#[test]
fn the_fast_share_is_one_of_time_within_the_window() {
    // Both fast in one epoch of the window's eight, and client 1 when it is alone.
    let mut rates = lines(&[(0, 2), (1, 2)]);
    rates.extend(lines(&[(0, 1), (1, 1)].repeat(7)));
    rates.extend(lines(&[(1, 2)].repeat(4)));
    let read = read(rates);
    let steady = read.steady(1.0).unwrap();
    let fraction = steady.fraction_above(&read.rates, &read.clock, 2, OPS);
    assert_eq!(fraction, Some(0.125));
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// Lines of up to four clients, each with at least six.
fn any_lines() -> impl Strategy<Value = Vec<PrintedRate>> {
    let client = |client| {
        proptest::collection::vec((0_u64..1_000_000, Just(client)), 6..40)
            .prop_map(|lines| lines.into_iter().collect::<Vec<_>>())
    };
    let clients = proptest::collection::vec(0..1_u32, 1..4)
        .prop_flat_map(move |n| (0..).zip(n).map(|(at, _)| client(at)).collect::<Vec<_>>());
    clients.prop_map(|clients| clients.concat()).prop_shuffle().prop_map(|lines| {
        let rate = |(micro_ops, client)| PrintedRate { client, micro_ops };
        lines.into_iter().map(rate).collect()
    })
}

proptest! {
    #[test]
    fn which_client_has_which_number_does_not_matter(rates in any_lines()) {
        let one = read(rates.clone());
        let count = u32::try_from(one.clients.len()).unwrap();
        let turned = |rate: PrintedRate| PrintedRate { client: (rate.client + 1) % count, ..rate };
        let other = read(rates.into_iter().map(turned).collect());
        prop_assert!(close(one.published().unwrap(), other.published().unwrap()));
        let (one, other) = (one.steady(1e9).unwrap(), other.steady(1e9).unwrap());
        prop_assert_eq!(one.throughput, other.throughput);
        prop_assert_eq!(one.window, other.window);
    }

    #[test]
    fn three_times_the_rates_are_three_times_the_throughput(rates in any_lines()) {
        let one = read(rates.clone());
        let thrice = |rate: PrintedRate| PrintedRate { micro_ops: rate.micro_ops * 3, ..rate };
        let three = read(rates.into_iter().map(thrice).collect());
        prop_assert!(close(3.0 * one.published().unwrap(), three.published().unwrap()));
        let (one, three) = (one.steady(1e9).unwrap(), three.steady(3e9).unwrap());
        prop_assert!(close(one.closure, three.closure));
        prop_assert_eq!(one.throughput.is_some(), three.throughput.is_some());
        if let (Some(one), Some(three)) = (one.throughput, three.throughput) {
            prop_assert!(close(3.0 * one.ops, three.ops));
            if let (Some(one), Some(three)) = (one.interval, three.interval) {
                prop_assert!(close(3.0 * one.low, three.low) && close(3.0 * one.high, three.high));
            }
        }
    }

    #[test]
    fn identical_clients_add_up_by_either_estimator(
        ops in proptest::collection::vec(1_u64..1_000_000, 6..40), clients in 1_u32..6
    ) {
        let lines = |count| {
            let turn = move |&micro_ops| (0..count).map(move |client| (client, micro_ops));
            let rates = ops.iter().flat_map(turn);
            read(rates.map(|(client, micro_ops)| PrintedRate { client, micro_ops }).collect())
        };
        let (one, all) = (lines(1), lines(clients));
        let times = f64::from(clients);
        prop_assert!(close(times * one.published().unwrap(), all.published().unwrap()));
        let ops = |read: &Read| read.steady(1e9).unwrap().throughput.unwrap().ops;
        prop_assert!(close(times * ops(&one), ops(&all)));
        prop_assert!(close(ops(&all), all.published().unwrap()));
    }

    #[test]
    fn no_epoch_is_shorter_than_it_can_be(rates in any_lines()) {
        let read = read(rates);
        let mut last = vec![None; read.clients.len()];
        for (rate, span) in read.rates.iter().zip(read.clock.spans()) {
            prop_assert!(span.length() > 0);
            let before = last[rate.client as usize].replace(span.end);
            prop_assert_eq!(before.unwrap_or(span.end - 1), span.start);
        }
        prop_assert!(read.clock.spans().is_sorted_by_key(|span| span.end));
    }
}

#[test]
fn a_run_that_stops_has_a_throughput_over_all_and_one_while_it_was_running() {
    // Two clients at 500 for 20 epochs, of which 6 in the middle stand still.
    let still = |epoch| (7..13).contains(&epoch);
    let turn = |epoch| [0, 1].map(|client| (client, if still(epoch) { 0 } else { 500 }));
    let read = read(lines(&(0..20).flat_map(turn).collect::<Vec<_>>()));
    let steady = read.steady(70.0).unwrap();
    assert_eq!((steady.stalled, steady.longest_stall), (6, 6));
    assert_eq!(steady.throughput.unwrap().ops, 700.0);
    assert_eq!(steady.running_ops, Some(1000.0));
    assert!((steady.stalled_fraction() - 0.3).abs() < 1e-12);
}

#[test]
fn a_run_that_is_slow_for_a_while_has_not_stopped() {
    let turn = |epoch| [(0, if epoch == 5 { 50 } else { 500 })];
    let read = read(lines(&(0..20).flat_map(turn).collect::<Vec<_>>()));
    let steady = read.steady(95.5).unwrap();
    assert_eq!((steady.stalled, steady.longest_stall), (0, 0));
    assert_eq!(steady.running_ops, steady.throughput.map(|throughput| throughput.ops));
}
