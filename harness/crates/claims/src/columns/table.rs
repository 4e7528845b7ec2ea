//! The tables that queries can look at.

use std::fmt;

use onesided_results::{
    row::{FabricMessagesRow, FabricPagerankRow, FabricReadsRow, MemoryLatencyRow},
    table::Row as _,
};
use serde::Deserialize;

use self::Table::{
    Clients, Conditions, FabricMessages, FabricPagerank, FabricReads, MemoryLatency, Runs,
};

/// A table that a query looks at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Table {
    /// Conditions: runs that differ in nothing but chance, pooled.
    #[default]
    Conditions,
    /// Runs.
    Runs,
    /// Queue pairs of runs.
    Clients,
    /// Latencies of loads from memory and caches, replicates pooled.
    MemoryLatency,
    /// Remote reads on a fabric, replicates pooled.
    FabricReads,
    /// Messages on a fabric, replicates pooled.
    FabricMessages,
    /// PageRank on a fabric, replicates pooled.
    FabricPagerank,
}

impl Table {
    /// The tables of experiments on a fabric.
    pub const OF_FABRIC: [Self; 3] = [FabricReads, FabricMessages, FabricPagerank];

    /// What writes the table and its usual name, of those that are not of runs.
    pub fn writer(self) -> Option<(&'static str, &'static str)> {
        match self {
            Conditions | Runs | Clients => None,
            MemoryLatency => Some(("memory-latency", MemoryLatencyRow::FILE)),
            FabricReads => Some(("fabric reads", FabricReadsRow::FILE)),
            FabricMessages => Some(("fabric messages", FabricMessagesRow::FILE)),
            FabricPagerank => Some(("fabric pagerank", FabricPagerankRow::FILE)),
        }
    }

    /// One row of it.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Conditions | Runs | Clients => "run",
            MemoryLatency => "memory latency",
            FabricReads | FabricMessages | FabricPagerank => "measurement on a fabric",
        }
    }
}

impl fmt::Display for Table {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Conditions => "conditions",
            Runs => "runs",
            Clients => "clients",
            MemoryLatency => "memory latencies",
            FabricReads => "remote reads on a fabric",
            FabricMessages => "messages on a fabric",
            FabricPagerank => "PageRank on a fabric",
        })
    }
}
