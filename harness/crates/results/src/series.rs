//! The tables of one run: `windows.csv`, `latency.csv` and `load.csv`, beside its `run.json`.
//!
//! Integers only: they are counts, and what follows from them is computed elsewhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{table::Row, vocabulary::ThreadRole};

/// Operations of one queue pair that completed in one window, a row of `windows.csv`.
///
/// The table is dense: a window in which a queue pair completed nothing is a row with 0, so that
/// a missing row is damage and not idleness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindowCount {
    /// Index of the window, from 0.
    pub window: u32,
    /// Its start, counted from the start of the measured interval.
    pub start_ns: u64,
    /// Index of the queue pair over all threads, from 0.
    pub queue_pair: u32,
    /// Operations completed.
    pub operations: u64,
}

/// Latencies of one queue pair that fell into one histogram bucket, a row of `latency.csv`.
///
/// Buckets without a latency are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatencyBucket {
    /// Index of the queue pair over all threads, from 0.
    pub queue_pair: u32,
    /// Smallest latency that belongs to the bucket.
    pub lowest_ns: u64,
    /// Largest latency that belongs to the bucket.
    pub highest_ns: u64,
    /// Latencies that fell into it.
    pub count: u64,
}

/// Accesses of one of the server's own threads in one window, a row of `load.csv`; dense as
/// `windows.csv` is.
///
/// A thread's windows begin with the thread: before the measured interval, and at another offset
/// than those of `windows.csv`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadCount {
    /// What the thread is for: a worker or the independent load.
    pub role: ThreadRole,
    /// Index of the worker among those of its role, from 0.
    pub worker: u32,
    /// Index of the window, from 0.
    pub window: u32,
    /// Its start, counted from the start of the measured interval, as the server knows it;
    /// negative before.
    pub start_ns: i64,
    /// Accesses made.
    pub accesses: u64,
}

impl Row for WindowCount {
    const FILE: &'static str = "windows.csv";
}

impl Row for LatencyBucket {
    const FILE: &'static str = "latency.csv";
}

impl Row for LoadCount {
    const FILE: &'static str = "load.csv";
}
