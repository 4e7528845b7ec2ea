//! What reading takes: samples of some reads in a row.

use onesided_measure::Clock;

use super::{Order, Plan};
use crate::{memory::LINE_BYTES, spread::Spread};

/// Reads of a sample at the most, where they follow each other and where they overlap: as many as of reads by
/// packets.
const SAMPLES: [u64; 2] = [16, 256];

/// The most samples of a measurement: memory for them is there before it begins.
const MOST_SAMPLES: usize = 1 << 16;

/// Samples of one side, and where its reads are.
pub struct Samples {
    /// Bytes of a read.
    pub bytes: usize,
    /// Bytes from one place to the next one.
    pub stride: usize,
    /// How many places there are.
    pub places: usize,
    /// Places from that of a read to that of the next one, modulo their number.
    pub step: usize,
    /// Reads of a sample.
    pub sample: u64,
    ticks: Vec<u64>,
    /// Reads in all, those of the warm-up too.
    pub operations: u64,
    /// Words that were not what was written there last.
    pub differing_words: u64,
}

impl Samples {
    /// None yet, of reads in so much memory.
    pub fn new(plan: &Plan, memory: usize) -> Self {
        let bytes = plan.bytes as usize;
        assert!(bytes.is_power_of_two() && bytes >= LINE_BYTES, "reads of {bytes} bytes");
        let stride = bytes.max(2 * LINE_BYTES);
        let places = memory / stride;
        assert!(places > 0, "{memory} bytes have no place for {bytes}");
        let most = SAMPLES[usize::from(plan.order == Order::Overlapping)];
        Self {
            bytes,
            stride,
            places,
            step: step_of(places),
            sample: most.min(places as u64),
            ticks: Vec::with_capacity(MOST_SAMPLES),
            operations: 0,
            differing_words: 0,
        }
    }

    /// Adds one.
    #[inline]
    pub fn add(&mut self, ticks: u64) {
        if self.ticks.len() < MOST_SAMPLES {
            self.ticks.push(ticks);
        }
    }

    /// Forgets what reads took so far.
    pub fn forget_times(&mut self) {
        self.ticks.clear();
    }

    fn each_ns(&self, clock: &Clock) -> impl Iterator<Item = f64> {
        let one = move |ticks: &u64| clock.nanoseconds(*ticks) as f64 / self.sample as f64;
        self.ticks.iter().map(one)
    }

    /// Time of one read of each sample in nanoseconds, and how many samples there are.
    pub fn latency_ns(&self, clock: &Clock) -> (Option<Spread>, u64) {
        (Spread::of(self.each_ns(clock).collect()), self.ticks.len() as u64)
    }

    /// Reads in a second of each sample.
    pub fn rates(&self, clock: &Clock) -> Option<Spread> {
        Spread::of(self.each_ns(clock).map(|ns| 1e9 / ns.max(f64::MIN_POSITIVE)).collect())
    }
}

/// A step that goes round all places, far from one to the next: about their golden section.
fn step_of(places: usize) -> usize {
    let golden = (places as f64 * 0.618_034) as usize;
    (golden.max(1)..).find(|step| common_divisor(*step, places) == 1).expect("a prime is one")
}

fn common_divisor(one: usize, other: usize) -> usize {
    if other == 0 { one } else { common_divisor(other, one % other) }
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, time::Duration};

    use super::*;

    #[test]
    fn every_place_is_read_once_a_round_and_neighbours_are_far_apart_in_time() {
        for memory in [8192, 24_576, 1 << 18, 100 * 8192] {
            for bytes in [64, 128, 1024, 8192] {
                let order = Order::OneByOne;
                let plan = Plan { bytes, order, longest: Duration::from_millis(1) };
                let samples = Samples::new(&plan, memory);
                assert!(samples.stride >= 128 && samples.places * samples.stride <= memory);
                let at = |read: usize| read * samples.step % samples.places;
                let places: BTreeSet<_> = (0..samples.places).map(at).collect();
                assert_eq!(places.len(), samples.places, "{bytes} of {memory}");
                let is_next = |read: usize| (at(read) + 1) % samples.places == at(read + 1);
                assert!(samples.places < 4 || !(0..8).any(is_next), "{bytes} of {memory}");
            }
        }
    }
}
