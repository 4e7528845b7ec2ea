//! What a data path tells about itself.

use crate::ticks::Ticks;

/// Takes notice of completions. One a thread; called from the data path, so it does not allocate,
/// lock or fail.
pub trait Record {
    /// Time went on to `now`: what is told next belongs to its window.
    fn advance(&mut self, now: Ticks);

    /// `operations` of the thread's queue pair with this index completed.
    fn completed(&mut self, queue_pair: usize, operations: u32);

    /// An operation of this queue pair took so many ticks.
    fn latency(&mut self, queue_pair: usize, ticks: u64);
}

/// Takes no notice: for warm-up and drain. Leaves no code behind.
#[derive(Clone, Copy, Debug, Default)]
pub struct Discard;

impl Record for Discard {
    #[inline(always)]
    fn advance(&mut self, _now: Ticks) {}

    #[inline(always)]
    fn completed(&mut self, _queue_pair: usize, _operations: u32) {}

    #[inline(always)]
    fn latency(&mut self, _queue_pair: usize, _ticks: u64) {}
}
