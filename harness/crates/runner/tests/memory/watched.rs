//! What a caller of the back end allocates between two calls.
//!
//! The reference allocates on its data path, which the contract forbids to back ends for
//! measurements; what matters here is the code that calls it.

use onesided_transport::PollError;

use crate::{counting_allocator::allocations_of_this_thread, observed::Observer};

/// What one endpoint saw on its data path.
#[derive(Clone, Copy, Debug, Default)]
pub struct Watched {
    /// Calls of the data path.
    pub calls: u64,
    /// Allocations of the calling thread from the end of each call to the beginning of the next.
    pub allocations: u64,
    /// The thread's count when the last call ended.
    left_at: Option<u64>,
}

impl Watched {
    /// Does a call of the back end, whose own allocations do not count.
    pub fn call<R>(&mut self, body: impl FnOnce() -> R) -> R {
        let entered_at = allocations_of_this_thread();
        self.calls += 1;
        self.allocations += entered_at - self.left_at.unwrap_or(entered_at);
        let result = body();
        self.left_at = Some(allocations_of_this_thread());
        result
    }
}

impl Observer for Watched {
    fn post<R>(&mut self, _: usize, body: impl FnOnce() -> R) -> R {
        self.call(body)
    }

    fn post_receives<R>(&mut self, body: impl FnOnce() -> R) -> R {
        self.call(body)
    }

    fn poll(
        &mut self,
        body: impl FnOnce() -> Result<usize, PollError>,
    ) -> Result<usize, PollError> {
        self.call(body)
    }
}
