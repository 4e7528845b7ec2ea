//! Open networks: arrivals that do not care.

use onesided_load::PostedOperation;
use onesided_sim::{ByReach, ByVerb, Moment, Parameters, Workers};

use crate::machine::{MILLISECOND, assert_near, count, poisson, scenario};

/// 100 ns of service at every card of the requester.
fn constant_service() -> Parameters {
    Parameters { request_ns: ByVerb::all(100.0), ..Parameters::ideal() }
}

#[test]
fn an_open_loop_gets_the_rate_it_asks_for() {
    let mut run = scenario(poisson(5e6), PostedOperation::Write, 1);
    run.end = Moment(100 * MILLISECOND);
    assert_near(count(&constant_service(), &run).rate(), 5e6, 0.01);
}

#[test]
fn constant_service_and_poisson_arrivals_wait_as_in_an_m_d_1_queue() {
    for load in [0.3, 0.6, 0.8] {
        let mut run = scenario(poisson(load * 1e7), PostedOperation::Write, 1);
        run.end = Moment(200 * MILLISECOND);
        let mean = count(&constant_service(), &run).mean_latency_ns().unwrap();
        // Pollaczek and Khinchine: s + load * s / (2 (1 - load)).
        assert_near(mean, 100.0 + load * 100.0 / (2.0 * (1.0 - load)), 0.02);
    }
}

#[test]
fn exponential_service_and_poisson_arrivals_wait_as_in_an_m_m_1_queue() {
    let transfer = ByReach { local: 100.0, remote: 100.0 };
    let machine = Parameters { transfer_ns: ByVerb::all(transfer), ..Parameters::ideal() };
    for load in [0.3, 0.6, 0.8] {
        let mut run = scenario(poisson(load * 1e7), PostedOperation::Read, 1);
        run.workers = Workers { threads: 1.0, write_share: 1.0, lines: 1 };
        run.connection.max_rd_atomic = 1 << 16;
        run.end = Moment(400 * MILLISECOND);
        let mean = count(&machine, &run).mean_latency_ns().unwrap();
        assert_near(mean, 100.0 / (1.0 - load), 0.03);
    }
}

#[test]
fn a_queue_with_more_arrivals_than_it_serves_serves_as_many_as_it_can() {
    let run = scenario(poisson(2e7), PostedOperation::Write, 1);
    assert_near(count(&constant_service(), &run).rate(), 1e7, 0.001);
}

#[test]
fn two_queue_pairs_with_half_the_arrivals_each_wait_as_one_with_all() {
    let of = |queue_pairs: usize| {
        let rate = 6e6 / queue_pairs as f64;
        let mut run = scenario(poisson(rate), PostedOperation::Write, queue_pairs);
        run.end = Moment(200 * MILLISECOND);
        count(&constant_service(), &run).mean_latency_ns().unwrap()
    };
    assert_near(of(2), of(1), 0.02);
}
