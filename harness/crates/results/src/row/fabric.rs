//! The tables of experiments on a fabric: remote reads, messages, PageRank.
//!
//! A published row is what a text states: of it all other columns are absent. Names of doubts are
//! separated by spaces, and absent if there are none: `crowded` (what should run at the same time
//! has fewer CPUs than threads), `content-differs` (what arrived is not what was sent, or ranks are
//! not those of the reference).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    table::{Row, Versioned},
    version,
    vocabulary::{FabricSides, GraphKind, MessageWay, Operation, PagerankVariant, Source},
};

/// Remote reads of one size, or fetch-and-adds, between two nodes: a row of `fabric-reads.csv.gz`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FabricReadsRow {
    /// Version of this format.
    pub schema_version: u32,
    /// Where the numbers come from.
    pub source: Source,
    /// What carried the operations.
    pub back_end: String,
    /// The machine's profile.
    pub profile: String,
    /// Delay that the emulated fabric adds to each packet, of which an operation has two; absent
    /// where nothing emulates one.
    pub fabric_hop_ns: Option<u64>,
    /// What was asked for.
    pub operation: Operation,
    /// Bytes of one operation; absent where a text does not state it.
    pub access_bytes: Option<u32>,
    /// Who asked.
    pub sides: Option<FabricSides>,
    /// Time of one operation with nothing else of its side under way: the median of samples.
    pub latency_ns: Option<f64>,
    /// Lower quartile of the samples.
    pub latency_low_ns: Option<f64>,
    /// Upper quartile of the samples.
    pub latency_high_ns: Option<f64>,
    /// Operations per second of all sides with `window` of each under way: the median of windows.
    pub throughput_ops: Option<f64>,
    /// Lower quartile of the windows.
    pub throughput_low_ops: Option<f64>,
    /// Upper quartile of the windows.
    pub throughput_high_ops: Option<f64>,
    /// Payload of `throughput_ops`, in 10^9 bits per second.
    pub bandwidth_gbit_per_s: Option<f64>,
    /// Which repetition of everything, from 1.
    pub replicate: Option<u32>,
    /// Operations of a side under way for the throughput.
    pub window: Option<u32>,
    /// Samples of the latency.
    pub latency_samples: Option<u64>,
    /// Operations that were counted, of both measurements and all sides.
    pub operations: Option<u64>,
    /// Time of a cache line to the other CPU and another back, on the first requester's and
    /// responder's CPUs and in the same replicate; absent where these are one.
    pub core_round_trip_ns: Option<f64>,
    /// CPU of each thread that asked.
    pub requester_cpus: Option<String>,
    /// Their NUMA nodes.
    pub requester_nodes: Option<String>,
    /// CPU of each thread that answered.
    pub responder_cpus: Option<String>,
    /// Their NUMA nodes.
    pub responder_nodes: Option<String>,
    /// Words that were not what they must be.
    pub differing_words: Option<u64>,
    /// Names of what makes the numbers doubtful.
    pub doubts: Option<String>,
}

impl Row for FabricReadsRow {
    const FILE: &'static str = "fabric-reads.csv.gz";
    const VERSIONED: Versioned = Versioned::EveryRow(version::FABRIC);
}

/// Messages of one length between two ends: a row of `fabric-messages.csv.gz`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FabricMessagesRow {
    /// Version of this format.
    pub schema_version: u32,
    /// Where the numbers come from.
    pub source: Source,
    /// What carried the operations.
    pub back_end: String,
    /// The machine's profile.
    pub profile: String,
    /// Delay that the emulated fabric adds to each packet; absent where nothing emulates one.
    pub fabric_hop_ns: Option<u64>,
    /// How messages got to the receiver.
    pub way: Option<MessageWay>,
    /// Length of a message; absent where a text does not state it.
    pub message_bytes: Option<u32>,
    /// Length from which on messages were pulled; absent of `push` and `pull`.
    pub threshold_bytes: Option<u32>,
    /// Half the time of a message there and one back: the median of samples.
    pub latency_ns: Option<f64>,
    /// Lower quartile of the samples.
    pub latency_low_ns: Option<f64>,
    /// Upper quartile of the samples.
    pub latency_high_ns: Option<f64>,
    /// Payload received in one direction, in 10^9 bits per second: the median of windows.
    pub bandwidth_gbit_per_s: Option<f64>,
    /// Lower quartile of the windows; of what a text states, the bound that it is above.
    pub bandwidth_low_gbit_per_s: Option<f64>,
    /// Upper quartile of the windows.
    pub bandwidth_high_gbit_per_s: Option<f64>,
    /// Which repetition of everything, from 1.
    pub replicate: Option<u32>,
    /// Threads that have the two ends: 1 has both, of one node, in turns; 2 have one each, of two
    /// nodes.
    pub threads: Option<u32>,
    /// Samples of the latency.
    pub latency_samples: Option<u64>,
    /// Messages that were received in all.
    pub messages: Option<u64>,
    /// Time of a cache line from the first thread's CPU to the first responder's and another back,
    /// in the same replicate; absent where these are one.
    pub core_round_trip_ns: Option<f64>,
    /// CPU of each thread.
    pub thread_cpus: Option<String>,
    /// Their NUMA nodes.
    pub thread_nodes: Option<String>,
    /// CPU of each thread that answered.
    pub responder_cpus: Option<String>,
    /// Their NUMA nodes.
    pub responder_nodes: Option<String>,
    /// Messages that were not what was sent.
    pub differing_messages: Option<u64>,
    /// Names of what makes the numbers doubtful.
    pub doubts: Option<String>,
}

impl Row for FabricMessagesRow {
    const FILE: &'static str = "fabric-messages.csv.gz";
    const VERSIONED: Versioned = Versioned::EveryRow(version::FABRIC);
}

/// PageRank by so many nodes: a row of `fabric-pagerank.csv.gz`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FabricPagerankRow {
    /// Version of this format.
    pub schema_version: u32,
    /// Where the numbers come from.
    pub source: Source,
    /// What carried the operations; of shared memory, what carried those it is compared with.
    pub back_end: String,
    /// The machine's profile.
    pub profile: String,
    /// Delay that the emulated fabric adds to each packet; absent where nothing emulates one.
    pub fabric_hop_ns: Option<u64>,
    /// How a node had the ranks of others.
    pub variant: PagerankVariant,
    /// Nodes, each with one thread; of shared memory its threads.
    pub nodes: u32,
    /// Time of one superstep: the median over the supersteps.
    pub superstep_ns: Option<f64>,
    /// Lower quartile.
    pub superstep_low_ns: Option<f64>,
    /// Upper quartile.
    pub superstep_high_ns: Option<f64>,
    /// A superstep of shared memory by one thread in the same replicate, over this one.
    pub speed_up: Option<f64>,
    /// This superstep over one of shared memory by as many threads in the same replicate.
    pub to_shared_memory: Option<f64>,
    /// Which repetition of everything, from 1.
    pub replicate: Option<u32>,
    /// Supersteps.
    pub supersteps: Option<u32>,
    /// Where the graph is from.
    pub graph: Option<GraphKind>,
    /// Vertices of the graph.
    pub vertices: Option<u64>,
    /// Its directed edges.
    pub edges: Option<u64>,
    /// Of a drawn graph the logarithm of its vertices to base 2.
    pub scale: Option<u32>,
    /// Of a drawn graph what it was drawn from.
    pub seed: Option<u64>,
    /// Remote reads of all nodes and supersteps.
    pub remote_reads: Option<u64>,
    /// Half the sum of what ranks differ by from those of the reference, 0 to 1.
    pub total_variation: Option<f64>,
    /// CPU of each thread; absent where the system chose.
    pub thread_cpus: Option<String>,
    /// Their NUMA nodes.
    pub thread_nodes: Option<String>,
    /// Names of what makes the numbers doubtful.
    pub doubts: Option<String>,
}

impl Row for FabricPagerankRow {
    const FILE: &'static str = "fabric-pagerank.csv.gz";
    const VERSIONED: Versioned = Versioned::EveryRow(version::FABRIC);
}
