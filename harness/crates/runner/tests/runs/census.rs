//! How many requests a thread has in flight whenever it asks for completions.

use onesided_transport::PollError;

use crate::observed::Observer;

/// The requests of one endpoint, all of them signaled.
///
/// A load that keeps a number in flight has made up for every completion of a poll before the next
/// one. That holds by construction and however slow the machine is, unlike anything that follows
/// from times. Only at the end, when nothing is posted any more, may there be fewer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Census {
    in_flight: usize,
    /// The most there were.
    pub highest: usize,
    /// Polls with fewer in flight although requests were posted later.
    pub short: u64,
    short_since_post: u64,
}

impl Observer for Census {
    fn post<R>(&mut self, requests: usize, body: impl FnOnce() -> R) -> R {
        self.in_flight += requests;
        self.highest = self.highest.max(self.in_flight);
        self.short += std::mem::take(&mut self.short_since_post);
        body()
    }

    fn post_receives<R>(&mut self, body: impl FnOnce() -> R) -> R {
        body()
    }

    fn poll(
        &mut self,
        body: impl FnOnce() -> Result<usize, PollError>,
    ) -> Result<usize, PollError> {
        self.short_since_post += u64::from(self.in_flight < self.highest);
        let polled = body()?;
        self.in_flight -= polled;
        Ok(polled)
    }
}
