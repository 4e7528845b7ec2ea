//! The table of memory latencies: by node of the CPU, node of the memory, and working set.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    table::{Row, Versioned},
    version,
    vocabulary::{LatencyOrder, LatencyPages, LatencyPart, LatencyPlacement, MemoryLevel, Source},
};

/// The latency of one dependent load, a row of `memory-latency.csv.gz`.
///
/// Of a published text, which states nothing else, all columns from `replicate` on are absent, and
/// `latency_low_ns`, `latency_high_ns` are the ends of a range that it states.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemoryLatencyRow {
    /// Version of this format.
    pub schema_version: u32,
    /// Where the numbers come from.
    pub source: Source,
    /// The machine's profile.
    pub profile: String,
    /// Node of the CPU that loads.
    pub cpu_node: u32,
    /// Node of the memory.
    pub memory_node: u32,
    /// Time of one load: the median of the repetitions.
    pub latency_ns: Option<f64>,
    /// Lower quartile of the repetitions.
    pub latency_low_ns: Option<f64>,
    /// Upper quartile of the repetitions.
    pub latency_high_ns: Option<f64>,
    /// Which repetition of everything, with memory and order of its own, from 1.
    pub replicate: Option<u32>,
    /// What the row is part of.
    pub part: Option<LatencyPart>,
    /// Bytes that the loads go through, each line once before any again.
    pub working_set_bytes: Option<u64>,
    /// Where the lines of such a working set are, by the sizes of caches; absent between two levels,
    /// where its time is nearer to memory's, or where the caches are not known.
    pub level: Option<MemoryLevel>,
    /// Shortest repetition.
    pub latency_min_ns: Option<f64>,
    /// Repetitions.
    pub repetitions: Option<u32>,
    /// Loads of one repetition.
    pub loads: Option<u64>,
    /// The CPU that loads.
    pub cpu: Option<u32>,
    /// The memory's pages.
    pub pages: Option<LatencyPages>,
    /// Their size.
    pub page_bytes: Option<u64>,
    /// The order of the lines.
    pub order: Option<LatencyOrder>,
    /// What the orders of lines and cells are drawn from, with the replicate.
    pub seed: Option<u64>,
    /// Whether the memory was on its node.
    pub placement: Option<LatencyPlacement>,
    /// Threads that used memory meanwhile; 0: none, the machine is idle but for what others do.
    pub load_threads: Option<u32>,
    /// Node of those threads and of their memory; absent without such threads.
    pub load_node: Option<u32>,
    /// Memory that they share.
    pub load_bytes: Option<u64>,
    /// Share of writes among their accesses.
    pub load_write_fraction: Option<f64>,
    /// Accesses of all of them in a second, from before the latency was measured until after.
    pub load_rate_per_second: Option<f64>,
    /// Names of what makes the number doubtful, separated by spaces; absent if there are none:
    /// `emulated-processor` (it is made up by software, and so are its caches and times),
    /// `working-set-near-cache` (part of what is measured of memory is the last-level cache).
    pub doubts: Option<String>,
}

impl Row for MemoryLatencyRow {
    const FILE: &'static str = "memory-latency.csv.gz";
    const VERSIONED: Versioned = Versioned::EveryRow(version::MEMORY_LATENCY);
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_table_begins_with_the_columns_of_the_stated_one() {
        let stated =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../data/stated/memory-latency.csv");
        let stated = std::fs::read_to_string(stated).unwrap();
        let header: Vec<_> = stated.lines().next().unwrap().split(',').collect();
        assert_eq!(crate::columns::<MemoryLatencyRow>()[..header.len()], header);
    }
}
