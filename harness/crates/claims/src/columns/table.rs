//! The tables that queries can look at.

use std::fmt;

use onesided_results::{
    row::{
        FabricMessagesRow, FabricPagerankRow, FabricReadsRow, MemoryLatencyRow, PcieOperationRow,
    },
    table::Row as _,
};
use serde::Deserialize;

use self::Table::{
    Clients, Conditions, FabricMessages, FabricPagerank, FabricReads, MemoryLatency,
    PcieOperations, Runs, Shapes,
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
    /// Points of sweeps, simulated.
    Shapes,
    /// What operations take of PCI Express, computed.
    PcieOperations,
}

impl Table {
    /// The tables whose rows say all that is known of a point.
    pub const OF_POINTS: [Self; 6] =
        [MemoryLatency, FabricReads, FabricMessages, FabricPagerank, Shapes, PcieOperations];

    /// The command that writes the table, of those that are not of runs.
    pub fn writer(self) -> Option<String> {
        let (command, file) = match self {
            Conditions | Runs | Clients => return None,
            MemoryLatency => ("memory-latency", MemoryLatencyRow::FILE),
            FabricReads => ("fabric reads", FabricReadsRow::FILE),
            FabricMessages => ("fabric messages", FabricMessagesRow::FILE),
            FabricPagerank => ("fabric pagerank", FabricPagerankRow::FILE),
            PcieOperations => {
                ("pcie --profile NAME --operation VERB --bytes BYTES", PcieOperationRow::FILE)
            }
            Shapes => {
                let command = "onesided simulate --study NAME --profile NAME --out DIRECTORY";
                return Some(command.to_owned());
            }
        };
        Some(format!("onesided {command} --out DIRECTORY/{file}"))
    }

    /// One row of it.
    pub(crate) fn noun(self) -> &'static str {
        match self {
            Conditions | Runs | Clients => "run",
            MemoryLatency => "memory latency",
            FabricReads | FabricMessages | FabricPagerank => "measurement on a fabric",
            Shapes => "point of a sweep",
            PcieOperations => "limit",
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
            Shapes => "simulated sweeps",
            PcieOperations => "limits of PCI Express",
        })
    }
}
