//! The same closed loop of READs in four event simulations: ours, one on the standard library's
//! heap, and two on crates for discrete events. Prints one CSV line each a round.
//!
//!     event-simulation ROUNDS VIRTUAL_MILLISECONDS
//!
//! All count the same completions, or it ends: then they would not do the same work.

mod heap;
mod machine;
mod nexosim_bench;
mod ours;
mod simrs_bench;

use std::time::Instant;

/// Simulates so many picoseconds; operations that completed.
type Simulation = fn(u64) -> u64;

const PEERS: [(&str, Simulation); 4] = [
    ("onesided", ours::simulate),
    ("heap", heap::simulate),
    ("simrs", simrs_bench::simulate),
    ("nexosim", nexosim_bench::simulate),
];

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let (Some(Ok(rounds)), Some(Ok(milliseconds))) = (arguments.next(), arguments.next()) else {
        eprintln!("event-simulation: takes two numbers: rounds and virtual milliseconds");
        std::process::exit(2);
    };
    let end = milliseconds * 1_000_000_000;
    println!("round,peer,operations,seconds");
    for round in 0..rounds {
        let mut expected = None;
        for (peer, simulate) in PEERS {
            let begin = Instant::now();
            let operations = simulate(end);
            let seconds = begin.elapsed().as_secs_f64();
            println!("{round},{peer},{operations},{seconds}");
            let expected = *expected.get_or_insert(operations);
            if operations != expected {
                eprintln!(
                    "event-simulation: {peer} counts {operations} operations, not {expected}"
                );
                std::process::exit(1);
            }
        }
    }
}
