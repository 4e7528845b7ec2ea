//! Where the threads of nodes meet: who waits there polls, so that it answers what others still ask where
//! polls serve its node.

use std::sync::atomic::{AtomicUsize, Ordering};

use onesided_transport::{Endpoint, Transport, WorkCompletion};

use super::side::Side;
use crate::error::FabricError;

/// A point that so many threads come to, once.
pub struct Meeting {
    threads: usize,
    come: AtomicUsize,
}

impl Meeting {
    /// Nobody has come yet.
    pub fn of(threads: usize) -> Self {
        Self { threads, come: AtomicUsize::new(0) }
    }

    /// Comes with what this thread has, and waits for the others; with an error it waits for nobody.
    ///
    /// # Errors
    /// That error, or one of a poll.
    pub fn come<T: Transport, V>(
        &self,
        side: &mut Side<T>,
        brought: Result<V, FabricError>,
    ) -> Result<V, FabricError> {
        self.come.fetch_add(1, Ordering::AcqRel);
        let value = brought?;
        let mut nothing = [WorkCompletion::EMPTY];
        while self.come.load(Ordering::Acquire) < self.threads {
            let completed = side.endpoint.poll(&mut nothing)?;
            assert_eq!(completed, 0, "nothing of a thread is under way when it comes");
        }
        Ok(value)
    }
}
