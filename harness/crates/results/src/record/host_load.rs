//! What the server's own threads and hardware did during a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::vocabulary::{CacheFinding, CacheState, DirectIoFinding, LoadProcess, ThreadRole};

/// What the workers and the independent load achieved; window by window it is in `load.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HostLoadRecord {
    /// Which process the independent load ran in; absent without one.
    pub process: Option<LoadProcess>,
    /// Private memory of each worker that is streamed besides the region; 0 but for the published
    /// sequence.
    pub private_table_bytes: u64,
    /// By how much windows may be off the client's: the time that its last message took at most.
    pub alignment_uncertainty_ns: u64,
    /// The threads, workers first.
    pub threads: Vec<LoadThreadTotals>,
}

impl HostLoadRecord {
    /// Accesses per second of all threads of `role`; absent where there are none, or one whose
    /// rate is not known.
    pub fn rate_of(&self, role: ThreadRole) -> Option<f64> {
        let mut of_role = self.threads.iter().filter(|thread| thread.role == role).peekable();
        of_role.peek()?;
        of_role.map(|thread| thread.rate_per_second).sum()
    }
}

/// What one thread did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadThreadTotals {
    /// What it is for.
    pub role: ThreadRole,
    /// Index among the threads of its role, from 0.
    pub thread: u32,
    /// Accesses of its whole life, warm-up and drain of the run included.
    pub accesses: u64,
    /// Loads among them.
    pub reads: u64,
    /// Stores among them; an atomic is both a load and a store and is in neither.
    pub writes: u64,
    /// Compare-and-swaps that found what they expected.
    pub swaps_won: u64,
    /// Accesses per second, of the windows that are whole within the measured interval; absent if
    /// none is.
    pub rate_per_second: Option<f64>,
    /// Length of those windows together.
    pub measured_ns: u64,
}

/// What was done to the caches before the run, and how that was proven.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CacheRecord {
    /// What was asked.
    pub asked: CacheState,
    /// Instruction or loop that did it, for instance `clflushopt`.
    pub method: String,
    /// What timing shows.
    pub found: CacheFinding,
    /// Why it is inconclusive; absent if it is not.
    pub why: Option<String>,
    /// Cache lines that were timed.
    pub lines_timed: u64,
    /// Share of them that answered as fast as cached ones.
    pub cached_fraction: Option<f64>,
    /// Median time of a load from them.
    pub load_ns: Option<f64>,
    /// Median time of a load of a line that is cached for sure.
    pub hit_ns: Option<f64>,
    /// Median time of a load of a line that is not cached for sure.
    pub miss_ns: Option<f64>,
    /// What timing shows after the run: whether its accesses brought the lines back. Absent if the
    /// run did not come to its end.
    pub found_after: Option<CacheFinding>,
    /// Share of the lines timed then that answered as fast as cached ones.
    pub cached_fraction_after: Option<f64>,
}

/// Whether the card may write into the last-level cache, and what was done about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DirectIoRecord {
    /// State during the run.
    pub state: DirectIoFinding,
    /// How that is known, or why it is not.
    pub evidence: String,
    /// Whether this run changed it.
    pub changed: bool,
    /// Whether somebody else changed it back during the run.
    pub changed_back: bool,
}
