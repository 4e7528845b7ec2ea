//! The columns that a query may name, what may stand in them, and which follow from which.
//!
//! Names, words and roles are those that the schemas of the tables tell
//! ([`onesided_results::schema::columns`]): a factor that is declared there is a column here.

pub(crate) mod fabric;
pub(crate) mod memory;
pub(crate) mod pcie;
pub(crate) mod shapes;
mod table;

use std::{collections::BTreeMap, sync::LazyLock};

use self::Table::{
    Clients, Conditions, FabricMessages, FabricPagerank, FabricReads, MemoryLatency,
    PcieOperations, Runs, Shapes,
};
pub use self::table::Table;
use onesided_results::{
    factors::Factors,
    row::{ConditionRow, PublishedRunRow},
    schema::columns::{self as schema, Role, described},
};

/// What may stand in a column.
#[derive(Clone, Debug)]
pub enum Domain {
    /// A number.
    Number,
    /// One of these words.
    Words(Vec<String>),
    /// Any text.
    Text,
    /// Words, separated by spaces; a filter asks for one of them.
    List,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// What may stand in it.
    pub domain: Domain,
    /// Whether rows must agree in it to be compared.
    pub matched: bool,
}

/// A column that follows from others, as one of these words.
fn derived(name: &'static str, words: &[&str], matched: bool) -> Column {
    let words = words.iter().map(|&word| word.to_owned()).collect();
    Column { name, domain: Domain::Words(words), matched }
}

/// Whether the numbers may be used: of a condition, always.
fn valid() -> Column {
    derived("valid", &["false", "true"], false)
}

/// The columns called `names`, as the schema tells them.
fn taken<'a>(
    described: &'a [schema::Column],
    names: &'a [&'static str],
    matched: bool,
) -> impl Iterator<Item = Column> + 'a {
    names.iter().map(move |&name| {
        let column = described.iter().find(|column| column.name == name);
        let column = column.unwrap_or_else(|| panic!("no table has the column {name}"));
        Column { name, domain: domain(column), matched }
    })
}

/// Columns of points: those in which they must agree, others, and whether they are valid.
fn of_points(
    described: &[schema::Column],
    matched: &[&'static str],
    others: &[&'static str],
) -> Vec<Column> {
    let (matched, others) = (taken(described, matched, true), taken(described, others, false));
    matched.chain(others).chain([valid()]).collect()
}

fn domain(column: &schema::Column) -> Domain {
    match (&column.domain, column.name) {
        (_, "doubts" | "experiments") => Domain::List,
        (schema::Domain::Number, _) => Domain::Number,
        (schema::Domain::Words(words), _) => Domain::Words(words.clone()),
        (schema::Domain::Truth, _) => Domain::Words(vec!["false".to_owned(), "true".to_owned()]),
        (schema::Domain::Text, _) => Domain::Text,
    }
}

/// Which of the two ends are on their card's node: `locality` and `client_locality` in one word.
const ENDS: [&str; 4] = ["both-local", "client-remote", "server-remote", "both-remote"];

/// Columns of every table of runs: machine, program and factors.
fn of_every_run(described: &[schema::Column]) -> Vec<Column> {
    let machine = ["back_end", "profile", "nic", "code_generation", "campaign"];
    let mut columns: Vec<_> = taken(described, &machine, true).collect();
    let factors = described.iter().filter(|column| column.role == Role::Factor);
    for factor in factors {
        columns.push(Column { name: factor.name, domain: domain(factor), matched: true });
        if factor.name == "worker_locality" {
            columns.push(derived("ends", &ENDS, true));
        }
    }
    columns.push(valid());
    columns.extend(taken(described, &["doubts"], false));
    columns
}

fn of_conditions() -> Vec<Column> {
    let described = described::<ConditionRow>();
    let mut columns = of_every_run(&described);
    // Of our own runs: a design may say what is no factor. The study's are pooled on purpose.
    columns.push(Column { name: "design", domain: Domain::Text, matched: true });
    columns.extend(taken(&described, &["regime"], true));
    columns.extend(taken(&described, &["experiments", "throughput_interval", "runs"], false));
    columns
}

fn of_runs() -> Vec<Column> {
    let described = described::<PublishedRunRow>();
    let labels = ["experiment", "operation_label", "worker_operation_label", "access_bytes_label"];
    let mut columns = of_every_run(&described);
    columns.extend(taken(&described, &labels, true));
    columns.extend(taken(&described, &["run_id", "replicate", "status", "duplicate_of"], false));
    columns
}

fn of_clients() -> Vec<Column> {
    let mut columns = of_runs();
    columns.push(Column { name: "queue_pair", domain: Domain::Number, matched: true });
    columns
}

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
pub const MEASURES: [Measure; 24] = [
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
    measure(
        pcie::LIMIT,
        &[PcieOperations],
        "operations a second that PCI Express allows: the smallest limit of its resources",
    ),
    measure(
        "write_combining_limit_ops",
        &[PcieOperations],
        "operations a second that stores of work queue elements allow",
    ),
    measure(
        "wqe_fetch_limit_ops",
        &[PcieOperations],
        "operations a second that the card's reads of work queue elements allow",
    ),
];

/// Names of the measures that `table` has.
pub fn measures(table: Table) -> impl Iterator<Item = &'static str> {
    let of_table = MEASURES.iter().filter(move |measure| measure.tables.contains(&table));
    of_table.map(|measure| measure.name)
}

static COLUMNS: LazyLock<BTreeMap<Table, Vec<Column>>> = LazyLock::new(|| {
    BTreeMap::from([
        (Conditions, of_conditions()),
        (Runs, of_runs()),
        (Clients, of_clients()),
        (MemoryLatency, memory::columns()),
        (FabricReads, fabric::of_reads()),
        (FabricMessages, fabric::of_messages()),
        (FabricPagerank, fabric::of_pagerank()),
        (Shapes, shapes::columns()),
        (PcieOperations, pcie::columns()),
    ])
});

/// Columns of `table`.
///
/// # Panics
/// Never: each table has columns.
pub fn columns(table: Table) -> &'static [Column] {
    COLUMNS.get(&table).expect("each table has columns")
}

/// Columns that can only change along with `factor`, and need not agree when it is compared.
pub fn followers(factor: &str) -> Vec<&'static str> {
    let mut followers = followers_by_design(factor).to_vec();
    // What is seen changes with what is asked, and is not changed but by asking.
    for (seen, asked) in Factors::SEEN {
        let is_free = |name| factor == name || followers.contains(&name);
        if is_free(seen) || is_free(asked) {
            followers.extend([*seen, *asked]);
        }
    }
    followers
}

fn followers_by_design(factor: &str) -> &'static [&'static str] {
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
        // A design has one loop; only an open one has a rate.
        "loop" => &["threads", "window", "design", "arrivals", "rate_ops_per_second"],
        // Only a mix has a share.
        "operation" => &["write_fraction"],
        "address_pattern" => &["zipf_exponent"],
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
        // Only Doorbells are rung for several requests.
        "post" => &["batch"],
        // Where there is no payload, it is nowhere.
        "access_bytes" => &["payload"],
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
