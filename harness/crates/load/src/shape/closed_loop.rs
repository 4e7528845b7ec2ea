//! A new operation for each that completed, at once.

use std::num::NonZeroU32;

use super::{Shape, Turn, without_completed};
use crate::generator::Instant;

/// Keeps a window of operations outstanding.
///
/// A window of 1 is the closed loop of a latency measurement. A window as deep as the queue is
/// what the study calls "open loop" and this project *saturating*: it posts whenever there is
/// room. With a post list of L, room for L is awaited, and then L posts follow each other.
#[derive(Clone, Copy, Debug)]
pub struct ClosedLoop {
    window: u32,
    post_list: u32,
    outstanding: u32,
    /// Posts of the list that has begun.
    left_in_list: u32,
}

impl ClosedLoop {
    /// An empty window; absent where the list is longer than the window and would never start.
    pub fn new(window: NonZeroU32, post_list: NonZeroU32) -> Option<Self> {
        (post_list <= window).then_some(Self {
            window: window.get(),
            post_list: post_list.get(),
            outstanding: 0,
            left_in_list: 0,
        })
    }
}

impl Shape for ClosedLoop {
    const TIMED: bool = false;

    #[inline]
    fn next(&mut self, now: Instant, remaining: u64) -> Turn {
        if self.left_in_list == 0 {
            let list = u64::from(self.post_list).min(remaining) as u32;
            if self.window - self.outstanding < list {
                return Turn::WaitForCompletion;
            }
            self.left_in_list = list;
        }
        self.left_in_list -= 1;
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
