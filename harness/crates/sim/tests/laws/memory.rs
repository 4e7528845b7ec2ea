//! Accesses that go to memory: without direct cache access.

use onesided_load::PostedOperation;
use onesided_sim::{ByReach, ByVerb, Moment, Parameters, Workers};

use crate::machine::{MILLISECOND, assert_near, closed, count, scenario};

#[test]
fn an_atomic_whose_result_goes_to_memory_keeps_its_slot_for_that_but_answers_before() {
    let machine = Parameters {
        atomic_ns: 400.0,
        atomic_write_back: 1.0,
        line_ns: ByVerb { write: ByReach { local: 200.0, remote: 0.0 }, ..ByVerb::default() },
        one_way_ns: 500.0,
        respond_ns: ByVerb::all(1.0),
        ..Parameters::ideal()
    };
    let of = |queue_pairs| {
        let mut run = scenario(closed(1), PostedOperation::FetchAndAdd, queue_pairs);
        run.load.region_bytes = 64 * queue_pairs as u64;
        count(&machine, &run)
    };
    assert_near(of(8).rate(), 1.0 / 600e-9, 0.002);
    assert_near(of(1).mean_latency_ns().unwrap(), 1401.0, 1e-6);
}

#[test]
fn copies_slow_writes_as_much_for_one_reader_as_for_many_until_moving_the_line_takes_longer() {
    let both = |value| ByVerb::all(ByReach { local: value, remote: value });
    let machine = Parameters {
        one_way_ns: 500.0,
        line_ns: both(200.0),
        copies_ns: both(100.0),
        transfer_ns: both(30.0),
        ..Parameters::ideal()
    };
    let rate = |threads, write_share| {
        let mut run = scenario(closed(64), PostedOperation::Write, 8);
        run.load.slot_layout = onesided_load::SlotLayout::Packed;
        run.load.region_bytes = 64;
        run.workers = Workers { threads, write_share, lines: 1 };
        run.end = Moment(100 * MILLISECOND);
        count(&machine, &run).rate()
    };
    for (threads, write_share, line_ns) in [
        (0.0, 0.0, 200.0),
        (1.0, 0.0, 300.0),
        (16.0, 0.0, 300.0),
        (2.0, 1.0, 300.0),
        (10.0, 1.0, 500.0),
    ] {
        assert_near(rate(threads, write_share), 1e9 / line_ns, 0.01);
    }
}
