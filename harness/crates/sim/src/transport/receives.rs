//! Receive queues: of a queue pair, or of all of a thread.

use std::collections::VecDeque;

use onesided_transport::LocalSegment;

use super::fabric::State;

/// Receive requests, and what bounds them.
#[derive(Debug)]
pub(super) struct ReceiveQueue {
    /// Ids and buffers, oldest first.
    waiting: VecDeque<(u64, Option<LocalSegment>)>,
    /// Requests whose completion was not polled.
    occupied: u32,
    depth: u32,
    is_shared: bool,
}

impl ReceiveQueue {
    /// Of so many requests at the most.
    pub(super) fn new(depth: u32, is_shared: bool) -> Self {
        let waiting = VecDeque::with_capacity(depth as usize);
        Self { waiting, occupied: 0, depth, is_shared }
    }

    /// Adds one; false where there is no room.
    pub(super) fn post(&mut self, id: u64, buffer: Option<LocalSegment>) -> bool {
        if self.occupied >= self.depth {
            return false;
        }
        self.occupied += 1;
        self.waiting.push_back((id, buffer));
        true
    }

    /// The buffer of the oldest one, where it is there and has one.
    pub(super) fn buffer(&self) -> Option<LocalSegment> {
        self.waiting.front().and_then(|(_, buffer)| *buffer)
    }

    /// Whether none is there.
    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Consumes the oldest one; its id.
    pub(super) fn consume(&mut self) -> Option<u64> {
        self.waiting.pop_front().map(|(id, _)| id)
    }

    /// Whether it is of several queue pairs.
    pub(super) fn is_shared(&self) -> bool {
        self.is_shared
    }

    /// The completion of one was polled.
    pub(super) fn polled(&mut self) {
        self.occupied -= 1;
    }
}

impl State {
    /// The receive queue of a queue pair.
    pub(super) fn receives(&self, slot: usize) -> &ReceiveQueue {
        let place = self.queue_pair(slot).receives;
        self.receive_queues[place].as_ref().expect("it goes with its queue pairs")
    }

    /// As [`Self::receives`], to change it.
    pub(super) fn receives_mut(&mut self, slot: usize) -> &mut ReceiveQueue {
        let place = self.queue_pair(slot).receives;
        self.receive_queues[place].as_mut().expect("it goes with its queue pairs")
    }
}
