//! Closed networks: so many operations go round.

use std::time::Duration;

use onesided_load::{LoadPlan, MixPlan, PatternPlan, PostedOperation, ShapePlan, SlotLayout};
use onesided_sim::{ByReach, ByVerb, Connection, Moment, Parameters, Scenario, Workers};

use crate::machine::{MILLISECOND, assert_near, closed, count, scenario};

const READ: PostedOperation = PostedOperation::Read;

/// 1 µs of delay that nobody waits for, and `service_ns` of one server.
fn delay_and_server(service_ns: f64) -> Parameters {
    Parameters { one_way_ns: 500.0, respond_ns: ByVerb::all(service_ns), ..Parameters::ideal() }
}

#[test]
fn alone_an_operation_takes_the_sum_of_its_stations() {
    let machine = Parameters {
        post_ns: ByVerb::all(1.0),
        doorbell_ns: 2.0,
        request_ns: ByVerb::all(4.0),
        packet_ns: 8.0,
        one_way_ns: 16.0,
        respond_ns: ByVerb::all(32.0),
        line_ns: ByVerb::all(ByReach { local: 64.0, remote: 1e6 }),
        memory_ns: ByVerb::all(128.0),
        interconnect_ns: ByVerb::all(1e6),
        completion_ns: 256.0,
        poll_ns: 512.0,
        ..Parameters::ideal()
    };
    let found = count(&machine, &scenario(closed(1), READ, 1)).mean_latency_ns().unwrap();
    // Packets and one way count twice; the latency begins when the post is decided.
    assert_near(
        found,
        1.0 + 2.0 + 4.0 + 2.0 * (8.0 + 16.0) + 32.0 + 64.0 + 128.0 + 256.0 + 512.0,
        1e-9,
    );
}

#[test]
fn with_constant_times_throughput_is_the_lesser_of_both_bounds() {
    // N / (R + Z) until the server is busy always, then 1 / s.
    for queue_pairs in [1, 2, 5, 10, 11, 12, 20, 64] {
        let rate = count(&delay_and_server(100.0), &scenario(closed(1), READ, queue_pairs)).rate();
        assert_near(rate, (queue_pairs as f64 / 1.1e-6).min(1e7), 0.005);
    }
}

#[test]
fn think_time_is_a_delay_like_any_other() {
    let think_time = Duration::from_nanos(900);
    let shape = ShapePlan::ClosedLoop { window: 1, think_time, post_list: 1 };
    let rate = count(&delay_and_server(100.0), &scenario(shape, READ, 4)).rate();
    assert_near(rate, 4.0 / 2e-6, 0.001);
}

#[test]
fn exponential_service_in_a_closed_network_follows_mean_value_analysis() {
    let machine = Parameters {
        one_way_ns: 500.0,
        transfer_ns: ByVerb::all(ByReach { local: 150.0, remote: 150.0 }),
        ..Parameters::ideal()
    };
    for queue_pairs in [1, 4, 8, 16] {
        let mut run = scenario(closed(1), READ, queue_pairs);
        run.load.slot_layout = onesided_load::SlotLayout::Packed;
        // All objects in the line of the first eight, or of the second.
        run.load.region_bytes = 64 * queue_pairs as u64;
        run.workers = Workers { threads: 1.0, write_share: 1.0, lines: 1 };
        run.end = Moment(100 * MILLISECOND);
        let at_line = queue_pairs.min(8);
        let (mut queue, mut throughput) = (0.0, 0.0);
        for customers in 1..=at_line {
            let residence = 150.0 * (1.0 + queue);
            throughput = customers as f64 / (1000.0 + residence);
            queue = throughput * residence;
        }
        let lines = queue_pairs.div_ceil(8) as f64;
        assert_near(count(&machine, &run).rate(), throughput * lines * 1e9, 0.01);
    }
}

#[test]
fn operations_under_way_are_throughput_times_latency() {
    // Little's law, with all of the window under way.
    for (operation, window) in [(READ, 16), (PostedOperation::Write, 64)] {
        let machine = delay_and_server(70.0);
        let run = scenario(closed(window), operation, 3);
        let found = count(&machine, &run);
        let under_way = found.rate() * found.mean_latency_ns().unwrap() * 1e-9;
        assert_near(under_way, 3.0 * f64::from(window), 0.01);
    }
}

#[test]
fn reads_in_flight_are_what_the_connection_allows_however_deep_the_window() {
    for in_flight in [1, 2, 7] {
        let mut run = scenario(closed(128), READ, 1);
        run.connection.max_rd_atomic = in_flight;
        let rate = count(&delay_and_server(1.0), &run).rate();
        assert_near(rate, f64::from(in_flight) / 1.001e-6, 0.002);
    }
}

#[test]
fn a_server_is_busy_for_throughput_times_service() {
    let run = scenario(closed(64), PostedOperation::Write, 4);
    let machine = delay_and_server(80.0);
    // More than enough under way: the utilisation is 1.
    assert_near(count(&machine, &run).rate() * 80e-9, 1.0, 0.001);
}

#[test]
fn a_line_that_workers_move_slows_writes_although_acknowledgements_do_not_wait_for_it() {
    let slow = ByReach { local: 300.0, remote: 300.0 };
    let machine =
        Parameters { posted_writes: 16.0, line_ns: ByVerb::all(slow), ..delay_and_server(1.0) };
    let mut run = scenario(closed(128), PostedOperation::Write, 8);
    run.load.slot_layout = onesided_load::SlotLayout::Packed;
    assert_near(count(&machine, &run).rate(), 1.0 / 300e-9, 0.002);
}

#[test]
fn threads_that_share_a_cpu_share_its_time() {
    let busy = Parameters {
        poll_ns: 100.0,
        quantum_ns: 10_000.0,
        client_cpus: 2.0,
        ..Parameters::ideal()
    };
    let rate = |threads| count(&busy, &scenario(closed(1), READ, threads)).rate();
    assert_near(rate(2), 2e7, 0.01);
    assert_near(rate(4), 2e7, 0.02);
    assert_near(rate(6), 2e7, 0.02);
}

#[test]
fn client_hosts_have_a_card_each_and_share_the_servers() {
    let machine = Parameters {
        request_ns: ByVerb::all(100.0),
        respond_ns: ByVerb::all(30.0),
        ..Parameters::ideal()
    };
    let rate = |hosts| {
        let mut run = scenario(closed(16), PostedOperation::Write, 8);
        run.client_hosts = hosts;
        count(&machine, &run).rate()
    };
    assert_near(rate(1), 1e7, 0.002);
    assert_near(rate(2), 2e7, 0.002);
    assert_near(rate(8), 1.0 / 30e-9, 0.002);
}

#[test]
fn atomics_to_one_slot_wait_for_each_other_and_to_different_ones_do_not() {
    let rate = |slots: f64| {
        let machine = Parameters { atomic_slots: slots, atomic_ns: 400.0, ..delay_and_server(1.0) };
        count(&machine, &scenario(closed(1), PostedOperation::FetchAndAdd, 8)).rate()
    };
    assert_near(rate(1.0), 1.0 / 400e-9, 0.002);
    assert_near(rate(4096.0), 8.0 / 1.401e-6, 0.01);
}

#[test]
fn a_request_that_is_stored_takes_the_link_as_often_as_it_has_cache_lines() {
    // Kalia et al., table 1: a header of 36 bytes, so that 28 bytes of payload fit a line.
    let machine = Parameters { one_way_ns: 100.0, wqe_line_ns: 50.0, ..Parameters::ideal() };
    let lines = |inline_bytes, operation, access_bytes| {
        let base = scenario(closed(64), operation, 1);
        let load = LoadPlan { access_bytes, slot_layout: SlotLayout::Packed, ..base.load.clone() };
        let load = LoadPlan { region_bytes: 4096, ..load };
        let connection = Connection { mtu_bytes: 4096, max_rd_atomic: 64, inline_bytes };
        let rate = count(&machine, &Scenario { load, connection, ..base }).rate();
        2e7 / rate
    };
    for (access_bytes, expected) in [(28, 1.0), (29, 2.0), (92, 2.0), (93, 3.0)] {
        assert_near(lines(256, PostedOperation::Write, access_bytes), expected, 0.005);
        assert_near(lines(0, PostedOperation::Write, access_bytes), 1.0, 0.005);
        assert_near(lines(256, READ, access_bytes), 1.0, 0.005);
    }
}

#[test]
fn writes_of_many_hosts_share_the_responders_link() {
    let machine = Parameters { link_ns_per_byte: 1.0, packet_ns: 36.0, ..Parameters::ideal() };
    for (hosts, expected) in [(1, 1e7), (4, 1e7)] {
        let base = scenario(closed(16), PostedOperation::Write, 8);
        let load = LoadPlan { access_bytes: 64, ..base.load.clone() };
        let rate = count(&machine, &Scenario { load, client_hosts: hosts, ..base }).rate();
        assert_near(rate, expected, 0.005);
    }
}

#[test]
fn atomics_on_a_region_beyond_the_cache_lock_for_longer_and_may_keep_the_card() {
    let machine = |atomic_card_share| Parameters {
        respond_ns: ByVerb { read: 100.0, ..ByVerb::all(0.0) },
        atomic_ns: 300.0,
        atomic_miss_ns: 400.0,
        atomic_card_share,
        cache_bytes: 1e6,
        ..Parameters::ideal()
    };
    let rate = |atomic_card_share, atomic_fraction, region_bytes| {
        let base = scenario(closed(64), READ, 8);
        let load = LoadPlan {
            mix: MixPlan::ReadAtomic { atomic_fraction },
            pattern: PatternPlan::Uniform { working_set_bytes: region_bytes },
            region_bytes,
            ..base.load.clone()
        };
        let connection = Connection { mtu_bytes: 256, max_rd_atomic: 64, inline_bytes: 0 };
        count(&machine(atomic_card_share), &Scenario { load, connection, ..base }).rate()
    };
    assert_near(rate(0.0, 1.0, 1_000_000), 1e9 / 300.0, 0.005);
    assert_near(rate(0.0, 1.0, 4_000_000), 1e9 / 600.0, 0.005);
    // Half of each: the lock is the limit, or else the card, which has both.
    assert_near(rate(0.0, 0.5, 1_000_000), 1e9 / 150.0, 0.03);
    assert_near(rate(1.0, 0.5, 1_000_000), 1e9 / 200.0, 0.03);
}
