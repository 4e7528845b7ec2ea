//! Prints what generating one operation costs: `cargo run --release --example generating_cost`.

use std::{hint::black_box, time::Duration};

use onesided_load::{
    Generator, Instant, LoadPlan, MixPlan, Next, PatternPlan, PlanError, PostedOperation,
    ShapePlan, SlotLayout, Visitor, with_generator,
};

const OPERATIONS: u64 = 10_000_000;

fn main() -> Result<(), PlanError> {
    let working_set_bytes = 1 << 30;
    let saturating = ShapePlan::ClosedLoop { window: 16, think_time: Duration::ZERO, post_list: 1 };
    let poisson = ShapePlan::OpenLoop {
        arrivals: onesided_load::ArrivalPlan::Poisson { operations_per_second: 1e8 },
        max_outstanding: 16,
    };
    let read = MixPlan::Single(PostedOperation::Read);
    let mixed = MixPlan::ReadWrite { write_fraction: 0.5 };
    let uniform = PatternPlan::Uniform { working_set_bytes };
    let zipf = PatternPlan::Zipf { working_set_bytes, exponent: 0.99 };
    for (name, shape, pattern, mix) in [
        ("saturating, own slot, reads", saturating, PatternPlan::OwnSlot, read),
        ("saturating, own slot, mixed", saturating, PatternPlan::OwnSlot, mixed),
        ("saturating, uniform, mixed", saturating, uniform, mixed),
        ("saturating, zipf, reads", saturating, zipf, read),
        ("poisson, own slot, reads", poisson, PatternPlan::OwnSlot, read),
    ] {
        let plan = LoadPlan {
            shape,
            pattern,
            mix,
            access_bytes: 64,
            slot_layout: SlotLayout::Padded,
            region_bytes: working_set_bytes,
            queue_pairs: 0..1,
            run_queue_pairs: 1,
            operations_per_queue_pair: Some(OPERATIONS),
            units_per_second: 1_000_000_000,
            seed: 1,
        };
        let elapsed = with_generator(&plan, Exhaust)?;
        println!("{name:30} {:6.1} ns", elapsed.as_nanos() as f64 / OPERATIONS as f64);
    }
    Ok(())
}

/// Runs a generator to its end, where each operation completes as soon as room is needed.
struct Exhaust;

impl Visitor for Exhaust {
    type Output = Duration;

    fn visit<G: Generator>(self, mut generators: Vec<G>) -> Duration {
        let generator = &mut generators[0];
        let start = std::time::Instant::now();
        let mut now = Instant(0);
        loop {
            match generator.next(now) {
                Next::Post(post) => {
                    black_box(post);
                }
                Next::WaitUntil(moment) => now = moment,
                Next::WaitForCompletion => generator.completed(1, now),
                Next::Finished => return start.elapsed(),
            }
        }
    }
}
