//! What follows from the columns of memory latencies.

use onesided_results::{
    row::MemoryLatencyRow,
    vocabulary::{LatencyPlacement, MemoryLevel, Source},
};
use serde_json::Value;

use super::points;
use crate::{
    columns::memory::{NUMA_LOCALITY, REACHED},
    frame::Record,
};

/// What a row is told to be doubtful for if its memory was elsewhere, beside the table's own words.
const MISPLACED: &str = "misplaced";

/// The record of a row, with what follows from its columns.
pub fn told(row: &MemoryLatencyRow) -> (Source, Record) {
    let (source, mut record) = points::told(row);
    let (locality, memory) = if row.cpu_node == row.memory_node {
        ("numa-local", "local-memory")
    } else {
        ("numa-remote", "remote-memory")
    };
    let reached = match row.level {
        Some(MemoryLevel::Memory) => memory.into(),
        _ => record["level"].clone(),
    };
    let is_misplaced = row.placement == Some(LatencyPlacement::Misplaced);
    let mut doubts: Vec<&str> = row.doubts.iter().flat_map(|doubts| doubts.split(' ')).collect();
    doubts.extend(is_misplaced.then_some(MISPLACED));
    let derived = [
        (NUMA_LOCALITY, locality.into()),
        (REACHED, reached),
        // Not as with runs: what is doubtful here is of another quantity than the row says.
        ("valid", doubts.is_empty().into()),
        ("doubts", Value::String(doubts.join(" "))),
    ];
    record.extend(derived.map(|(column, value)| (column.to_owned(), value)));
    (source, record)
}
