//! A station that serves one after the other, in the order of arrival.

use crate::time::{Moment, Span};

/// One server and its queue: a card's processing unit, a thread.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Server {
    free: Moment,
}

impl Server {
    /// Serves what arrives at `at`; the end of its service.
    ///
    /// Callers ask in the order of arrival.
    #[inline]
    pub(crate) fn serve(&mut self, at: Moment, service: Span) -> Moment {
        self.free = at.max(self.free) + service;
        self.free
    }

    /// Keeps it busy until then, if it would be free before.
    #[inline]
    pub(crate) fn keep_until(&mut self, until: Moment) {
        self.free = self.free.max(until);
    }

    /// When whatever it serves now is over.
    #[inline]
    pub(crate) fn free_at(self) -> Moment {
        self.free
    }
}
