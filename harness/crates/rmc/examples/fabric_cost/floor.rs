//! What the machine takes without any fabric.

use std::{
    hint,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread::{self, JoinHandle},
};

use onesided_measure::Clock;
use onesided_placement::{CpuSet, pin_current_thread};

use crate::{operations::MEMORY, samples::Samples};

/// Round trips of a sample, and samples.
const SAMPLE: u64 = 16;
const SAMPLES: u64 = 500;

/// Bytes of a copy.
const COPY: usize = 8 << 10;
/// Copies in a row, each of memory that the other core has just written; and how often.
const COPIES: usize = 16;
const COPYINGS: usize = 100;

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

/// Time of a copy of 8 KiB that the other core has just written. Memories are as large as those of
/// the reads, and their halves are copied in turns, so that as much is in caches.
pub fn copy_ns(clock: &Clock, cpus: CpuSet) -> f64 {
    let (ask, asked) = mpsc::channel::<Vec<u8>>();
    let (answer, answered) = mpsc::channel();
    let thread = thread::spawn(move || {
        pin_current_thread(&cpus).expect("the responder runs there, too");
        for (round, mut memory) in asked.into_iter().enumerate() {
            memory.fill(round as u8);
            answer.send(memory).expect("the other core waits for it");
        }
    });
    let mut here = vec![0_u8; MEMORY];
    let mut memory = vec![0_u8; MEMORY];
    let mut samples = Samples::new(*clock, COPIES as u64);
    for round in 0..COPYINGS {
        let half = round % 2 * (MEMORY / 2)..;
        ask.send(memory).expect("the thread waits");
        memory = answered.recv().expect("the thread answers");
        samples.restart();
        let from = memory[half.clone()].chunks_exact(COPY).take(COPIES);
        for (from, to) in from.zip(here[half].chunks_exact_mut(COPY)) {
            to.copy_from_slice(hint::black_box(from));
        }
        samples.end();
        hint::black_box(&mut here);
    }
    drop(ask);
    thread.join().expect("it only writes");
    samples.median_ns()
}
