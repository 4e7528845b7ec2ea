//! Messages of unreliable services that are lost on purpose, for tests of who uses such a service.
//!
//! The requester decides it, as only it knows where messages begin and end. What is lost goes to its queue pair
//! all the same, packet by packet, and is dropped there: it names a region, or a key, that nobody has. So it
//! takes as long as others, and reliable services do no extra work.

use std::{
    num::NonZeroU32,
    sync::atomic::{AtomicU64, Ordering},
};

/// What a node loses of what its queue pairs send, and has lost.
#[derive(Debug)]
pub struct Losses {
    every: Option<NonZeroU32>,
    lost: AtomicU64,
}

impl Losses {
    /// One message of so many of each queue pair, or none.
    pub fn new(every: Option<NonZeroU32>) -> Self {
        Self { every, lost: AtomicU64::new(0) }
    }

    /// Those of a new queue pair.
    pub fn of_queue_pair(&self) -> Option<Losing> {
        self.every.map(|every| Losing { every, since: 0 })
    }

    /// Counts one.
    pub fn count(&self) {
        self.lost.fetch_add(1, Ordering::Relaxed);
    }

    /// How many were lost.
    pub fn lost(&self) -> &AtomicU64 {
        &self.lost
    }
}

/// Which messages of a queue pair are lost.
#[derive(Clone, Copy, Debug)]
pub struct Losing {
    every: NonZeroU32,
    /// Messages since the last one that was lost.
    since: u32,
}

impl Losing {
    /// Whether the next message is.
    pub fn loses_next(&mut self) -> bool {
        self.since = (self.since + 1) % self.every;
        self.since == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_so_many_messages_is_lost_the_last_of_them() {
        let lost = |every| {
            let losses = Losses::new(NonZeroU32::new(every));
            let mut losing = losses.of_queue_pair().unwrap();
            (1..=7).filter(|_| losing.loses_next()).collect::<Vec<u32>>()
        };
        assert_eq!((lost(1), lost(3), lost(8)), ((1..=7).collect(), vec![3, 6], vec![]));
        assert!(Losses::new(None).of_queue_pair().is_none());
    }
}
