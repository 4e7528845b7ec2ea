//! A new operation for each that completed, after a pause.

use std::{collections::VecDeque, num::NonZeroU32};

use super::{Shape, Turn, without_completed};
use crate::generator::Instant;

/// A [`super::ClosedLoop`] in which each place in the window rests for a fixed time after its
/// operation completed.
///
/// Operations of a queue pair complete in order and think equally long, so that the places become
/// ready in order, too: a queue of ready times is enough.
#[derive(Clone, Debug)]
pub struct Thinking {
    window: u32,
    post_list: u32,
    /// In the caller's unit.
    think_time: u64,
    /// When each free place is ready, ascending. Never grows beyond the window, for which it has
    /// room from the start.
    ready: VecDeque<Instant>,
    /// Posts of the list that has begun.
    left_in_list: u32,
}

impl Thinking {
    /// An empty window, all of it ready; absent where the list is longer than the window and would
    /// never start.
    pub fn new(window: NonZeroU32, post_list: NonZeroU32, think_time: u64) -> Option<Self> {
        (post_list <= window).then(|| Self {
            window: window.get(),
            post_list: post_list.get(),
            think_time,
            ready: (0..window.get()).map(|_| Instant(0)).collect(),
            left_in_list: 0,
        })
    }
}

impl Shape for Thinking {
    const TIMED: bool = true;

    #[inline]
    fn next(&mut self, now: Instant, remaining: u64) -> Turn {
        if self.left_in_list == 0 {
            let list = u64::from(self.post_list).min(remaining) as u32;
            match self.ready.get(list as usize - 1) {
                None => return Turn::WaitForCompletion,
                Some(&ready) if ready > now => return Turn::WaitUntil(ready),
                Some(_) => self.left_in_list = list,
            }
        }
        self.left_in_list -= 1;
        self.ready.pop_front();
        Turn::Post { intended: now }
    }

    #[inline]
    fn completed(&mut self, operations: u32, now: Instant) {
        without_completed(self.outstanding(), operations);
        let ready = Instant(now.0.saturating_add(self.think_time));
        for _ in 0..operations {
            self.ready.push_back(ready);
        }
    }

    #[inline]
    fn outstanding(&self) -> u32 {
        self.window - self.ready.len() as u32
    }

    #[inline]
    fn backlog(&self, _now: Instant) -> Option<u64> {
        None
    }
}
