//! What only a queue pair whose requests can fail needs.

use super::QueuePair;
use crate::time::{Moment, Span};

impl<T: Copy> QueuePair<T> {
    /// Requests that it has places for.
    pub(crate) fn places(&self) -> usize {
        self.ring.len()
    }

    /// The place of the next request that is posted.
    pub(crate) fn next_place(&self) -> usize {
        (self.posted & self.mask) as usize
    }

    /// The place of the request that the card has started with.
    pub(crate) fn issuing_place(&self) -> usize {
        (self.issued & self.mask) as usize
    }

    /// The place of the oldest request with an answer.
    pub(crate) fn replying_place(&self) -> usize {
        (self.replied & self.mask) as usize
    }

    /// Requests that are posted and not completed.
    pub(crate) fn outstanding(&self) -> u32 {
        self.posted.wrapping_sub(self.completed)
    }

    /// What the request carries that the card has started with.
    pub(crate) fn issuing_mut(&mut self) -> &mut T {
        let issued = self.issued;
        &mut self.slot(issued).carried
    }

    /// What the oldest request at the responder's card carries.
    pub(crate) fn arriving_mut(&mut self) -> &mut T {
        let arrived = self.arrived;
        &mut self.slot(arrived).carried
    }

    /// What the oldest request with an answer carries.
    pub(crate) fn replying_mut(&mut self) -> &mut T {
        let replied = self.replied;
        &mut self.slot(replied).carried
    }

    /// The request that was started is over at `at` without going any further, and its thread can see that
    /// at `visible`.
    pub(crate) fn ended(&mut self, at: Moment, visible: Moment) {
        self.issued(at, Span::ZERO);
        self.arrived(at);
        self.replied(at, visible);
    }

    /// The oldest request with an answer is looked at again at `at`; those behind it wait.
    pub(crate) fn stall(&mut self, at: Moment) {
        self.replied_at = at.max(self.replied_at);
        let (replied, at) = (self.replied, self.replied_at);
        self.slot(replied).at = at;
    }

    /// Nothing goes on with requests that have not been replied to.
    pub(crate) fn abandon(&mut self) {
        self.arrived = self.replied;
        self.issued = self.replied;
        self.rung = self.replied;
        self.issue_at = Moment::NEVER;
    }

    /// Takes the oldest request that is not completed off its way; what it carried.
    pub(crate) fn flush(&mut self) -> Option<T> {
        if self.completed == self.posted {
            return None;
        }
        let carried = self.take_completion();
        self.replied = self.completed;
        self.abandon();
        Some(carried)
    }
}
