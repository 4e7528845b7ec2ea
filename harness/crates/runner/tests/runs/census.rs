//! How many requests a thread has in flight whenever it asks for completions, and in which order it posts.

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

/// Batches of `WINDOW` requests of one queue pair, each of which is signaled.
#[derive(Clone, Copy, Debug, Default)]
pub struct Batches<const WINDOW: usize> {
    in_flight: usize,
    posted: usize,
    /// Batches that have begun.
    pub begun: u64,
    /// Of these, those that began while requests of the one before were in flight.
    pub early: u64,
}

impl<const WINDOW: usize> Observer for Batches<WINDOW> {
    fn post<R>(&mut self, requests: usize, body: impl FnOnce() -> R) -> R {
        if self.posted.is_multiple_of(WINDOW) {
            self.begun += 1;
            self.early += u64::from(self.in_flight > 0);
        }
        self.posted += requests;
        self.in_flight += requests;
        body()
    }

    fn post_receives<R>(&mut self, body: impl FnOnce() -> R) -> R {
        body()
    }

    fn poll(
        &mut self,
        body: impl FnOnce() -> Result<usize, PollError>,
    ) -> Result<usize, PollError> {
        let polled = body()?;
        self.in_flight -= polled;
        Ok(polled)
    }
}

/// Who answers messages: answers, and receive requests that are posted again.
#[derive(Clone, Copy, Debug, Default)]
pub struct Answers {
    has_polled: bool,
    /// Answers that were posted.
    pub posted: u64,
    /// Calls that posted receive requests, but for those before the first message.
    pub again: u64,
    /// Of these, those before the answer to the message that had taken the request.
    pub early: u64,
}

impl Observer for Answers {
    fn post<R>(&mut self, _: usize, body: impl FnOnce() -> R) -> R {
        self.posted += 1;
        body()
    }

    fn post_receives<R>(&mut self, body: impl FnOnce() -> R) -> R {
        if self.has_polled {
            self.again += 1;
            self.early += u64::from(self.again > self.posted);
        }
        body()
    }

    fn poll(
        &mut self,
        body: impl FnOnce() -> Result<usize, PollError>,
    ) -> Result<usize, PollError> {
        self.has_polled = true;
        body()
    }
}
