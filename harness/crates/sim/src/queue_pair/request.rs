//! A request, as the ring of its queue pair has it.

use crate::{stations::Verb, time::Moment};

/// A request on its way. It is in one place at a time, and requests of a queue pair do not
/// overtake each other, so one ring holds all of them. Rings are most of what a run touches, so a
/// request is as small as it can be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<T> {
    /// When it is at the next station.
    pub(crate) at: Moment,
    pub(super) target: Target,
    /// What whoever posted it wants to know of it later.
    pub(crate) carried: T,
}

impl<T> Request<T> {
    pub(crate) fn verb(&self) -> Verb {
        self.target.verb()
    }

    /// Where in the region.
    pub(crate) fn offset(&self) -> u64 {
        self.target.0 >> 2
    }
}

/// Where in the region, and what to do there in the two lowest bits: regions are smaller than 2^62
/// bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target(u64);

impl Target {
    #[inline]
    pub(super) fn new(verb: Verb, offset: u64) -> Self {
        Self(offset << 2 | verb as u64)
    }

    #[inline]
    pub(super) fn verb(self) -> Verb {
        match self.0 & 3 {
            0 => Verb::Read,
            1 => Verb::Write,
            _ => Verb::Atomic,
        }
    }
}
