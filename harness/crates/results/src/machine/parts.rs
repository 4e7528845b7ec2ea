//! What a host is made of, without its network cards.

use std::num::{NonZeroU32, NonZeroU64};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The processors of a host, all alike.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Processor {
    /// Model, as its maker calls it.
    pub model: Option<String>,
    /// Processors of the host.
    pub sockets: Option<NonZeroU32>,
    /// Cores of a processor.
    pub cores_per_socket: Option<NonZeroU32>,
    /// Logical CPUs of a core: 2 with SMT.
    pub threads_per_core: Option<NonZeroU32>,
    /// Nominal clock, in Hz.
    pub frequency_hz: Option<NonZeroU64>,
    /// Where the facts are from, if not from where the host's are.
    pub source: Option<String>,
}

/// A cache of a host, or several alike.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cache {
    /// Level: 1 is nearest to the core, at most 4.
    pub level: u8,
    /// What it holds.
    pub kind: Option<CacheKind>,
    /// Size of one, in bytes; the megabytes of caches are of 2^20 bytes.
    pub size_bytes: NonZeroU64,
    /// Places that a line can be in.
    pub ways: Option<NonZeroU32>,
    /// Size of a line, in bytes.
    pub line_bytes: Option<NonZeroU32>,
    /// How many of these the host has.
    pub count: Option<NonZeroU32>,
    /// Where the facts are from, if not from where the host's are.
    pub source: Option<String>,
}

/// What a cache holds.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum CacheKind {
    /// Data.
    Data,
    /// Instructions.
    Instruction,
    /// Both.
    Unified,
}

/// A NUMA node of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemoryNode {
    /// Its number, as the kernel counts.
    pub node: u32,
    /// Its logical CPUs, as the kernel lists them (`0-3,8`); empty for a node of memory only.
    pub cpus: Option<String>,
    /// Its memory.
    pub memory_bytes: Option<u64>,
    /// What its memory delivers at most.
    pub memory_bytes_per_second: Option<NonZeroU64>,
    /// Distances to the host's nodes, in the order in which they stand in the file; the firmware's
    /// unit, in which a node is 10 from itself (ACPI, System Locality Information Table).
    pub distances: Option<Vec<u32>>,
    /// Where the facts are from, if not from where the host's are.
    pub source: Option<String>,
}

/// What a load costs that waits for the one before it: a value, bounds, or both.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Latency {
    /// What answers it.
    pub reach: Reach,
    /// Node of the loading CPU; absent if it is that of any.
    pub cpu_node: Option<u32>,
    /// Node of the memory; absent if it is that of any for which `reach` is true.
    pub memory_node: Option<u32>,
    /// The value, in ns.
    pub latency_ns: Option<f64>,
    /// The least of several, in ns.
    pub latency_low_ns: Option<f64>,
    /// The greatest of several, in ns.
    pub latency_high_ns: Option<f64>,
    /// Where the facts are from, if not from where the host's are.
    pub source: Option<String>,
}

/// What answers a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Reach {
    /// The cache of level 1.
    L1Cache,
    /// The cache of level 2.
    L2Cache,
    /// The cache of level 3.
    L3Cache,
    /// The memory of the CPU's node.
    NumaLocal,
    /// The memory of another node.
    NumaRemote,
}
