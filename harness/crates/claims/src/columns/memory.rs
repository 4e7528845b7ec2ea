//! Columns of memory latencies: those of `memory-latency.csv.gz`, and what follows from them.

use onesided_results::{row::MemoryLatencyRow, schema::columns::described};

use super::{Column, derived, taken, valid};

/// The column that says whether memory is of the node of the CPU that loads from it.
pub const NUMA_LOCALITY: &str = "numa_locality";

/// The column that says where a load found its line.
pub const REACHED: &str = "reached";

/// Columns of memory latencies.
pub fn columns() -> Vec<Column> {
    let described = described::<MemoryLatencyRow>();
    let place = ["profile", "cpu_node", "memory_node"];
    let asked =
        ["pages", "order", "load_threads", "load_node", "load_bytes", "load_write_fraction"];
    let mut columns: Vec<_> = taken(&described, &place, true).collect();
    // Whether `cpu_node` is `memory_node`: the study's words, relative to the CPU, not to the card.
    columns.push(derived(NUMA_LOCALITY, &["numa-local", "numa-remote"], true));
    columns.extend(taken(&described, &["part", "working_set_bytes", "level"], true));
    // `level`, of which memory is told apart by `numa_locality`: a cache is the CPU's own, wherever
    // the memory is that it holds lines of.
    let reached = ["l1", "l2", "l3", "l4", "local-memory", "remote-memory"];
    columns.push(derived(REACHED, &reached, true));
    columns.extend(taken(&described, &asked, true));
    columns.extend(taken(&described, &["page_bytes", "placement", "doubts"], false));
    columns.push(valid());
    columns
}
