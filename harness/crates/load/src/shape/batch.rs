//! A window of new operations once all of the last have completed.

use std::num::NonZeroU32;

use super::{Shape, Turn, without_completed};
use crate::generator::Instant;

/// Posts a window of operations, waits until all of them have completed, and posts the next.
///
/// It is how microbenchmarks of Kalia et al. (USENIX ATC 2016, section 5.3.2) keep N requests under way: N at
/// the start of a batch and fewer towards its end, where a [`super::ClosedLoop`] keeps N all the time.
#[derive(Clone, Copy, Debug)]
pub struct Batch {
    window: u32,
    outstanding: u32,
    /// Posts of the batch that has begun.
    left_in_batch: u32,
}

impl Batch {
    /// Nothing posted yet.
    pub fn new(window: NonZeroU32) -> Self {
        Self { window: window.get(), outstanding: 0, left_in_batch: 0 }
    }
}

impl Shape for Batch {
    const TIMED: bool = false;

    #[inline]
    fn next(&mut self, now: Instant, remaining: u64) -> Turn {
        if self.left_in_batch == 0 {
            if self.outstanding > 0 {
                return Turn::WaitForCompletion;
            }
            self.left_in_batch = u64::from(self.window).min(remaining) as u32;
        }
        self.left_in_batch -= 1;
        self.outstanding += 1;
        Turn::Post { intended: now }
    }

    #[inline]
    fn completed(&mut self, operations: u32, _now: Instant) {
        self.outstanding = without_completed(self.outstanding, operations);
    }

    #[inline]
    fn outstanding(&self) -> u32 {
        self.outstanding
    }

    #[inline]
    fn backlog(&self, _now: Instant) -> Option<u64> {
        None
    }
}
