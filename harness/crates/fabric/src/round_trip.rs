//! A cache line to another core and another one back.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use onesided_measure::Clock;
use onesided_placement::{CpuId, CpuSet, pin_current_thread};

use crate::{error::FabricError, spread::Spread, timing::Timing};

/// Round trips of a sample. Ours: the clock's own time does not count among them.
const SAMPLE: u64 = 16;

/// A word on cache lines of its own: neighbours are fetched in pairs.
#[repr(align(128))]
#[derive(Default)]
struct Apart(AtomicU64);

#[derive(Default)]
struct Ball {
    there: Apart,
    back: Apart,
    over: AtomicBool,
}

/// The time in nanoseconds that a store takes to be seen on the other CPU and answered by another
/// store, of samples within so long; absent where both are the same CPU.
///
/// # Errors
/// When a thread may not run on its CPU.
pub fn core_to_core(
    clock: &Clock,
    here: CpuId,
    there: CpuId,
    longest: Duration,
) -> Result<Option<Spread>, FabricError> {
    if here == there {
        return Ok(None);
    }
    let ball = Arc::new(Ball::default());
    let own = Arc::clone(&ball);
    let other = thread::spawn(move || {
        pin_current_thread(&CpuSet::of(there))?;
        let mut last = 0;
        while !own.over.load(Ordering::Relaxed) {
            let seen = own.there.0.load(Ordering::Acquire);
            if seen != last {
                last = seen;
                own.back.0.store(seen, Ordering::Release);
            }
        }
        Ok::<_, FabricError>(())
    });
    let measured = thread::scope(|scope| {
        let thrown = scope.spawn(|| thrown(clock, here, longest, &ball, || other.is_finished()));
        thrown.join().expect("it only stores and loads")
    });
    ball.over.store(true, Ordering::Relaxed);
    other.join().expect("it only answers")?;
    measured
}

fn thrown(
    clock: &Clock,
    here: CpuId,
    longest: Duration,
    ball: &Ball,
    is_gone: impl Fn() -> bool,
) -> Result<Option<Spread>, FabricError> {
    pin_current_thread(&CpuSet::of(here))?;
    let mut timing = Timing::new(*clock, longest, SAMPLE);
    let mut number = 0;
    loop {
        number += 1;
        ball.there.0.store(number, Ordering::Release);
        let mut looks = 0_u64;
        while ball.back.0.load(Ordering::Acquire) != number {
            looks += 1;
            if looks.is_multiple_of(1 << 20) && is_gone() {
                return Ok(None);
            }
        }
        // The first one waits until the other thread runs.
        match number {
            1 => timing.begin(clock.now()),
            _ if !timing.done(1) => return Ok(timing.latency_ns().0),
            _ => {}
        }
    }
}
