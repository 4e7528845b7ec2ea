//! The tidy tables over many runs, which figures and claims are made from.

mod claim;
mod condition;
mod fabric;
mod memory;
mod pcie;
mod prediction;
mod published;
mod shape;

pub use claim::ClaimRow;
pub use condition::ConditionRow;
pub use fabric::{FabricMessagesRow, FabricPagerankRow, FabricReadsRow};
pub use memory::MemoryLatencyRow;
pub use pcie::{PcieOperationRow, PcieTransferRow};
pub use prediction::PredictionRow;
pub use published::{
    ManifestRow, PublishedClient, PublishedClientRow, PublishedRun, PublishedRunRow, TraceRow,
};
pub use shape::ShapeRow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    table::{Row, Versioned},
    vocabulary::{
        AddressPattern, CacheState, Ddio, LoadKind, LoadNode, LoadPattern, LoadProcess, Locality,
        LoopShape, Operation, SlotLayout, Source, WorkerOperation, WorkerPattern,
    },
};

/// One run, a row of `runs.csv.gz`.
///
/// An absent value is an empty cell: unknown to the source, or not estimable. A table may carry
/// further columns behind these.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunRow {
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
    /// The design that the run belongs to.
    pub experiment: String,
    /// The run's name, unique within source, profile and experiment.
    pub run_id: String,
    /// Which repetition of the same design point, from 1.
    pub replicate: Option<u32>,
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
    /// Operations completed in the measured interval.
    pub operations: Option<u64>,
    /// Throughput by the study's estimator, operations per second.
    pub throughput_published_ops: Option<f64>,
    /// Throughput by the robust estimator, operations per second.
    pub throughput_ops: Option<f64>,
    /// Lower end of its 95 % interval within the run.
    pub throughput_low_ops: Option<f64>,
    /// Upper end of its 95 % interval within the run.
    pub throughput_high_ops: Option<f64>,
    /// Mean latency.
    pub latency_mean_ns: Option<f64>,
    /// Population standard deviation of latencies.
    pub latency_sd_ns: Option<f64>,
    /// Median latency.
    pub latency_p50_ns: Option<u64>,
    /// Latency that 99 % do not exceed.
    pub latency_p99_ns: Option<u64>,
    /// Latency that 99.9 % do not exceed.
    pub latency_p999_ns: Option<u64>,
    /// Latencies recorded; of an imported run without any, the rates that were printed.
    pub samples: Option<u64>,
    /// Whether the numbers may be used.
    pub valid: bool,
    /// Names of the doubts, separated by spaces; empty if there are none.
    pub doubts: String,
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
    /// Accesses per second that all workers achieved.
    pub worker_accesses_per_second: Option<f64>,
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
    /// Accesses per second that the load achieved.
    pub load_accesses_per_second: Option<f64>,
    /// Machines that accessed the memory at once.
    pub client_hosts: Option<u32>,
}

impl RunRow {
    /// A run of which only this is known: no workers, no load, nothing done to the machine, no
    /// numbers, no doubts.
    pub fn known_by(source: Source, operation: Operation, loop_shape: LoopShape) -> Self {
        Self {
            schema_version: crate::SCHEMA_VERSION,
            source,
            back_end: String::new(),
            profile: String::new(),
            nic: None,
            experiment: String::new(),
            run_id: String::new(),
            replicate: None,
            operation,
            worker_operation: WorkerOperation::None,
            locality: None,
            client_locality: None,
            worker_locality: None,
            queue_pairs: 1,
            threads: None,
            access_bytes: 8,
            mtu_bytes: None,
            max_rd_atomic: None,
            window: None,
            loop_shape,
            workers: 0,
            worker_write_fraction: None,
            load_kind: LoadKind::None,
            load_bytes: None,
            load_node: LoadNode::None,
            slot_layout: None,
            cache_state: CacheState::Default,
            ddio: Ddio::Default,
            operations: None,
            throughput_published_ops: None,
            throughput_ops: None,
            throughput_low_ops: None,
            throughput_high_ops: None,
            latency_mean_ns: None,
            latency_sd_ns: None,
            latency_p50_ns: None,
            latency_p99_ns: None,
            latency_p999_ns: None,
            samples: None,
            valid: true,
            doubts: String::new(),
            address_pattern: None,
            working_set_bytes: None,
            think_time_ns: None,
            post_list: None,
            signal_every: None,
            inline_bytes: None,
            client_memory_locality: None,
            client_ring_locality: None,
            server_ring_locality: None,
            worker_threads: None,
            worker_pattern: None,
            worker_access_bytes: None,
            worker_think_time_ns: None,
            worker_rate_per_second: None,
            worker_accesses_per_second: None,
            load_process: None,
            load_thread_count: None,
            load_threads: None,
            load_memory: None,
            load_write_fraction: None,
            load_pattern: None,
            load_accesses_per_second: None,
            client_hosts: None,
        }
    }
}

/// One queue pair of a run, a row of `clients.csv.gz`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClientRow {
    /// Version of this format, [`crate::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Where the numbers come from.
    pub source: Source,
    /// The machine's profile.
    pub profile: String,
    /// The design that the run belongs to.
    pub experiment: String,
    /// The run's name.
    pub run_id: String,
    /// Index of the queue pair, from 0.
    pub queue_pair: u32,
    /// Operations completed in the measured interval.
    pub operations: u64,
    /// Latencies recorded; of an imported client without any, the rates that were printed.
    pub samples: Option<u64>,
    /// Mean latency.
    pub latency_mean_ns: Option<f64>,
    /// Population standard deviation of latencies.
    pub latency_sd_ns: Option<f64>,
    /// Latency that 1 % do not exceed.
    pub latency_p1_ns: Option<u64>,
    /// Latency that 5 % do not exceed.
    pub latency_p5_ns: Option<u64>,
    /// Latency that 25 % do not exceed.
    pub latency_p25_ns: Option<u64>,
    /// Median latency.
    pub latency_p50_ns: Option<u64>,
    /// Latency that 75 % do not exceed.
    pub latency_p75_ns: Option<u64>,
    /// Latency that 95 % do not exceed.
    pub latency_p95_ns: Option<u64>,
    /// Latency that 99 % do not exceed.
    pub latency_p99_ns: Option<u64>,
}

/// Operations of one queue pair in one window of a run, a row of `windows.csv.gz`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WindowRow {
    /// Version of this format, [`crate::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Where the numbers come from.
    pub source: Source,
    /// The machine's profile.
    pub profile: String,
    /// The design that the run belongs to.
    pub experiment: String,
    /// The run's name.
    pub run_id: String,
    /// Index of the window, from 0.
    pub window: u32,
    /// Its start, counted from the start of the measured interval.
    pub start_ns: u64,
    /// Index of the queue pair, from 0.
    pub queue_pair: u32,
    /// Operations completed.
    pub operations: u64,
}

/// Latencies of one queue pair in one histogram bucket of a run, a row of `latency.csv.gz`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LatencyRow {
    /// Version of this format, [`crate::SCHEMA_VERSION`].
    pub schema_version: u32,
    /// Where the numbers come from.
    pub source: Source,
    /// The machine's profile.
    pub profile: String,
    /// The design that the run belongs to.
    pub experiment: String,
    /// The run's name.
    pub run_id: String,
    /// Index of the queue pair, from 0.
    pub queue_pair: u32,
    /// Smallest latency that belongs to the bucket.
    pub lowest_ns: u64,
    /// Largest latency that belongs to the bucket.
    pub highest_ns: u64,
    /// Latencies that fell into it.
    pub count: u64,
}

macro_rules! tidy_tables {
    ($($row:ident in $file:literal),+ $(,)?) => {$(
        impl Row for $row {
            const FILE: &'static str = $file;
            const VERSIONED: Versioned = Versioned::EveryRow;
        }
    )+};
}

tidy_tables! {
    RunRow in "runs.csv.gz",
    ClientRow in "clients.csv.gz",
    WindowRow in "windows.csv.gz",
    LatencyRow in "latency.csv.gz",
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_columns_of_the_contract_come_in_their_order() {
        let contract = "schema_version source back_end profile nic experiment run_id replicate \
            operation worker_operation locality client_locality worker_locality queue_pairs \
            threads access_bytes mtu_bytes max_rd_atomic window loop workers \
            worker_write_fraction load_kind load_bytes load_node slot_layout cache_state ddio \
            operations throughput_published_ops throughput_ops throughput_low_ops \
            throughput_high_ops latency_mean_ns latency_sd_ns latency_p50_ns latency_p99_ns \
            latency_p999_ns samples valid doubts";
        let columns = crate::columns::<RunRow>();
        let contract: Vec<_> = contract.split_whitespace().collect();
        assert_eq!(columns[..contract.len()], contract, "further columns come behind these");
    }
}
