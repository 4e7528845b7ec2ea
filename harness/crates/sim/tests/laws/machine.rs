//! Scenarios that the laws are asked of.

use std::time::Duration;

use onesided_load::{ArrivalPlan, MixPlan, PatternPlan, PostedOperation, ShapePlan, SlotLayout};
use onesided_sim::{
    Connection, Count, HostLoad, Locality, Moment, Parameters, Scenario, Workers, simulate,
};

pub const MILLISECOND: u64 = 1_000_000_000;

/// One thread for each queue pair, 8 bytes each in its own cache line, for 10 ms.
pub fn scenario(shape: ShapePlan, operation: PostedOperation, queue_pairs: usize) -> Scenario {
    let what = (shape, PatternPlan::OwnSlot, MixPlan::Single(operation));
    let load = Scenario::load_of(what, (SlotLayout::Padded, 8), queue_pairs);
    Scenario {
        load: load.expect("8 bytes can be laid out"),
        threads: queue_pairs,
        client_hosts: 1,
        region: Locality::RdmaLocal,
        client: Locality::RdmaLocal,
        connection: Connection { mtu_bytes: 256, max_rd_atomic: 1, inline_bytes: 0 },
        workers: Workers::NONE,
        host_load: HostLoad::default(),
        end: Moment(10 * MILLISECOND),
    }
}

pub fn closed(window: u32) -> ShapePlan {
    ShapePlan::ClosedLoop { window, think_time: Duration::ZERO, post_list: 1 }
}

pub fn poisson(operations_per_second: f64) -> ShapePlan {
    let arrivals = ArrivalPlan::Poisson { operations_per_second };
    ShapePlan::OpenLoop { arrivals, max_outstanding: 1 << 16 }
}

/// What completes after the first tenth of the scenario.
pub fn count(parameters: &Parameters, scenario: &Scenario) -> Count {
    let mut count = Count::between(Moment(scenario.end.0 / 10), scenario.end);
    simulate(parameters, scenario, &mut count).unwrap();
    count
}

#[track_caller]
pub fn assert_near(found: f64, expected: f64, relative: f64) {
    let error = (found - expected).abs() / expected;
    assert!(error <= relative, "{found} instead of {expected}: off by {:.2} %", error * 100.0);
}
