//! Both estimators on simulated clients whose true throughput is known.
//!
//! What passing lets us claim: the robust estimator is right to 1 % where no spinning thread waits
//! for a CPU, also if clients start and end at different times; and where threads wait it is an
//! upper bound, nearer to the truth than the study's. It is no more than that: time for which a
//! client does not count is in no line.
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "steps and clients are counted in thousands"
)]

mod simulator;

use onesided_estimate::printed::{ClientSummary, Clock, published, steady};
use simulator::{Machine, OPERATIONS};

/// How far an estimate is above the truth, as a share of it.
#[derive(Debug)]
struct Bias {
    published: f64,
    robust: f64,
    closure: f64,
}

fn bias(machine: Machine) -> Bias {
    let run = machine.run();
    let clock = Clock::recover(&run.lines, machine.clients);
    let clients = ClientSummary::of(&run.lines, &clock, machine.clients);
    let steady = steady(&run.lines, &clock, &clients, OPERATIONS, 1).expect("lines");
    let robust = steady.throughput.expect("a window of all clients").ops;
    let published = published(&clients).expect("lines");
    Bias {
        published: published / run.truth - 1.0,
        robust: robust / run.truth - 1.0,
        closure: steady.closure,
    }
}

/// The biases of four seeds.
fn biases(machine: Machine) -> Vec<Bias> {
    (0..4).map(|seed| bias(Machine { seed, ..machine })).collect()
}

fn mean(biases: &[Bias], value: fn(&Bias) -> f64) -> f64 {
    biases.iter().map(value).sum::<f64>() / biases.len() as f64
}

/// Eight clients with a CPU for each thread.
const ROOMY: Machine = Machine {
    clients: 8,
    cpus: 24,
    ops: 100_000.0,
    turn: 40,
    skew: 0,
    print: 0,
    unequal: false,
    seed: 0,
};

/// As many clients as make the study's oversubscribed: 64 threads on 24 CPUs.
const CROWDED: Machine = Machine { clients: 32, turn: 120, ..ROOMY };

#[test]
fn with_a_cpu_for_each_thread_both_estimators_are_right() {
    for unequal in [false, true] {
        for bias in biases(Machine { unequal, ..ROOMY }) {
            assert!(bias.published.abs() < 0.01 && bias.robust.abs() < 0.01, "{bias:?}");
            assert!((bias.closure - 1.0).abs() < 0.01, "{bias:?}");
        }
    }
}

#[test]
fn clients_that_begin_one_after_another_leave_the_robust_estimator_right() {
    // 30 ms between one and the next. Were all taken to begin at once, it would be 8 % low.
    for unequal in [false, true] {
        for bias in biases(Machine { skew: 300, unequal, ..ROOMY }) {
            assert!(bias.robust.abs() < 0.01, "{bias:?}");
            assert!((bias.closure - 1.0).abs() < 0.01, "{bias:?}");
        }
    }
}

#[test]
fn where_threads_wait_for_a_cpu_the_robust_estimator_stays_near_and_the_studys_does_not() {
    let sixteen = biases(Machine { clients: 16, ..CROWDED });
    assert!(mean(&sixteen, |bias| bias.published) > 0.10, "{sixteen:?}");
    assert!(sixteen.iter().all(|bias| bias.robust.abs() < 0.01), "{sixteen:?}");
    let all = biases(CROWDED);
    assert!(mean(&all, |bias| bias.published) > 0.50, "{all:?}");
    assert!(all.iter().all(|bias| (-0.01..0.06).contains(&bias.robust)), "{all:?}");
}

#[test]
fn where_they_wait_for_the_stream_both_overstate_and_the_robust_estimator_less() {
    for print in [1, 2, 4] {
        let all = biases(Machine { print, ..CROWDED });
        assert!(all.iter().all(|bias| bias.robust > 0.0), "{print}: {all:?}");
        assert!(all.iter().all(|bias| bias.robust < bias.published / 4.0), "{print}: {all:?}");
    }
}

#[test]
fn a_clock_that_closes_does_not_show_that_no_time_is_missing() {
    let quick = biases(Machine { turn: 20, clients: 32, ..ROOMY });
    let slow = biases(Machine { turn: 20, clients: 32, print: 4, ..ROOMY });
    assert!(mean(&slow, |bias| bias.robust) > 0.08, "{slow:?}");
    let closures = mean(&quick, |bias| bias.closure) - mean(&slow, |bias| bias.closure);
    assert!(closures.abs() < 0.03, "{closures}");
}
