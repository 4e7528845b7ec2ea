//! How long simulating takes on this machine, of the study's 8 queue pairs of saturating READs and of
//! more: a CSV line for each run and round, in turns.
//!
//!     cargo run --release -p onesided-sim --example speed -- ROUNDS

use std::time::{Duration, Instant};

use onesided_load::{MixPlan, PatternPlan, PostedOperation, ShapePlan, SlotLayout};
use onesided_sim::{
    ByReach, ByVerb, Connection, Count, HostLoad, Locality, Moment, Parameters, Scenario, Workers,
    simulate,
};

/// A run: its name, operation, queue pairs, threads that write on the server, virtual seconds.
type Run = (&'static str, PostedOperation, usize, f64, f64);

const READ: PostedOperation = PostedOperation::Read;
const RUNS: [Run; 9] = [
    ("READ with 8 queue pairs", READ, 8, 0.0, 0.5),
    ("8 times the operations", READ, 8, 0.0, 4.0),
    ("READ with 8 queue pairs and 4 workers", READ, 8, 4.0, 0.5),
    ("WRITE with 8 queue pairs", PostedOperation::Write, 8, 0.0, 0.25),
    ("READ with 64 queue pairs", READ, 64, 0.0, 0.25),
    ("READ with 256 queue pairs", READ, 256, 0.0, 0.25),
    ("READ with 1024 queue pairs", READ, 1024, 0.0, 0.25),
    ("READ with 4096 queue pairs", READ, 4096, 0.0, 0.25),
    ("READ with 16384 queue pairs", READ, 16384, 0.0, 0.25),
];

fn main() {
    let rounds = std::env::args().nth(1).map_or(Ok(1), |text| text.parse());
    let Ok(rounds) = rounds else {
        eprintln!("speed: takes a number of rounds");
        std::process::exit(2);
    };
    println!("round,name,operation,queue_pairs,operations,seconds");
    for round in 0..rounds {
        for (name, operation, queue_pairs, writers, seconds) in RUNS {
            let scenario = scenario(operation, queue_pairs, writers, seconds);
            let mut count = Count::between(Moment(0), scenario.end);
            let begin = Instant::now();
            simulate(&parameters(), &scenario, &mut count).expect("the scenario is possible");
            let took = begin.elapsed().as_secs_f64();
            println!("{round},{name},{operation:?},{queue_pairs},{},{took}", count.operations());
        }
    }
}

fn parameters() -> Parameters {
    Parameters {
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
    }
}

fn scenario(
    operation: PostedOperation,
    queue_pairs: usize,
    writers: f64,
    seconds: f64,
) -> Scenario {
    let shape = ShapePlan::ClosedLoop { window: 128, think_time: Duration::ZERO, post_list: 1 };
    let what = (shape, PatternPlan::OwnSlot, MixPlan::Single(operation));
    let load = Scenario::load_of(what, (SlotLayout::Packed, 8), queue_pairs);
    Scenario {
        load: load.expect("8 bytes can be laid out"),
        threads: queue_pairs,
        client_hosts: 1,
        region: Locality::RdmaLocal,
        client: Locality::RdmaLocal,
        connection: Connection { mtu_bytes: 256, max_rd_atomic: 1, inline_bytes: 0 },
        workers: Workers { threads: writers, write_share: 1.0, lines: 1 },
        host_load: HostLoad::default(),
        end: Moment((seconds * Scenario::UNITS_PER_SECOND as f64) as u64),
    }
}
