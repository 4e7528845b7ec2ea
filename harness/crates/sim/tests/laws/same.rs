//! The same input, the same output.

use onesided_load::PostedOperation;
use onesided_sim::{ByReach, ByVerb, Completed, Observer, Parameters, Scenario, Workers, simulate};

use crate::machine::{closed, poisson, scenario};

#[derive(Default)]
struct All(Vec<Completed>);

impl Observer for All {
    fn completed(&mut self, completed: Completed) {
        self.0.push(completed);
    }
}

fn all(parameters: &Parameters, scenario: &Scenario) -> Vec<Completed> {
    let mut all = All::default();
    simulate(parameters, scenario, &mut all).unwrap();
    all.0
}

fn machine() -> Parameters {
    Parameters {
        transfer_ns: ByVerb::all(ByReach { local: 60.0, remote: 40.0 }),
        respond_ns: ByVerb::all(20.0),
        one_way_ns: 300.0,
        ..Parameters::ideal()
    }
}

fn run(seed: u64) -> Scenario {
    let mut run = scenario(poisson(1e6), PostedOperation::Read, 8);
    run.workers = Workers { threads: 4.0, write_share: 0.75, lines: 1 };
    run.load.seed = seed;
    run
}

#[test]
fn the_same_seed_gives_the_same_completions_and_another_seed_others() {
    let first = all(&machine(), &run(1));
    assert!(first.len() > 50_000);
    assert_eq!(first, all(&machine(), &run(1)));
    assert_ne!(first, all(&machine(), &run(2)));
}

#[test]
fn operations_are_completed_once_and_in_the_order_of_their_queue_pair() {
    let mut run = scenario(closed(16), PostedOperation::Write, 8);
    run.load.operations_per_queue_pair = Some(1_000);
    run.workers = Workers { threads: 2.0, write_share: 1.0, lines: 1 };
    let completions = all(&machine(), &run);
    for queue_pair in 0..8 {
        let of = completions.iter().filter(|one| one.queue_pair == queue_pair);
        let of: Vec<&Completed> = of.collect();
        assert_eq!(of.len(), 1_000);
        assert!(of.is_sorted_by_key(|one| one.at) && of.is_sorted_by_key(|one| one.intended));
    }
}
