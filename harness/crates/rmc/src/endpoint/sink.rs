//! Where completions go: to who polls, or, where there is no room or others wait, to their queue.

use std::collections::VecDeque;

use onesided_transport::WorkCompletion;

/// An entry of a completion queue.
#[derive(Clone, Copy, Debug)]
pub struct Completed {
    /// What is reported.
    pub completion: WorkCompletion,
    /// The queue pair's index.
    pub queue: u32,
    /// Requests of it before this position are forgotten when it is reported.
    pub releases: u64,
}

/// Room for what a poll reports.
pub struct Sink<'a> {
    completions: &'a mut [WorkCompletion],
    count: usize,
}

impl<'a> Sink<'a> {
    /// Room for so many.
    #[inline]
    pub fn new(completions: &'a mut [WorkCompletion]) -> Self {
        Self { completions, count: 0 }
    }

    /// How many are in it.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Adds one; whether there was room.
    #[inline]
    pub fn push(&mut self, completion: WorkCompletion) -> bool {
        let Some(place) = self.completions.get_mut(self.count) else { return false };
        *place = completion;
        self.count += 1;
        true
    }
}

/// An endpoint's completion queues, one, or one a queue pair. What is polled as it arrives is never in them.
pub struct CompletionQueues {
    queues: Vec<VecDeque<Completed>>,
    /// Entries of all.
    kept: usize,
    /// Where the next look at several begins.
    turn: usize,
}

impl CompletionQueues {
    /// So many queues, with room for so many each.
    pub fn new(queues: usize, each: usize) -> Self {
        let queues = (0..queues).map(|_| VecDeque::with_capacity(each)).collect();
        Self { queues, kept: 0, turn: 0 }
    }

    /// Whether there is nothing in any of them.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.kept == 0
    }

    /// Keeps one until it is polled.
    pub fn keep(&mut self, done: Completed) {
        let place = done.queue as usize % self.queues.len();
        self.queues[place].push_back(done);
        self.kept += 1;
    }

    /// Hands out what is kept, as far as there is room; calls `released` with the queue pair of each
    /// and what it releases.
    #[cold]
    pub fn report(&mut self, sink: &mut Sink<'_>, mut released: impl FnMut(u32, u64)) {
        for _ in 0..self.queues.len() {
            while let Some(done) = self.queues[self.turn].front() {
                if !sink.push(done.completion) {
                    return;
                }
                released(done.queue, done.releases);
                self.queues[self.turn].pop_front();
                self.kept -= 1;
            }
            self.turn = (self.turn + 1) % self.queues.len();
        }
    }
}
