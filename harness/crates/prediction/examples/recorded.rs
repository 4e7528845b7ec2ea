//! How many operations are simulated and recorded in a second of this machine: to be held against
//! the first line of `onesided-sim`'s example `speed`, which only counts.
//!
//!     cargo run --release -p onesided-prediction --example recorded [simulation.toml]

use std::{path::Path, time::Instant};

use onesided_prediction::{Share, SimulatedMachine, read_profile, simulate_run};
use onesided_results::{
    RunConfiguration,
    vocabulary::{Ddio, LoopShape},
};
use onesided_sim::{ByReach, ByVerb, Parameters};

fn main() {
    let profile = std::env::args().nth(1);
    let parameters = match profile {
        Some(path) => read_profile(Path::new(&path)).expect("a profile").parameters(None),
        None => machine(),
    };
    let machine = SimulatedMachine {
        parameters,
        ddio: Ddio::Default,
        set_up: None,
        nic: None,
        harness_version: String::new(),
        harness_revision: None,
    };
    let run = RunConfiguration {
        loop_shape: LoopShape::Saturating,
        window: 128,
        queue_pairs: 8,
        threads: 8,
        mtu_bytes: 256,
        max_rd_atomic: 1,
        ..RunConfiguration::default()
    };
    for name in ["first", "second", "third"] {
        let begin = Instant::now();
        let totals = simulate_run(&machine, &run, Share::ALL).record.totals.expect("it is covered");
        let took = begin.elapsed().as_secs_f64();
        let rate = totals.completions as f64 / took / 1e6;
        println!("{name}: {} operations, {rate:.1} M simulated and recorded/s", totals.completions);
    }
}

/// The machine of `onesided-sim`'s example `speed`.
fn machine() -> Parameters {
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
