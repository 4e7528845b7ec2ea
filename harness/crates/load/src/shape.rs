//! When operations are asked for.

mod arrivals;
mod batch;
mod closed_loop;
mod open_loop;
mod thinking;

pub use arrivals::{Arrivals, FixedInterval, Poisson};
pub use batch::Batch;
pub use closed_loop::ClosedLoop;
pub use open_loop::OpenLoop;
pub use thinking::Thinking;

use crate::generator::Instant;

/// What a shape wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// An operation is due since `intended`; it counts as posted.
    Post {
        /// Where its latency starts.
        intended: Instant,
    },
    /// Nothing before this moment, which lies in the future.
    WaitUntil(Instant),
    /// Nothing before an operation completes.
    WaitForCompletion,
}

/// When operations are asked for, on one queue pair.
pub trait Shape {
    /// As [`crate::Generator::TIMED`].
    const TIMED: bool;

    /// What to do at `now`, with `remaining` operations (at least 1) left to post.
    fn next(&mut self, now: Instant, remaining: u64) -> Turn;

    /// As [`crate::Generator::completed`].
    ///
    /// # Panics
    /// When more complete than are outstanding.
    fn completed(&mut self, operations: u32, now: Instant);

    /// As [`crate::Generator::outstanding`].
    fn outstanding(&self) -> u32;

    /// As [`crate::Generator::backlog`].
    fn backlog(&self, now: Instant) -> Option<u64>;
}

/// `outstanding` without the operations that completed.
///
/// # Panics
/// When more complete than are outstanding.
#[inline]
fn without_completed(outstanding: u32, operations: u32) -> u32 {
    match outstanding.checked_sub(operations) {
        Some(left) => left,
        None => panic!("{operations} operations completed of {outstanding} outstanding"),
    }
}
