//! Steps that are one event, held against the same steps one by one.

use std::time::Duration;

use onesided_load::{
    ArrivalPlan, LoadPlan, MixPlan, PatternPlan, PostedOperation, ShapePlan, SlotLayout,
    region_bytes, with_generator,
};
use proptest::{prelude::*, strategy::ValueTree as _};

use super::{Run, Steps};
use crate::{
    ByReach, ByVerb, Completed, Connection, HostLoad, Locality, Moment, Observer, Parameters,
    Scenario, Workers,
};

/// All completions of each queue pair.
struct All(Vec<Vec<(Moment, Moment)>>);

impl Observer for All {
    fn completed(&mut self, completed: Completed) {
        self.0[completed.queue_pair].push((completed.intended, completed.at));
    }
}

fn completions(parameters: &Parameters, scenario: &Scenario, steps: Steps) -> All {
    let mut observer = All(vec![Vec::new(); scenario.load.run_queue_pairs]);
    let run = Run { parameters, scenario, observer: &mut observer, steps };
    with_generator(&scenario.load, run).expect("the load is possible");
    observer
}

/// Times are few and small, so that many events fall on the same moment.
fn parameters() -> impl Strategy<Value = Parameters> {
    let few = || prop_oneof![Just(0.0), Just(1.0), Just(7.0), Just(40.0)];
    let times = (few(), few(), few(), few(), few(), few());
    let lines = (few(), prop_oneof![Just(0.0), Just(30.0)], 1_u32..4, 1_u32..3);
    let cpus = prop_oneof![Just(f64::INFINITY), Just(2.0)];
    (times, lines, cpus).prop_map(|(times, lines, client_cpus)| Parameters {
        post_ns: ByVerb::all(times.0),
        poll_ns: times.1,
        doorbell_ns: times.2,
        completion_ns: times.3,
        request_ns: ByVerb::all(times.4),
        respond_ns: ByVerb::all(times.5),
        client_cpus,
        quantum_ns: 100.0,
        link_ns_per_byte: 0.15,
        pcie_ns_per_byte: 0.13,
        memory_ns: ByVerb::all(50.0),
        line_ns: ByVerb::all(ByReach { local: lines.0, remote: lines.0 }),
        transfer_ns: ByVerb::all(ByReach { local: lines.1, remote: lines.1 }),
        posted_writes: f64::from(lines.2),
        atomic_slots: f64::from(lines.3),
        atomic_ns: 20.0,
        atomic_card_share: f64::from(lines.3 - 1) / 2.0,
        atomics_waiting: if lines.2 == 1 { 1.0 } else { f64::INFINITY },
        wqe_line_ns: times.5 / 2.0,
        pcie_packet_ns: times.4 / 4.0,
        ..Parameters::ideal()
    })
}

/// Closed loops, with pauses and without, and open ones.
fn shape() -> impl Strategy<Value = ShapePlan> {
    let closed = |window, think_time| ShapePlan::ClosedLoop { window, think_time, post_list: 1 };
    prop_oneof![
        3 => (1_u32..6).prop_map(move |window| closed(window, Duration::ZERO)),
        1 => Just(closed(1, Duration::from_nanos(90))),
        1 => (1_u32..6, prop_oneof![Just(1e5), Just(4e6)]).prop_map(|(max_outstanding, rate)| {
            let arrivals = ArrivalPlan::Poisson { operations_per_second: rate };
            ShapePlan::OpenLoop { arrivals, max_outstanding }
        }),
    ]
}

fn scenario() -> impl Strategy<Value = Scenario> {
    let operations = prop_oneof![
        Just(MixPlan::Single(PostedOperation::Read)),
        Just(MixPlan::Single(PostedOperation::Write)),
        Just(MixPlan::Single(PostedOperation::FetchAndAdd)),
        Just(MixPlan::ReadWrite { write_fraction: 0.5 }),
        Just(MixPlan::ReadAtomic { atomic_fraction: 0.5 }),
    ];
    let layout = prop_oneof![Just(SlotLayout::Packed), Just(SlotLayout::Padded)];
    let load = (operations, shape(), 1_usize..10, layout, any::<u64>());
    let sharing = (1_usize..10, 1_usize..3, 1_u32..4, 0_usize..3);
    // Two packets and more at the path MTU of 256; atomics are of 8 bytes.
    let bytes = prop_oneof![3 => Just(8_u32), 1 => Just(64), 1 => Just(304), 1 => Just(1024)];
    let inline_bytes = prop_oneof![Just(0_u32), Just(64)];
    (load, sharing, bytes, inline_bytes).prop_map(|(load, sharing, bytes, inline_bytes)| {
        let (mix, shape, queue_pairs, layout, seed) = load;
        let (threads, hosts, max_rd_atomic, workers) = sharing;
        let threads = if threads > 5 { queue_pairs } else { threads.min(queue_pairs) };
        let has_atomics = matches!(
            mix,
            MixPlan::Single(PostedOperation::FetchAndAdd) | MixPlan::ReadAtomic { .. }
        );
        let access_bytes = if has_atomics { 8 } else { bytes };
        let pattern = PatternPlan::OwnSlot;
        let region_bytes = region_bytes(pattern, layout, access_bytes, queue_pairs);
        Scenario {
            load: LoadPlan {
                shape,
                pattern,
                mix,
                access_bytes,
                slot_layout: layout,
                region_bytes: region_bytes.expect("they can be laid out"),
                queue_pairs: 0..queue_pairs,
                run_queue_pairs: queue_pairs,
                operations_per_queue_pair: None,
                units_per_second: Scenario::UNITS_PER_SECOND,
                seed,
            },
            threads,
            client_hosts: hosts.min(threads),
            region: Locality::RdmaLocal,
            client: Locality::RdmaLocal,
            connection: Connection { mtu_bytes: 256, max_rd_atomic, inline_bytes },
            workers: Workers { threads: workers as f64, write_share: 1.0, lines: 1 },
            host_load: HostLoad::default(),
            end: Moment(20_000_000),
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn joined_steps_have_the_same_completions_to_the_picosecond(
        parameters in parameters(),
        scenario in scenario(),
    ) {
        let joined = completions(&parameters, &scenario, Steps::Joined);
        let single = completions(&parameters, &scenario, Steps::Single);
        prop_assert_eq!(joined.0, single.0);
    }
}

#[test]
fn answers_of_one_card_and_one_kind_are_in_order() {
    let in_order = |mix, hosts| {
        let parameters = Parameters { memory_ns: ByVerb::all(50.0), ..Parameters::ideal() };
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let mut scenario = scenario().new_tree(&mut runner).unwrap().current();
        (scenario.load.mix, scenario.client_hosts) = (mix, hosts);
        super::Machine::new(&parameters, &scenario).answers_in_order(&scenario)
    };
    assert!(in_order(MixPlan::Single(PostedOperation::Read), 1));
    assert!(!in_order(MixPlan::Single(PostedOperation::Read), 2));
    assert!(!in_order(MixPlan::ReadWrite { write_fraction: 0.5 }, 1));
}
