//! The columns that a query may name, what may stand in them, and which follow from which.
//!
//! Names and words are those of the tables ([`onesided_results::row`]).

pub(crate) mod fabric;
pub(crate) mod memory;
pub(crate) mod shapes;
mod table;

use self::Table::{
    Clients, Conditions, FabricMessages, FabricPagerank, FabricReads, MemoryLatency, Runs, Shapes,
};
pub use self::table::Table;
use onesided_results::{
    vocabulary::{
        AddressPattern, CacheState, Campaign, CodeGeneration, Ddio, IntervalOrigin, LoadKind,
        LoadNode, LoadPattern, LoadProcess, Locality, LoopShape, Operation, RawStatus, Regime,
        SlotLayout, WorkerOperation, WorkerPattern,
    },
    word::Word,
};

/// What may stand in a column.
#[derive(Clone, Copy)]
pub enum Domain {
    /// A number.
    Number,
    /// One of these words.
    Words(fn() -> Vec<&'static str>),
    /// Any text.
    Text,
    /// Words, separated by spaces; a filter asks for one of them.
    List,
}

/// A column of a table.
#[derive(Clone, Copy)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What may stand in it.
    pub domain: Domain,
    /// Whether rows must agree in it to be compared.
    pub matched: bool,
}

const fn matched(name: &'static str, domain: Domain) -> Column {
    Column { name, domain, matched: true }
}

const fn only_filtered(name: &'static str, domain: Domain) -> Column {
    Column { name, domain, matched: false }
}

/// Which of the two ends are on their card's node: `locality` and `client_locality` in one word.
pub fn ends() -> Vec<&'static str> {
    vec!["both-local", "client-remote", "server-remote", "both-remote"]
}

fn yes_or_no() -> Vec<&'static str> {
    vec!["false", "true"]
}

/// Columns of every table of runs: machine, stratum and factors.
const COMMON: [Column; 49] = [
    matched("back_end", Domain::Text),
    matched("profile", Domain::Text),
    matched("nic", Domain::Text),
    matched("code_generation", Domain::Words(CodeGeneration::words)),
    matched("campaign", Domain::Words(Campaign::words)),
    matched("operation", Domain::Words(Operation::words)),
    matched("worker_operation", Domain::Words(WorkerOperation::words)),
    matched("locality", Domain::Words(Locality::words)),
    matched("client_locality", Domain::Words(Locality::words)),
    matched("worker_locality", Domain::Words(Locality::words)),
    matched("ends", Domain::Words(ends)),
    matched("queue_pairs", Domain::Number),
    matched("threads", Domain::Number),
    matched("access_bytes", Domain::Number),
    matched("mtu_bytes", Domain::Number),
    matched("max_rd_atomic", Domain::Number),
    matched("window", Domain::Number),
    matched("loop", Domain::Words(LoopShape::words)),
    matched("workers", Domain::Number),
    matched("worker_write_fraction", Domain::Number),
    matched("load_kind", Domain::Words(LoadKind::words)),
    matched("load_bytes", Domain::Number),
    matched("load_node", Domain::Words(LoadNode::words)),
    matched("slot_layout", Domain::Words(SlotLayout::words)),
    matched("cache_state", Domain::Words(CacheState::words)),
    matched("ddio", Domain::Words(Ddio::words)),
    matched("address_pattern", Domain::Words(AddressPattern::words)),
    matched("working_set_bytes", Domain::Number),
    matched("think_time_ns", Domain::Number),
    matched("post_list", Domain::Number),
    matched("signal_every", Domain::Number),
    matched("inline_bytes", Domain::Number),
    matched("client_memory_locality", Domain::Words(Locality::words)),
    matched("client_ring_locality", Domain::Words(Locality::words)),
    matched("server_ring_locality", Domain::Words(Locality::words)),
    matched("worker_threads", Domain::Text),
    matched("worker_pattern", Domain::Words(WorkerPattern::words)),
    matched("worker_access_bytes", Domain::Number),
    matched("worker_think_time_ns", Domain::Number),
    matched("worker_rate_per_second", Domain::Number),
    matched("load_process", Domain::Words(LoadProcess::words)),
    matched("load_thread_count", Domain::Number),
    matched("load_threads", Domain::Text),
    matched("load_memory", Domain::Text),
    matched("load_write_fraction", Domain::Number),
    matched("load_pattern", Domain::Words(LoadPattern::words)),
    matched("client_hosts", Domain::Number),
    only_filtered("valid", Domain::Words(yes_or_no)),
    only_filtered("doubts", Domain::List),
];

const OF_CONDITIONS: [Column; 5] = [
    // Of our own runs: designs differ in what is no column. The study's are pooled on purpose.
    matched("design", Domain::Text),
    matched("regime", Domain::Words(Regime::words)),
    only_filtered("experiments", Domain::List),
    only_filtered("throughput_interval", Domain::Words(IntervalOrigin::words)),
    only_filtered("runs", Domain::Number),
];

const OF_RUNS: [Column; 8] = [
    matched("experiment", Domain::Text),
    matched("operation_label", Domain::Text),
    matched("worker_operation_label", Domain::Text),
    matched("access_bytes_label", Domain::Number),
    only_filtered("run_id", Domain::Text),
    only_filtered("replicate", Domain::Number),
    only_filtered("status", Domain::Words(RawStatus::words)),
    only_filtered("duplicate_of", Domain::Text),
];

const OF_CLIENTS: [Column; 1] = [matched("queue_pair", Domain::Number)];

/// A value that a query can look at beside columns of numbers.
pub struct Measure {
    /// Its name.
    pub name: &'static str,
    /// The tables that have it.
    tables: &'static [Table],
    /// What it is.
    pub meaning: &'static str,
}

const fn measure(name: &'static str, tables: &'static [Table], meaning: &'static str) -> Measure {
    Measure { name, tables, meaning }
}

/// Every measure, and the tables that have it.
pub const MEASURES: [Measure; 21] = [
    measure(
        "throughput_ops",
        &[Conditions, Runs, FabricReads, Shapes],
        "throughput by the robust estimator; on a fabric the median of windows; simulated, itself",
    ),
    measure("throughput_published_ops", &[Conditions, Runs], "throughput by the study's estimator"),
    measure(
        "request_time_ns",
        &[Conditions, Runs],
        "time of a request if a queue pair has one in flight: queue pairs by throughput_ops, in a closed loop latency_mean_ns",
    ),
    measure(
        "objects_bytes",
        &[Conditions, Runs],
        "queue pairs by access_bytes: memory for an object each",
    ),
    measure("latency_mean_ns", &[Conditions, Runs, Clients, Shapes], "mean latency"),
    measure(
        "latency_sd_percent",
        &[Runs, Clients],
        "standard deviation of latencies, of their mean",
    ),
    measure(
        "printed_sd_percent",
        &[Runs],
        "the same as the study printed it: divided once more by √operations",
    ),
    measure("estimator_excess_percent", &[Runs], "the study's estimate above the robust one"),
    measure("operations_per_queue_pair", &[Runs, Clients], "operations issued by a queue pair"),
    measure(
        "samples_per_queue_pair",
        &[Runs, Clients],
        "printed rates, or latencies, of a queue pair",
    ),
    measure("closure", &[Runs], "operations on the recovered clock by operations issued"),
    measure("window_fraction", &[Runs], "share of a run in which all clients were active"),
    measure(
        "fast_regime_fraction",
        &[Runs],
        "share of the queue pairs' time in the faster of two speeds",
    ),
    measure(
        "latency_ns",
        &[MemoryLatency, FabricReads, FabricMessages],
        "time of one of several loads that wait for each other; of a remote operation; of a message",
    ),
    measure(
        "bandwidth_gbit_per_s",
        &[FabricReads, FabricMessages, Shapes],
        "payload, in 10^9 bits per second",
    ),
    measure(
        "core_round_trip_ns",
        &[FabricReads, FabricMessages],
        "time of a cache line to another core and back",
    ),
    measure(
        fabric::CORE_ROUND_TRIPS,
        &[FabricReads, FabricMessages],
        "latency_ns by core_round_trip_ns of the same replicate",
    ),
    measure("relative_throughput", &[Shapes], "throughput by that of the first point of the sweep"),
    measure("superstep_ns", &[FabricPagerank], "time of a superstep"),
    measure(
        "speed_up",
        &[FabricPagerank],
        "a superstep of shared memory by one thread, by one of this",
    ),
    measure(
        "to_shared_memory",
        &[FabricPagerank],
        "a superstep by one of shared memory with as many threads",
    ),
];

/// Names of the measures that `table` has.
pub fn measures(table: Table) -> impl Iterator<Item = &'static str> {
    let of_table = MEASURES.iter().filter(move |measure| measure.tables.contains(&table));
    of_table.map(|measure| measure.name)
}

/// Columns of `table`.
pub fn columns(table: Table) -> Vec<Column> {
    let own: &[&[Column]] = match table {
        Table::Conditions => &[&OF_CONDITIONS],
        Table::Runs => &[&OF_RUNS],
        Table::Clients => &[&OF_RUNS, &OF_CLIENTS],
        Table::MemoryLatency => return memory::OF_MEMORY_LATENCIES.to_vec(),
        Table::FabricReads => return fabric::OF_READS.to_vec(),
        Table::FabricMessages => return fabric::OF_MESSAGES.to_vec(),
        Table::FabricPagerank => return fabric::OF_PAGERANK.to_vec(),
        Table::Shapes => return shapes::OF_SHAPES.to_vec(),
    };
    [&COMMON[..], &own.concat()].concat()
}

/// Columns that can only change along with `factor`, and need not agree when it is compared.
pub fn followers(factor: &str) -> &'static [&'static str] {
    match factor {
        // Workers run where the memory is.
        "locality" => &["worker_locality", "worker_threads", "ends"],
        "client_locality" => &["ends"],
        "ends" => &["locality", "client_locality", "worker_locality", "worker_threads"],
        "workers" => &[
            "worker_operation",
            "worker_write_fraction",
            "worker_locality",
            "worker_threads",
            "worker_pattern",
            "worker_access_bytes",
            "worker_think_time_ns",
            "worker_rate_per_second",
        ],
        "worker_operation" => &["worker_write_fraction"],
        "queue_pairs" => &["threads"],
        // A design has one loop.
        "loop" => &["threads", "window", "design"],
        "load_kind" | "load_node" | "load_bytes" => &[
            "load_kind",
            "load_node",
            "load_bytes",
            "load_process",
            "load_thread_count",
            "load_threads",
            "load_memory",
            "load_write_fraction",
            "load_pattern",
        ],
        // Another card is another machine.
        "nic" | "profile" => &[
            "nic",
            "profile",
            "back_end",
            "design",
            "campaign",
            "regime",
            "client_locality",
            "ends",
            "fabric_hop_ns",
        ],
        "code_generation" => &["slot_layout", "client_locality", "ends", "campaign", "experiment"],
        "campaign" => &["experiment"],
        // Only one way has a threshold.
        "way" => &["threshold_bytes"],
        // A wrong label stands beside the true factor.
        "worker_operation_label" => &["worker_operation", "worker_write_fraction"],
        "access_bytes_label" => &["access_bytes"],
        // Of a node's CPUs, other memory is memory of another node.
        memory::NUMA_LOCALITY => &["memory_node", memory::REACHED],
        "memory_node" => &[memory::NUMA_LOCALITY, memory::REACHED],
        // Another level is another working set; which nodes' memory it is of, caches do not care.
        "level" | memory::REACHED => &[
            "level",
            memory::REACHED,
            memory::NUMA_LOCALITY,
            "memory_node",
            "part",
            "working_set_bytes",
        ],
        _ => &[],
    }
}
