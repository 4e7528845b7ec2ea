//! What a generated access costs beside the same access from a bare loop, on memory that stays in
//! the nearest cache.
//!
//!   threads_cost              a CSV table: pattern, operation, bytes, ns of ours, ns of the bare
//!                             loop, difference; medians of interleaved rounds. The bare loop does
//!                             loads and stores of 8 bytes; other rows have none
//!   threads_cost count PATTERN OPERATION BYTES BATCHES
//!                             only carries out so many batches, for a counter of instructions

use std::{hint::black_box, sync::Arc};

use onesided_access::threads::{BATCH_ACCESSES, Batch, SharedMemory, batch_of};
use onesided_load::worker::{WorkerOperation, WorkerPattern, WorkerPlan};
use onesided_measure::Clock;
use onesided_placement::{BoundMemory, PageSize};

/// Half of the smallest first-level data cache in question.
const REGION_BYTES: u64 = 16 << 10;
const ROUNDS: usize = 41;
const BATCHES: u32 = 4000;

fn generated(
    memory: &SharedMemory,
    pattern: WorkerPattern,
    operation: WorkerOperation,
    access_bytes: u32,
) -> Box<dyn Batch> {
    let region_bytes = REGION_BYTES;
    let plan = WorkerPlan {
        pattern,
        operation,
        write_fraction: 0.5,
        object_bytes: 8,
        access_bytes,
        region_bytes,
        worker: 0,
        workers: 1,
        seed: 1,
    };
    batch_of(memory, &plan).expect("a plan that can be")
}

/// Bare accesses of 8 bytes: offsets by one addition and one mask, in registers.
fn bare(memory: &BoundMemory, operation: WorkerOperation, accesses: u32) {
    let start = memory.as_ptr().cast::<u64>();
    let mask = (REGION_BYTES / 8 - 1) as usize;
    let mut index = 0;
    for count in 0..accesses {
        index = (index + 1031) & mask;
        // SAFETY: within the memory, which nobody else accesses meanwhile.
        unsafe {
            match operation {
                WorkerOperation::Write => start.add(index).write_volatile(1),
                WorkerOperation::Mixed if count & 1 == 0 => {
                    start.add(index).write_volatile(1);
                }
                _ => _ = start.add(index).read_volatile(),
            }
        }
    }
    black_box(index);
}

fn main() {
    let memory = BoundMemory::allocate(REGION_BYTES as usize, PageSize::Base, None);
    let memory = Arc::new(memory.expect("four pages"));
    let shared = SharedMemory::of(memory.clone());
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [command, at, what, bytes, batches] = &arguments[..]
        && command == "count"
    {
        let bytes = bytes.parse().expect("bytes");
        let (pattern, operation) =
            (at.parse().expect("a pattern"), what.parse().expect("an operation"));
        let mut batch = generated(&shared, pattern, operation, bytes);
        for _ in 0..batches.parse::<u32>().expect("batches") {
            black_box(batch.run(BATCH_ACCESSES));
        }
        return;
    }
    let clock = Clock::calibrate().expect("a clock");
    let time = |work: &mut dyn FnMut()| {
        let start = clock.now();
        work();
        let ticks = clock.now().checked_since(start).expect("time goes on");
        clock.nanoseconds(ticks) as f64 / f64::from(BATCHES * BATCH_ACCESSES)
    };
    println!("pattern,operation,bytes,ours_ns,bare_ns,difference_ns");
    for (at, what, bytes) in [
        ("uniform", "read", 8),
        ("uniform", "write", 8),
        ("uniform", "mixed", 8),
        ("uniform", "read", 64),
        ("sequential", "read", 8),
        ("sequential", "write", 8),
        ("sequential", "mixed", 8),
        ("sequential", "read", 64),
        ("own-line", "read", 8),
        ("own-line", "write", 8),
        ("own-line", "fetch-and-add", 8),
        ("own-line", "compare-and-swap", 8),
        ("as-published", "mixed", 1),
    ] {
        let (pattern, operation) =
            (at.parse().expect("a pattern"), what.parse().expect("an operation"));
        let mut batch = generated(&shared, pattern, operation, bytes);
        let like = bytes == 8 && !WorkerOperation::is_atomic(operation);
        let (mut ours, mut others) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ours.push(time(&mut || {
                (0..BATCHES).for_each(|_| _ = black_box(batch.run(BATCH_ACCESSES)));
            }));
            let one = || bare(&memory, operation, BATCH_ACCESSES);
            others.push(time(&mut || (0..BATCHES).for_each(|_| one())));
        }
        let (ours, other) = (median(ours), median(others));
        let (bare_ns, difference_ns) = match like {
            true => (format!("{other:.3}"), format!("{:.3}", ours - other)),
            false => (String::new(), String::new()),
        };
        println!("{at},{what},{bytes},{ours:.3},{bare_ns},{difference_ns}");
    }
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
