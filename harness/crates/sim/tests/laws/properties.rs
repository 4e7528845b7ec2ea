//! What must hold of any machine.

use onesided_load::{PostedOperation, ShapePlan};
use onesided_sim::{
    ByReach, ByVerb, Locality, Parameters, Scenario, SimulateError, Workers, simulate,
};
use proptest::prelude::*;

use crate::machine::{closed, count, scenario};

fn operation() -> impl Strategy<Value = PostedOperation> {
    prop_oneof![
        Just(PostedOperation::Read),
        Just(PostedOperation::Write),
        Just(PostedOperation::FetchAndAdd),
    ]
}

prop_compose! {
    /// Any machine, as far as its times go. It has a place for every posted write: with few of them
    /// writes to one line keep those to others waiting, and more under way can then be fewer done.
    fn machine()(
        times in proptest::collection::vec(0.0..400.0_f64, 12),
        posted in 256_u32..512,
    ) -> Parameters {
        let reach = |at: usize| ByReach { local: times[at], remote: times[at] * 1.5 };
        Parameters {
            post_ns: ByVerb::all(times[0]),
            poll_ns: times[1],
            doorbell_ns: times[2],
            completion_ns: times[3],
            request_ns: ByVerb::all(times[4]),
            packet_ns: times[5] / 20.0,
            link_ns_per_byte: times[6] / 2_000.0,
            one_way_ns: times[7] + 1.0,
            respond_ns: ByVerb::all(times[8]),
            memory_ns: ByVerb::all(times[9]),
            interconnect_ns: ByVerb::all(times[10]),
            line_ns: ByVerb::all(reach(11)),
            posted_writes: f64::from(posted),
            ..Parameters::ideal()
        }
    }
}

/// Operations of half a millisecond, and how many more or less mean nothing: what is under way at
/// its ends comes in bursts.
fn operations(parameters: &Parameters, scenario: &Scenario) -> (f64, f64) {
    let mut scenario = scenario.clone();
    scenario.end.0 /= 20;
    let ShapePlan::ClosedLoop { window, .. } = scenario.load.shape else { unreachable!("closed") };
    let under_way = f64::from(window) * scenario.load.run_queue_pairs as f64;
    (count(parameters, &scenario).operations() as f64, under_way)
}

/// The first is not below the second.
fn as_many((more, slack): (f64, f64), (fewer, other_slack): (f64, f64)) -> bool {
    more * 1.01 + slack + other_slack >= fewer
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn memory_on_another_node_is_never_faster_without_workers(
        machine in machine(), operation in operation(), window in 1_u32..32,
    ) {
        let near = scenario(closed(window), operation, 4);
        let far = Scenario { region: Locality::RdmaRemote, ..near.clone() };
        prop_assert!(as_many(operations(&machine, &near), operations(&machine, &far)));
    }

    #[test]
    fn larger_accesses_are_never_more(
        machine in machine(), write in any::<bool>(), power in 3_u32..12,
    ) {
        let operation = if write { PostedOperation::Write } else { PostedOperation::Read };
        let of = |bytes: u32| {
            let mut run = scenario(closed(8), operation, 4);
            run.load.access_bytes = bytes;
            run.load.region_bytes = u64::from(bytes.next_multiple_of(64)) * 4;
            operations(&machine, &run)
        };
        prop_assert!(as_many(of(1 << power), of(2 << power)));
    }

    #[test]
    fn a_deeper_window_never_completes_less(
        machine in machine(), operation in operation(), window in 1_u32..32,
    ) {
        let of = |window| operations(&machine, &scenario(closed(window), operation, 3));
        prop_assert!(as_many(of(2 * window), of(window)));
    }

    #[test]
    fn more_workers_never_help_the_card(threads in 0.0..20.0_f64, operation in operation()) {
        let transfer = ByReach { local: 60.0, remote: 30.0 };
        let machine = Parameters {
            transfer_ns: ByVerb::all(transfer), one_way_ns: 500.0, ..Parameters::ideal()
        };
        let of = |threads| {
            let mut run = scenario(closed(4), operation, 4);
            run.workers = Workers { threads, write_share: 1.0, lines: 1 };
            count(&machine, &run).operations() as f64
        };
        // Exponential times of different means are drawn from the same fractions.
        prop_assert!(of(threads) * 1.02 >= of(threads + 1.0));
    }
}

#[test]
fn scenarios_that_cannot_be_are_refused_with_what_is_wrong() {
    let refused = |change: &dyn Fn(&mut Scenario)| {
        let mut run = scenario(closed(1), PostedOperation::Read, 4);
        change(&mut run);
        let mut count = onesided_sim::Count::between(run.end, run.end);
        simulate(&Parameters::ideal(), &run, &mut count).unwrap_err()
    };
    let told = |change: &dyn Fn(&mut Scenario)| refused(change).to_string();
    assert!(
        told(&|run| run.threads = 5).contains("a number of threads of 5 is not within 1 and 4")
    );
    assert!(told(&|run| run.client_hosts = 0).contains("client hosts of 0"));
    assert!(told(&|run| run.end.0 = u64::MAX).contains("beyond the simulator's 1126 s"));
    assert!(told(&|run| run.connection.mtu_bytes = 0).contains("a path MTU of 0"));
    let many = refused(&|run| {
        run.load.run_queue_pairs = 20_000;
        run.load.queue_pairs = 0..20_000;
    });
    assert_eq!(many, SimulateError::QueuePairs { queue_pairs: 20_000 });
}
