//! What the machine takes without any fabric.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread::{self, JoinHandle},
};

use onesided_measure::Clock;
use onesided_placement::{CpuSet, pin_current_thread};

use crate::samples::Samples;

/// Round trips of a sample, and samples.
const SAMPLE: u64 = 16;
const SAMPLES: u64 = 500;

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

/// A thread on the other core that answers each store by a store.
pub struct Floor {
    ball: Arc<Ball>,
    thread: Option<JoinHandle<()>>,
}

impl Floor {
    /// Starts it.
    pub fn start(cpus: CpuSet) -> Self {
        let ball = Arc::new(Ball::default());
        let own = Arc::clone(&ball);
        let thread = thread::spawn(move || {
            pin_current_thread(&cpus).expect("the responder runs there, too");
            let mut last = 0;
            while !own.over.load(Ordering::Relaxed) {
                let seen = own.there.0.load(Ordering::Acquire);
                if seen != last {
                    last = seen;
                    own.back.0.store(seen, Ordering::Release);
                }
            }
        });
        Self { ball, thread: Some(thread) }
    }

    /// Time of a cache line to the other core and another back, after which nothing of it runs.
    pub fn round_trip_ns(mut self, clock: &Clock) -> f64 {
        let ball = Arc::clone(&self.ball);
        let trip = |number| {
            ball.there.0.store(number, Ordering::Release);
            while ball.back.0.load(Ordering::Acquire) != number {}
        };
        let mut samples = Samples::new(*clock, SAMPLE);
        for sample in 0..SAMPLES {
            (1 + sample * SAMPLE..=(sample + 1) * SAMPLE).for_each(trip);
            samples.end();
        }
        self.stop();
        samples.median_ns()
    }

    fn stop(&mut self) {
        self.ball.over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.join().expect("it only answers");
        }
    }
}

impl Drop for Floor {
    fn drop(&mut self) {
        self.stop();
    }
}
