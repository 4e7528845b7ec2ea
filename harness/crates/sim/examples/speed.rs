//! How many operations are simulated in a second of this machine: the study's 8 queue pairs of
//! saturating READs.
//!
//!     cargo run --release -p onesided-sim --example speed

use std::time::{Duration, Instant};

use onesided_load::{LoadPlan, MixPlan, PatternPlan, PostedOperation, ShapePlan, SlotLayout};
use onesided_sim::{
    ByReach, ByVerb, Connection, Count, HostLoad, Moment, Parameters, Reach, Scenario, Workers,
    simulate,
};

fn main() {
    let parameters = Parameters {
        post_ns: ByVerb::all(100.0),
        poll_ns: 50.0,
        doorbell_ns: 200.0,
        completion_ns: 300.0,
        request_ns: ByVerb::all(60.0),
        link_ns_per_byte: 0.147,
        packet_ns: 9.5,
        one_way_ns: 200.0,
        respond_ns: ByVerb::all(40.0),
        pcie_ns_per_byte: 0.127,
        memory_ns: ByVerb::all(500.0),
        line_ns: ByVerb::all(ByReach { local: 20.0, remote: 20.0 }),
        transfer_ns: ByVerb::all(ByReach { local: 30.0, remote: 20.0 }),
        posted_writes: 16.0,
        ..Parameters::ideal()
    };
    for (name, operation, queue_pairs, writers) in [
        ("READ, 8 queue pairs", PostedOperation::Read, 8, 0.0),
        ("READ, 8 queue pairs, workers", PostedOperation::Read, 8, 4.0),
        ("WRITE, 8 queue pairs", PostedOperation::Write, 8, 0.0),
        ("READ, 64 queue pairs", PostedOperation::Read, 64, 0.0),
        ("READ, 1024 queue pairs", PostedOperation::Read, 1024, 0.0),
        ("READ, 16384 queue pairs", PostedOperation::Read, 16384, 0.0),
    ] {
        let scenario = Scenario {
            load: LoadPlan {
                shape: ShapePlan::ClosedLoop {
                    window: 128,
                    think_time: Duration::ZERO,
                    post_list: 1,
                },
                pattern: PatternPlan::OwnSlot,
                mix: MixPlan::Single(operation),
                access_bytes: 8,
                slot_layout: SlotLayout::Packed,
                region_bytes: 8 * queue_pairs as u64,
                queue_pairs: 0..queue_pairs,
                run_queue_pairs: queue_pairs,
                operations_per_queue_pair: None,
                units_per_second: Scenario::UNITS_PER_SECOND,
                seed: 1,
            },
            threads: queue_pairs,
            client_hosts: 1,
            region: Reach::Local,
            client: Reach::Local,
            connection: Connection { mtu_bytes: 256, max_rd_atomic: 1 },
            workers: Workers { threads: writers, write_share: 1.0, lines: 1 },
            host_load: HostLoad::default(),
            end: Moment(2_000_000_000_000),
        };
        let mut count = Count::between(Moment(0), scenario.end);
        let begin = Instant::now();
        simulate(&parameters, &scenario, &mut count).expect("the scenario is possible");
        let took = begin.elapsed().as_secs_f64();
        let (operations, rate) = (count.operations() as f64, count.rate() / 1e6);
        println!(
            "{name}: {:.1} M simulated/s ({rate:.2} M/s in virtual time)",
            operations / took / 1e6
        );
    }
}
