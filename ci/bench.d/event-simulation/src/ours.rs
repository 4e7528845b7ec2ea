//! The simulator itself: more stations than the others have, of which most cost nothing here.

use std::time::Duration;

use onesided_load::{MixPlan, PatternPlan, PostedOperation, ShapePlan, SlotLayout};
use onesided_sim::{
    ByVerb, Connection, Count, HostLoad, Moment, Parameters, Reach, Scenario, Workers,
    simulate as run,
};

use crate::machine::{
    COMPLETION_NS, DOORBELL_NS, MEMORY_NS, ONE_WAY_NS, PACKET_NS, POLL_NS, POST_NS, QUEUE_PAIRS,
    REQUEST_NS,
};

pub fn simulate(end: u64) -> u64 {
    let ns = |value: u64| value as f64;
    let parameters = Parameters {
        post_ns: ByVerb::all(ns(POST_NS)),
        poll_ns: ns(POLL_NS),
        doorbell_ns: ns(DOORBELL_NS),
        request_ns: ByVerb::all(ns(REQUEST_NS)),
        packet_ns: ns(PACKET_NS),
        one_way_ns: ns(ONE_WAY_NS),
        memory_ns: ByVerb::all(ns(MEMORY_NS)),
        completion_ns: ns(COMPLETION_NS),
        ..Parameters::ideal()
    };
    let shape = ShapePlan::ClosedLoop { window: 1, think_time: Duration::ZERO, post_list: 1 };
    let what = (shape, PatternPlan::OwnSlot, MixPlan::Single(PostedOperation::Read));
    let load = Scenario::load_of(what, (SlotLayout::Packed, 8), QUEUE_PAIRS);
    let scenario = Scenario {
        load: load.expect("8 bytes can be laid out"),
        threads: QUEUE_PAIRS,
        client_hosts: 1,
        region: Reach::Local,
        client: Reach::Local,
        connection: Connection { mtu_bytes: 256, max_rd_atomic: 1, inline_bytes: 0 },
        workers: Workers::NONE,
        host_load: HostLoad::default(),
        end: Moment(end),
    };
    let mut count = Count::between(Moment(0), scenario.end);
    run(&parameters, &scenario, &mut count).expect("the scenario is possible");
    count.operations()
}
