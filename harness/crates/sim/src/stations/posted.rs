//! Writes that the responder has acknowledged and memory has not taken yet.

use crate::time::Moment;

/// A buffer of so many writes. While it is full, no further write is acknowledged: that is how a
/// contended cache line slows the requester, although acknowledgements do not wait for memory.
#[derive(Clone, Debug)]
pub(crate) struct PostedWrites {
    /// When the write of each place has left, oldest next.
    left: Vec<Moment>,
    next: usize,
}

impl PostedWrites {
    pub(crate) fn new(entries: usize) -> Self {
        Self { left: vec![Moment::default(); entries.max(1)], next: 0 }
    }

    /// When a write that arrives at `at` has a place.
    #[inline]
    pub(crate) fn accept(&self, at: Moment) -> Moment {
        at.max(self.left[self.next])
    }

    /// The write accepted last leaves at `at`.
    #[inline]
    pub(crate) fn leaves(&mut self, at: Moment) {
        self.left[self.next] = at;
        self.next = if self.next + 1 == self.left.len() { 0 } else { self.next + 1 };
    }
}
