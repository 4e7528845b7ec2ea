//! On the standard library's binary heap.

use std::{cmp::Reverse, collections::BinaryHeap};

use crate::machine::{Machine, QUEUE_PAIRS, Step};

pub fn simulate(end: u64) -> u64 {
    let mut machine = Machine::until(end);
    let first = |queue_pair| Reverse((Machine::first(), queue_pair, Step::Issue));
    let mut events: BinaryHeap<_> = (0..QUEUE_PAIRS).map(first).collect();
    while let Some(Reverse((now, queue_pair, step))) = events.pop() {
        if now >= end {
            break;
        }
        let (step, at) = machine.step(step, now);
        events.push(Reverse((at, queue_pair, step)));
    }
    machine.completed
}
