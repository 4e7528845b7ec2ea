//! The table of shapes: what the simulator says along a sweep of a paper.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    table::{Row, Versioned},
    version,
    vocabulary::{Locality, Operation, Source},
};

/// A point of a sweep with what the simulator says of it, a row of `shapes.csv.gz`. Of source
/// `published` it is what a text states, and absent what it does not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShapeRow {
    /// Version of this format.
    pub schema_version: u32,
    /// Where the numbers come from.
    pub source: Source,
    /// The back end's own name.
    pub back_end: String,
    /// The machine's profile.
    pub profile: String,
    /// Set-up of the profile that the parameters are of; absent where it has one, or a text states.
    pub set_up: Option<String>,
    /// Name of the sweep, as `onesided simulate --study` knows it.
    pub study: String,
    /// What the clients ask for; mixed: reads, and updates by two atomics each.
    pub operation: Operation,
    /// Where the memory is that they ask for, as its card sees it.
    pub locality: Option<Locality>,
    /// Bytes moved by one operation; of a mix, by a read.
    pub access_bytes: Option<u32>,
    /// Queue pairs in all.
    pub queue_pairs: Option<u32>,
    /// Client threads in all.
    pub threads: Option<u32>,
    /// Machines that the threads are on.
    pub client_hosts: Option<u32>,
    /// Requests that a queue pair has posted at once at most.
    pub window: Option<u32>,
    /// Requests that are posted together, after room for all of them.
    pub post_list: Option<u32>,
    /// Reads and atomics that a queue pair has under way at once at most.
    pub max_rd_atomic: Option<u32>,
    /// Path MTU.
    pub mtu_bytes: Option<u32>,
    /// Objects that all queue pairs draw from; absent where each has one of its own.
    pub counters: Option<u64>,
    /// Share of updates among a key-value store's operations.
    pub put_fraction: Option<f64>,
    /// Operations a second; of a key-value store its own, of which an update takes two atomics.
    pub throughput_ops: Option<f64>,
    /// That by the one of the sweep's first point of the same operation.
    pub relative_throughput: Option<f64>,
    /// Payload of them, in bytes a second.
    pub bytes_per_second: Option<f64>,
    /// Mean time of a request from its post to its completion.
    pub latency_mean_ns: Option<f64>,
    /// The busiest station; where none is busy for nine tenths of the time, what keeps it from it.
    pub limit: Option<String>,
    /// Share of time in which the busiest station is.
    pub limit_utilisation: Option<f64>,
}

impl Row for ShapeRow {
    const FILE: &'static str = "shapes.csv.gz";
    const VERSIONED: Versioned = Versioned::EveryRow(version::SHAPES);
}
