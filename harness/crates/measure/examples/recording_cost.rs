//! Prints what recording one completion costs: `cargo run --release --example recording_cost`.

use std::hint::black_box;

use onesided_measure::{Clock, ClockError, Discard, Record, Recorder, RecorderPlan};

const COMPLETIONS: u64 = 20_000_000;
const QUEUE_PAIRS: usize = 8;

fn main() -> Result<(), ClockError> {
    let clock = Clock::calibrate()?;
    println!("{:?}", clock.description());
    println!("clock alone          {:6.1} ns", cost_ns(&clock, &mut Discard));
    let plan = RecorderPlan {
        t0: clock.now(),
        window_ns: 10_000_000,
        windows: 1_000,
        queue_pairs: QUEUE_PAIRS,
    };
    let mut recorder = Recorder::new(clock, plan);
    println!("clock and recorder   {:6.1} ns", cost_ns(&clock, &mut recorder));
    println!(
        "{} operations counted",
        recorder.finish().queue_pairs.iter().map(|q| q.operations()).sum::<u64>()
    );
    println!("{:?}", clock.drift_since_calibration()?);
    Ok(())
}

/// A clock reading, advance, completed and latency, as a data path does them for each completion.
fn cost_ns<R: Record>(clock: &Clock, record: &mut R) -> f64 {
    let start = clock.now();
    let mut last = start;
    for completion in 0..COMPLETIONS {
        let queue_pair = black_box(completion as usize % QUEUE_PAIRS);
        let now = clock.now();
        record.advance(now);
        record.completed(queue_pair, 1);
        record.latency(queue_pair, black_box(now.0.saturating_sub(last.0) + completion % 4_096));
        last = now;
    }
    clock.nanoseconds(clock.now().0 - start.0) as f64 / COMPLETIONS as f64
}
