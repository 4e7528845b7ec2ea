//! What must hold of any machine.

use onesided_load::PostedOperation;
use onesided_sim::{
    ByReach, ByVerb, Contention, Parameters, Reach, Scenario, SimulateError, simulate,
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
    /// Any machine, as far as its times go.
    fn machine()(
        times in proptest::collection::vec(0.0..400.0_f64, 12),
        posted in 1_u32..64,
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

fn rate(parameters: &Parameters, scenario: &Scenario) -> f64 {
    let mut scenario = scenario.clone();
    scenario.end.0 /= 20;
    count(parameters, &scenario).rate()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn memory_on_another_node_is_never_faster_without_workers(
        machine in machine(), operation in operation(), window in 1_u32..32,
    ) {
        let near = scenario(closed(window), operation, 4);
        let far = Scenario { region: Reach::Remote, ..near.clone() };
        prop_assert!(rate(&machine, &far) <= rate(&machine, &near) * 1.01);
    }

    #[test]
    fn larger_accesses_are_never_more(machine in machine(), operation in operation(), power in 3_u32..12) {
        let of = |bytes: u32| {
            let mut run = scenario(closed(8), operation, 4);
            run.load.access_bytes = bytes;
            run.load.region_bytes = u64::from(bytes.next_multiple_of(64)) * 4;
            run
        };
        prop_assume!(operation != PostedOperation::FetchAndAdd);
        let (small, large) = (rate(&machine, &of(1 << power)), rate(&machine, &of(2 << power)));
        prop_assert!(large <= small * 1.01, "{large} {small}");
    }

    #[test]
    fn a_deeper_window_never_completes_less(
        machine in machine(), operation in operation(), window in 1_u32..32,
    ) {
        let of = |window| rate(&machine, &scenario(closed(window), operation, 3));
        prop_assert!(of(2 * window) >= of(window) * 0.99);
    }

    #[test]
    fn more_workers_never_help_the_card(writers in 0.0..20.0_f64, operation in operation()) {
        let transfer = ByReach { local: 60.0, remote: 30.0 };
        let machine = Parameters {
            transfer_ns: ByVerb::all(transfer), one_way_ns: 500.0, ..Parameters::ideal()
        };
        let of = |writers| {
            let mut run = scenario(closed(4), operation, 4);
            run.contention = Contention { writers, readers: 0.0 };
            rate(&machine, &run)
        };
        prop_assert!(of(writers + 1.0) <= of(writers) * 1.03);
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
    assert!(told(&|run| run.threads = 5).contains("a number of threads of 5 is not within 1 and 4"));
    assert!(told(&|run| run.client_hosts = 0).contains("client hosts of 0"));
    assert!(told(&|run| run.end.0 = u64::MAX).contains("beyond the simulator's 1126 s"));
    assert!(told(&|run| run.connection.mtu_bytes = 0).contains("a path MTU of 0"));
    let many = refused(&|run| {
        run.load.run_queue_pairs = 20_000;
        run.load.queue_pairs = 0..20_000;
    });
    assert_eq!(many, SimulateError::QueuePairs { queue_pairs: 20_000 });
}
