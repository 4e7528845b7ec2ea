//! Several client hosts in one run: who had which part, and how their clocks stood.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SideRecord;

/// A client host beside the one that did the run table, and its part of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FurtherClientRecord {
    /// Its end.
    pub side: SideRecord,
    /// Index of its first thread over all client hosts, from 0.
    pub first_thread: u32,
    /// How many threads it had.
    pub threads: u32,
    /// Index of its first queue pair over all client hosts, from 0.
    pub first_queue_pair: u32,
    /// How many queue pairs it had.
    pub queue_pairs: u32,
}

/// A client host's clock beside the server's. Both are `CLOCK_MONOTONIC_RAW` (clock_gettime(2)),
/// which counts from some moment near each machine's boot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClientClockRecord {
    /// The host's name.
    pub host: String,
    /// How far its clock was ahead of the server's before the run; negative: behind.
    pub offset_ns: i64,
    /// Most that the offset can be wrong by: half of the shortest round trip.
    pub uncertainty_ns: u64,
    /// Round trips of which the shortest was taken.
    pub round_trips: u32,
    /// By how much its clock ran faster than the server's from before the run to after it, in parts
    /// per million; negative: slower.
    pub drift_ppm: f64,
    /// Most that the drift can be wrong by, in parts per million.
    pub drift_uncertainty_ppm: f64,
    /// How much after the instant that was named its warm-up began; 0: in time.
    pub late_ns: u64,
}
