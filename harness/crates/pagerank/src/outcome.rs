//! What a run gives.

use std::time::Duration;

/// Ranks, and what they took.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Of each vertex, after the last superstep.
    pub ranks: Vec<f64>,
    /// Of each superstep with its barrier, as the first thread saw it.
    pub supersteps: Vec<Duration>,
    /// Operations on the fabric, of all nodes and supersteps.
    pub remote_reads: u64,
    /// The largest share of its time that a thread had no CPU, 0 to 1.
    pub without_cpu: f64,
}

impl Outcome {
    /// All supersteps together.
    pub fn elapsed(&self) -> Duration {
        self.supersteps.iter().sum()
    }
}
