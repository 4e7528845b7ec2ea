//! Every factor of a run, declared once.
//!
//! A factor is what a design can vary. From its declaration come the field of
//! [`RunConfiguration`] and its default, the columns of [`crate::RunRow`] and
//! [`crate::row::ConditionRow`], the key by which replicates are pooled, and what the schemas say
//! of these. Readers take factors, units, levels and labels from the schemas: none has a list.
//!
//! A declaration reads
//!
//! ```text
//! /// What it is: units, shape, source.
//! name: Type = default,
//!     column Type[, as "written"][, added VERSION][, within LEAST to MOST],
//!     label "Axis"[, level "{} words"]
//!     [, only FACTOR |run| when that gives it a meaning]
//!     [, negotiated unknown]
//!     [, seen /// What came of it. name: Type = unknown, label "Axis"];
//! ```
//!
//! - `column`: its type in tables, where not every source knows it. There is no factor without one.
//! - `added`: the version of records and tables that has it first, one more than the newest of all
//!   kinds that have factors (`version.rs`), so that each of them rises: in older ones it is at its
//!   default. (`since`: where only the column came later.)
//! - `within`: what a number must be in any configuration and in any table, ends included. Upper ends
//!   are far above what a machine does, and far below what would take all memory of one that is asked.
//! - `label`: the name of an axis. `level`: one level in words, `(s)` left out for 1.
//! - `only`: the factor that decides whether this one means anything, and how. Where it means
//!   nothing, its cell is empty, and a level other than the default is refused. Without `only` it
//!   means something for every run.
//! - `negotiated`: the column holds what both sides agreed on, not what was asked for.
//! - `seen`: a column of what came of it, where the machine decides that. It tells runs apart, too.

mod declare;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use self::declare::{Column, asked, decider, declare, known, seen_type, unknown};
pub(crate) use self::declare::{joined, name, row};
use crate::row::rules::{HasRules, Ruled, ruled_column};
use crate::vocabulary::{
    AddressPattern, Arrivals, CacheState, CompletionQueues, Ddio, LoadKind, LoadNode, LoadPattern,
    LoadProcess, Locality, LoopShape, Operation, ReceiveQueues, Service, SlotLayout, SlotReuse,
    WorkerOperation, WorkerPattern,
};

// Ours, because: 8 bytes and a closed loop are the study's (§V); path MTU 1024 is what Soft-RoCE
// reaches over a 1500-byte network; 16 reads in flight is what common cards answer, where the
// study's code had 1; retry counts stop at 6 because 7 means for ever, to some devices.
declare! {
    ($)
    /// Everything that decides what a run does, nothing left to defaults elsewhere.
    ///
    /// One row of the run table. An absent value means that it does not apply (or, where said, that
    /// it is left to the machine); units are in the names. [`Self::check`] says what is impossible.
    configuration
    identity {
        /// Name of the run, unique within its experiment and profile; also its directory's name.
        run_id: String = "ad-hoc".to_owned();
        /// Name of the design that the run belongs to.
        experiment: String = "ad-hoc".to_owned();
        /// Name of the machine's profile.
        profile: String = "unnamed".to_owned();
        /// Which repetition of the same design point this is, from 1.
        replicate: u32 = 1, within 1.0 to 1_000_000.0;
        /// Seed of everything random within the run; below 2^53, so that R reads it exactly.
        seed: u64 = 1, within 0.0 to 9_007_199_254_740_991.0;
        /// Which block of the run order the run is in, from 1.
        block: u32 = 1, within 1.0 to 1_000_000.0;
        /// Place in the run order over all blocks, from 1.
        order: u32 = 1, within 1.0 to 4_294_967_295.0;
    }

    /// What the client asks for.
    operation: Operation = Operation::Read,
        column Operation, label "Operation";
    /// Share of writes, 0 to 1; of mixed operations only.
    write_fraction: Option<f64> = None,
        column Option<f64>, since 4,
        within 0.0 to 1.0, label "Share of writes", level "write fraction {}",
        only operation |run| run.operation == Operation::Mixed;
    /// Bytes that one request moves; 0 is for header-only messages.
    access_bytes: u32 = 8,
        column u32,
        within 0.0 to 2_147_483_648.0, label "Bytes per access";
    /// How objects lie in the server's region.
    slot_layout: SlotLayout = SlotLayout::Packed,
        column Option<SlotLayout>, label "Layout of objects", level "{} objects";
    /// Which object a request goes to.
    address_pattern: AddressPattern = AddressPattern::OwnSlot,
        column Option<AddressPattern>, label "Address pattern";
    /// Skew of the zipf pattern, 0.99 in YCSB; of that pattern only.
    zipf_exponent: Option<f64> = None,
        column Option<f64>, since 4,
        within 0.001 to 100.0, label "Exponent of the zipf pattern", level "zipf exponent {}",
        only address_pattern |run| run.address_pattern == AddressPattern::Zipf;
    /// Memory that the pattern ranges over; empty for own slots, whose number decides it.
    working_set_bytes: Option<u64> = None,
        column Option<u64>,
        within 1.0 to 1_125_899_906_842_624.0, label "Working set (B)",
        only address_pattern |run| run.address_pattern != AddressPattern::OwnSlot;
    /// Queue pairs of all client hosts together.
    queue_pairs: u32 = 1,
        column u32,
        within 1.0 to 2_097_152.0, label "Queue pairs", level "{} queue pair(s)";
    /// Threads of all client hosts together; each drives neighbouring queue pairs, shares differ by
    /// one at most.
    threads: u32 = 1,
        column Option<u32>,
        within 1.0 to 65_536.0, label "Client threads", level "{} client thread(s)";
    /// Machines that access the server's memory at once, each with neighbouring threads, shares
    /// differing by one at most; those beside the first have run `onesided join`.
    client_hosts: u32 = 1,
        column Option<u32>,
        within 1.0 to 1_024.0, label "Client hosts", level "{} client host(s)";
    /// Transport service of the queue pairs: of unreliable ones some messages may be lost, and their
    /// operations are counted when they are sent (IB spec vol. 1, 9.7 and 9.8).
    service: Service = Service::ReliableConnection,
        column Option<Service>, added 9, label "Service", level "service {}";
    /// Which queue pairs share a completion queue.
    completion_queues: CompletionQueues = CompletionQueues::PerThread,
        column Option<CompletionQueues>, since 4, label "Completion queues";
    /// Whether the queue pairs of a thread that receives have a receive queue each, or one together, whose
    /// requests serve whichever gets a message (IB spec vol. 1, 10.2.9); of operations that are received.
    receive_queues: ReceiveQueues = ReceiveQueues::PerQueuePair,
        column Option<ReceiveQueues>, added 10, label "Receive queues", level "{} receive queues",
        only operation |run| run.operation.needs_receives();
    /// Work requests that a queue pair's send queue holds.
    send_queue_depth: u32 = 128,
        column Option<u32>, since 4,
        within 1.0 to 2_097_152.0, label "Depth of the send queue";
    /// Requests of one queue pair that may be outstanding.
    window: u32 = 1,
        column Option<u32>,
        within 1.0 to 2_097_152.0, label "Requests outstanding per queue pair";
    /// Which requests of a queue pair use the same memory of the client; a large access with a wide
    /// window needs it.
    slot_reuse: SlotReuse = SlotReuse::Completed,
        column Option<SlotReuse>, added 5, label "Requests that share a slot of the client",
        only loop_shape |run| run.loop_shape != LoopShape::PingPong;
    /// Requests handed over in one post.
    post_list: u32 = 1,
        column Option<u32>,
        within 1.0 to 2_097_152.0, label "Requests per post";
    /// Every how many requests one asks for a completion.
    signal_every: u32 = 1,
        column Option<u32>,
        within 1.0 to 2_097_152.0, label "Requests per completion";
    /// Largest payload that is copied into the work request; empty: none is.
    inline_bytes: Option<u32> = None,
        column Option<u32>,
        within 0.0 to 65_536.0, label "Largest inline payload (B)";
    /// Path MTU, 256, 512, 1024, 2048 or 4096; in tables the one in use.
    mtu_bytes: u32 = 1024,
        column Option<u32>,
        within 256.0 to 4_096.0, label "Path MTU (B)", level "MTU {} B",
        negotiated None;
    /// Reads and atomics of one queue pair in flight; both devices' limits may lower it, and tables
    /// have what was negotiated.
    max_rd_atomic: u8 = 16,
        column Option<u32>,
        within 1.0 to 255.0, label "Reads in flight per queue pair", level "max_rd_atomic {}",
        negotiated None;
    /// Acknowledgement timeout, 4.096 µs × 2^this (IB spec 1.4, 9.7.6.1.3); 14 is 67 ms.
    timeout_exponent: u8 = 14,
        column Option<u8>, since 4,
        within 1.0 to 31.0, label "Exponent of the acknowledgement timeout";
    /// Retransmissions before a request fails, 0 to 6.
    retry_count: u8 = 6,
        column Option<u8>, since 4,
        within 0.0 to 6.0, label "Retransmissions";
    /// Retries after "receiver not ready" before a request fails, 0 to 6.
    rnr_retry: u8 = 6,
        column Option<u8>, since 4,
        within 0.0 to 6.0, label "Retries after receiver not ready";
    /// Hops that a routed packet may take.
    hop_limit: u8 = 64,
        column Option<u8>, since 4,
        within 1.0 to 255.0, label "Hop limit";
    /// Entry of the port's GID table on the client; absent: chosen by rule.
    gid_index: Option<u32> = None,
        column Option<u32>, since 4, label "GID index";
    /// When the next request is posted.
    loop_shape: LoopShape = LoopShape::Closed,
        column LoopShape, as "loop", label "Loop";
    /// Spacing of scheduled requests; of open loops only.
    arrivals: Option<Arrivals> = None,
        column Option<Arrivals>, since 4, label "Arrivals",
        only loop_shape |run| run.loop_shape == LoopShape::Open;
    /// Requests per second scheduled over all queue pairs; of open loops only.
    rate_ops_per_second: Option<f64> = None,
        column Option<f64>, since 4,
        within 0.001 to 1_000_000_000_000.0, label "Offered rate (operations/s)", level "{} ops/s offered",
        only loop_shape |run| run.loop_shape == LoopShape::Open;
    /// Pause between a completion and the next request of a closed loop.
    think_time_ns: u64 = 0,
        column Option<u64>,
        within 0.0 to 3_600_000_000_000.0, label "Pause between a completion and the next request",
        level "think time {} ns";
    /// Time that requests flow before they are recorded.
    warm_up_ms: u64 = 200,
        column Option<u64>, since 4,
        within 0.0 to 86_400_000.0, label "Warm-up (ms)";
    /// Time that requests are recorded, a multiple of the counting window.
    duration_ms: u64 = 2000,
        column Option<u64>, since 4,
        within 1.0 to 604_800_000.0, label "Duration (ms)";
    /// Length of one counting window.
    window_ms: u64 = 10,
        column Option<u64>, since 4,
        within 1.0 to 604_800_000.0, label "Counting window (ms)";
    /// Requests after which a queue pair stops; empty: only time ends the run.
    operations_per_queue_pair: Option<u64> = None,
        column Option<u64>, since 4,
        within 1.0 to 9_007_199_254_740_992.0, label "Operations per queue pair";
    /// Place that is asked for the memory that is accessed.
    server_region: String = "rdma-local".to_owned(),
        column Option<String>, since 4, label "Place asked for the region",
        seen
        /// Whether the accessed memory was on the server's network card's node.
        locality: Option<Locality> = None,
        label "Locality";
    /// Place that is asked for the server's threads.
    server_threads: String = "any".to_owned(),
        column Option<String>, since 4, label "Place asked for the server's threads";
    /// Place that is asked for the rings of the server's queue pairs.
    server_rings: String = "any".to_owned(),
        column Option<String>, since 4, label "Place asked for the server's queue rings",
        seen
        /// Whether the server's queue rings were asked to be on its network card's node; absent if
        /// left to the kernel.
        server_ring_locality: Option<Locality> = None,
        label "Locality of the server's queue rings";
    /// Place that is asked for the client's buffers.
    client_buffers: String = "any".to_owned(),
        column Option<String>, since 4, label "Place asked for the client's buffers",
        seen
        /// Whether the client's buffers were asked to be on its network card's node; absent if
        /// left to the kernel.
        client_memory_locality: Option<Locality> = None,
        label "Locality of the client's buffers";
    /// Place that is asked for the client's threads.
    client_threads: String = "any".to_owned(),
        column Option<String>, since 4, label "Place asked for the client's threads",
        seen
        /// Whether the client's threads were on its network card's node.
        client_locality: Option<Locality> = None,
        label "Locality of the client's threads";
    /// Place that is asked for the rings of the client's queue pairs.
    client_rings: String = "any".to_owned(),
        column Option<String>, since 4, label "Place asked for the client's queue rings",
        seen
        /// Whether the client's queue rings were asked to be on its network card's node; absent if
        /// left to the kernel.
        client_ring_locality: Option<Locality> = None,
        label "Locality of the client's queue rings";
    /// Threads of the server that use the memory that clients access.
    workers: u32 = 0,
        column u32,
        within 0.0 to 4_096.0, label "Server workers", level "{} worker(s)";
    /// Place that is asked for the workers: with a place, a CPU each.
    worker_threads: String = "any".to_owned(),
        column Option<String>, label "Place asked for the workers",
        only workers |run| run.workers > 0,
        seen
        /// Whether the workers were asked to be on the server's network card's node.
        worker_locality: Option<Locality> = None,
        label "Locality of the workers";
    /// What the workers do.
    worker_operation: WorkerOperation = WorkerOperation::None,
        column WorkerOperation, label "Operation of the workers",
        only workers |run| run.workers > 0;
    /// Share of writes, 0 to 1; of mixed workers only.
    worker_write_fraction: Option<f64> = None,
        column Option<f64>,
        within 0.0 to 1.0, label "Writes among the workers' accesses",
        only worker_operation |run| run.worker_operation == WorkerOperation::Mixed;
    /// Bytes that one access of a worker moves, 1 to 64.
    worker_access_bytes: Option<u32> = None,
        column Option<u32>,
        within 1.0 to 64.0, label "Bytes per access of a worker", level "workers access {} B",
        only workers |run| run.workers > 0;
    /// Where in the memory a worker goes.
    worker_pattern: Option<WorkerPattern> = None,
        column Option<WorkerPattern>, label "Address pattern of the workers", level "workers go {}",
        only workers |run| run.workers > 0;
    /// Pause between two accesses of a worker.
    worker_think_time_ns: u64 = 0,
        column Option<u64>,
        within 0.0 to 3_600_000_000_000.0, label "Pause between two accesses of a worker (ns)",
        level "workers pause {} ns",
        only workers |run| run.workers > 0;
    /// Accesses of one worker in a second; empty: as many as it can.
    worker_rate_per_second: Option<f64> = None,
        column Option<f64>,
        within 0.001 to 1_000_000_000_000.0, label "Accesses of a worker in a second", level "workers at {} /s",
        only workers |run| run.workers > 0;
    /// What loads the server's machine beside clients and workers.
    load_kind: LoadKind = LoadKind::None,
        column LoadKind, label "Load";
    /// Which process the load is in.
    load_process: Option<LoadProcess> = None,
        column Option<LoadProcess>, label "Process of the load",
        only load_kind |run| run.load_kind == LoadKind::Independent;
    /// Size of the memory that the load ranges over, shared by its threads.
    load_bytes: Option<u64> = None,
        column Option<u64>,
        within 8.0 to 1_125_899_906_842_624.0, label "Bytes the load ranges over", level "load {} B",
        only load_kind |run| run.load_kind == LoadKind::Independent;
    /// Threads of the load.
    load_thread_count: Option<u32> = None,
        column Option<u32>,
        within 1.0 to 4_096.0, label "Threads of the load",
        only load_kind |run| run.load_kind == LoadKind::Independent;
    /// Place that is asked for the threads of the load; they share its CPUs.
    load_threads: Option<String> = None,
        column Option<String>, label "Place asked for the load's threads",
        level "load threads on {}",
        only load_kind |run| run.load_kind == LoadKind::Independent;
    /// Place that is asked for the memory of the load.
    load_memory: Option<String> = None,
        column Option<String>, label "Place asked for the load's memory", level "load memory on {}",
        only load_kind |run| run.load_kind == LoadKind::Independent,
        seen
        /// Where the load ran.
        load_node: LoadNode = LoadNode::None,
        label "Node of the load";
    /// Share of writes of the load, 0 to 1.
    load_write_fraction: Option<f64> = None,
        column Option<f64>,
        within 0.0 to 1.0, label "Share of writes of the load",
        only load_kind |run| run.load_kind == LoadKind::Independent;
    /// Where in its memory a thread of the load goes.
    load_pattern: Option<LoadPattern> = None,
        column Option<LoadPattern>, label "Address pattern of the load",
        only load_kind |run| run.load_kind == LoadKind::Independent;
    /// What is done to the server's caches before the first request.
    cache_state: CacheState = CacheState::Default,
        column CacheState, label "State of the caches", level "caches {}";
    /// Whether the server's card may write into the cache.
    ddio: Ddio = Ddio::Default,
        column Ddio, label "DDIO";
}

/// A level that means nothing.
pub(crate) struct Meaningless {
    /// The field.
    pub field: &'static str,
    /// Its level.
    pub value: String,
    /// The factor because of which.
    pub decider: &'static str,
    /// That one's level.
    pub level: String,
}

/// The factor that decides whether another one means anything.
struct Decider {
    /// Its name in the program.
    name: &'static str,
    /// Whether the other one means something in a run.
    means: fn(&RunConfiguration) -> bool,
    /// Its level in a run, as messages have it.
    level: fn(&RunConfiguration) -> String,
    /// Whether the cell of the other one says something.
    is_said: bool,
}

impl Decider {
    /// What would be right in a cell that means nothing in `run`.
    fn refusal(&self, run: &RunConfiguration) -> String {
        let (name, level) = (RunConfiguration::written(self.name), (self.level)(run));
        format!("allowed: nothing, as it has no meaning with {name} = {level}")
    }
}

/// A level as messages have it.
fn shown(level: &impl Serialize) -> String {
    match serde_json::to_value(level).expect("a level is a plain value") {
        Value::String(word) => word,
        Value::Number(number) => {
            number.as_f64().map_or_else(|| number.to_string(), |n| n.to_string())
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests;
