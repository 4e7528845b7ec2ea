//! The table of conditions: runs that differ in nothing but chance, pooled.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    table::{Row, Versioned},
    vocabulary::{
        AddressPattern, CacheState, Campaign, CodeGeneration, Ddio, IntervalOrigin, LoadKind,
        LoadNode, LoadPattern, LoadProcess, Locality, LoopShape, Operation, Regime, SlotLayout,
        Source, WorkerOperation, WorkerPattern,
    },
};

/// One condition, a row of `conditions.csv.gz`. Columns of the same name are those of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConditionRow {
    /// Version of this format, [`crate::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Where the numbers come from.
    pub source: Source,
    /// The back end's own name.
    pub back_end: String,
    /// The machine's profile.
    pub profile: String,
    /// The network card.
    pub nic: Option<String>,
    /// Which of the study's programs.
    pub code_generation: Option<CodeGeneration>,
    /// Which group of the study's runs.
    pub campaign: Option<Campaign>,
    /// Which of two speeds, where writes have two.
    pub regime: Option<Regime>,
    /// Designs that its runs belong to, separated by spaces.
    pub experiments: String,
    /// What the clients asked for.
    pub operation: Operation,
    /// What the server's workers did to the same memory.
    pub worker_operation: WorkerOperation,
    /// Whether the accessed memory was on the server's network card's node.
    pub locality: Option<Locality>,
    /// Whether the client's threads were on its network card's node.
    pub client_locality: Option<Locality>,
    /// Whether the workers were asked to be on the server's network card's node.
    pub worker_locality: Option<Locality>,
    /// Queue pairs in all.
    pub queue_pairs: u32,
    /// Client threads.
    pub threads: Option<u32>,
    /// Bytes moved by one operation.
    pub access_bytes: u32,
    /// Path MTU in use.
    pub mtu_bytes: Option<u32>,
    /// Reads and atomics of one queue pair in flight, as negotiated.
    pub max_rd_atomic: Option<u32>,
    /// Requests of one queue pair that could be outstanding.
    pub window: Option<u32>,
    /// When the next request was posted.
    #[serde(rename = "loop")]
    pub loop_shape: LoopShape,
    /// Server worker threads.
    pub workers: u32,
    /// Share of writes among the accesses of mixed workers.
    pub worker_write_fraction: Option<f64>,
    /// Load beside clients and workers.
    pub load_kind: LoadKind,
    /// Memory that the load ranges over.
    pub load_bytes: Option<u64>,
    /// Where the load ran.
    pub load_node: LoadNode,
    /// How objects lay in the server's memory.
    pub slot_layout: Option<SlotLayout>,
    /// What was done to the server's caches.
    pub cache_state: CacheState,
    /// Whether the card could write into the cache.
    pub ddio: Ddio,
    /// Runs pooled: valid ones, none of them a copy.
    pub runs: u32,
    /// Doubts that any of them has, separated by spaces.
    pub doubts: String,
    /// Geometric mean of the study's estimator over runs.
    pub throughput_published_ops: Option<f64>,
    /// Lower end of its 95 % interval, from runs; absent for one run.
    pub throughput_published_low_ops: Option<f64>,
    /// Upper end of its 95 % interval, from runs; absent for one run.
    pub throughput_published_high_ops: Option<f64>,
    /// Geometric mean of the robust estimator over runs.
    pub throughput_ops: Option<f64>,
    /// Lower end of its 95 % interval.
    pub throughput_low_ops: Option<f64>,
    /// Upper end of its 95 % interval.
    pub throughput_high_ops: Option<f64>,
    /// What that interval is made from.
    pub throughput_interval: IntervalOrigin,
    /// Standard deviation over runs of the logarithm of the robust estimator: relative, for a
    /// small one; absent for one run.
    pub throughput_log_sd: Option<f64>,
    /// Geometric mean of the mean latency over runs.
    pub latency_mean_ns: Option<f64>,
    /// Lower end of its 95 % interval, from runs; absent for one run.
    pub latency_mean_low_ns: Option<f64>,
    /// Upper end of its 95 % interval, from runs; absent for one run.
    pub latency_mean_high_ns: Option<f64>,
    /// Which object a request went to.
    pub address_pattern: Option<AddressPattern>,
    /// Memory that requests ranged over; absent for own slots.
    pub working_set_bytes: Option<u64>,
    /// Pause between a completion and the next request.
    pub think_time_ns: Option<u64>,
    /// Requests handed over in one post.
    pub post_list: Option<u32>,
    /// Every how many requests one asked for a completion.
    pub signal_every: Option<u32>,
    /// Largest payload that was copied into the request.
    pub inline_bytes: Option<u32>,
    /// Whether the client's buffers were asked to be on its network card's node; absent if left to the kernel.
    pub client_memory_locality: Option<Locality>,
    /// Whether the client's queue rings were asked to be on its network card's node; absent if left to the kernel.
    pub client_ring_locality: Option<Locality>,
    /// Whether the server's queue rings were asked to be on its network card's node; absent if left to the kernel.
    pub server_ring_locality: Option<Locality>,
    /// Place of the workers, as asked.
    pub worker_threads: Option<String>,
    /// Where in the accessed memory the workers went.
    pub worker_pattern: Option<WorkerPattern>,
    /// Bytes moved by one access of a worker.
    pub worker_access_bytes: Option<u32>,
    /// Pause between two accesses of a worker.
    pub worker_think_time_ns: Option<u64>,
    /// Accesses of one worker in a second, as asked; absent: as many as it could.
    pub worker_rate_per_second: Option<f64>,
    /// Which process the load ran in.
    pub load_process: Option<LoadProcess>,
    /// Threads of the load.
    pub load_thread_count: Option<u32>,
    /// Place of the load's threads, as asked.
    pub load_threads: Option<String>,
    /// Place of the load's memory, as asked.
    pub load_memory: Option<String>,
    /// Share of writes of the load.
    pub load_write_fraction: Option<f64>,
    /// Where in its memory the load went.
    pub load_pattern: Option<LoadPattern>,
    /// Machines that accessed the memory at once.
    pub client_hosts: Option<u32>,
}

impl Row for ConditionRow {
    const FILE: &'static str = "conditions.csv.gz";
    const VERSIONED: Versioned = Versioned::EveryRow;
}
