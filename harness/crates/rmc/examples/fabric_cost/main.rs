//! Prints what an operation of the emulated fabric costs beside what this machine's cores and
//! caches cost anyway, in turns on the same two CPUs, as CSV:
//! `cargo run --release --example fabric_cost [ROUNDS [REQUESTER-CPU RESPONDER-CPU]]`.

mod floor;
mod operations;
mod samples;

use std::{env, error::Error};

use onesided_measure::Clock;
use onesided_placement::{CpuId, CpuSet, cpus_of_current_thread, pin_current_thread};

use floor::Floor;
use operations::{Large, Operations};

/// One row: what is measured, in which unit, by round.
struct Row {
    what: &'static str,
    unit: &'static str,
    rounds: Vec<f64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<usize> =
        env::args().skip(1).map(|text| text.parse()).collect::<Result<_, _>>()?;
    let rounds = arguments.first().copied().unwrap_or(11);
    let allowed: Vec<CpuId> = cpus_of_current_thread()?.iter().collect();
    let (here, there) = match (&arguments[..], &allowed[..]) {
        ([_, here, there], _) => (CpuId(*here as u32), CpuId(*there as u32)),
        (_, [first, second, ..]) => (*first, *second),
        _ => return Err("two CPUs are needed, and this process may use one".into()),
    };
    pin_current_thread(&CpuSet::of(here))?;
    let clock = Clock::calibrate()?;
    let mut operations = Operations::open(CpuSet::of(there), clock)?;
    let row = |what, unit| Row { what, unit, rounds: Vec::with_capacity(rounds) };
    let mut rows = [
        row("core to core round trip", "ns"),
        row("read 64 B, one at a time", "ns"),
        row("fetch-and-add, one at a time", "ns"),
        row("write 64 B, one at a time", "ns"),
        row("read 64 B, 64 under way", "ns"),
        row("memcpy 8 KiB of the same lines", "ns"),
        row("read 8 KiB, 16 under way", "ns"),
        row("read 8 KiB without packets", "ns"),
        row("read 8 KiB / memcpy, bandwidth", ""),
        row("read 8 KiB without packets / memcpy, bandwidth", ""),
    ];
    for _ in 0..rounds {
        // The responder gives its CPU away while the floor is measured, and takes it back.
        let floor = Floor::start(CpuSet::of(there));
        let measured = [
            floor.round_trip_ns(&clock),
            operations.read_ns(),
            operations.add_ns(),
            operations.write_ns(),
            operations.pipelined_ns(),
        ];
        let Large { read, direct, copied } = operations.large_ns();
        let large = [copied, read, direct, copied / read, copied / direct];
        let measured = measured.into_iter().chain(large);
        for (row, value) in rows.iter_mut().zip(measured) {
            row.rounds.push(value);
        }
    }
    println!("what,unit,median,lowest,highest,rounds");
    for Row { what, unit, rounds } in &mut rows {
        rounds.sort_by(f64::total_cmp);
        let (lowest, median, highest) =
            (rounds[0], rounds[rounds.len() / 2], rounds[rounds.len() - 1]);
        println!("\"{what}\",{unit},{median:.2},{lowest:.2},{highest:.2},{}", rounds.len());
    }
    Ok(())
}
