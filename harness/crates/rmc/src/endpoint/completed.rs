//! What a completion queue holds.

use onesided_transport::WorkCompletion;

/// An entry of a completion queue.
#[derive(Clone, Copy, Debug)]
pub struct Completed {
    /// What is reported.
    pub completion: WorkCompletion,
    /// The queue pair's index.
    pub queue: u32,
    /// Requests of it before this position are forgotten when it is reported.
    pub releases: u64,
}
