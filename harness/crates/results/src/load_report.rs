//! What `onesided load` says on stdout: one JSON object a line, for the server that started it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::{CpuSample, PlacementProof, ThreadActivity};

/// One line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoadLine {
    /// Every thread loads; said once.
    Ready(LoadReady),
    /// Where the memory is now; said for each line that comes on stdin.
    Proof(LoadProof),
    /// Every thread has stopped; said last.
    Report(LoadReport),
}

/// Where the memory is while the load goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadProof {
    /// Where its memory is, proven.
    pub placement: Vec<PlacementProof>,
}

/// Where the load is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadReady {
    /// Where its memory is, proven.
    pub placement: Vec<PlacementProof>,
    /// Threads that load.
    pub threads: u32,
}

/// What the load did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadReport {
    /// When the first window of every thread began, by `CLOCK_MONOTONIC_RAW` (`clock_gettime(2)`),
    /// which all processes of a machine share.
    pub started_raw_ns: u64,
    /// Length of a window.
    pub window_ns: u64,
    /// Where its memory was at the end, proven.
    pub placement: Vec<PlacementProof>,
    /// What each thread did.
    pub threads: Vec<LoadThreadReport>,
}

/// What one thread of the load did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadThreadReport {
    /// Index of the thread, from 0.
    pub thread: u32,
    /// Place of the thread, as asked.
    pub asked: String,
    /// CPUs that this meant, as the kernel lists them; absent if any would do.
    pub asked_cpus: Option<String>,
    /// The node of these CPUs; absent if any would do or they are of several.
    pub resolved_node: Option<u32>,
    /// CPUs that it was seen on.
    pub seen: Vec<CpuSample>,
    /// What it had of its CPUs.
    pub activity: ThreadActivity,
    /// All accesses.
    pub accesses: u64,
    /// Loads among them.
    pub reads: u64,
    /// Stores among them.
    pub writes: u64,
    /// Accesses in each whole window.
    pub windows: Vec<u64>,
}
