//! Memory latencies, replicates pooled.

use std::collections::BTreeMap;

use onesided_estimate::conditions::pooled;
use onesided_results::{
    row::MemoryLatencyRow,
    vocabulary::{LatencyPlacement, MemoryLevel, Source},
};
use serde_json::Value;

use crate::{
    columns::{
        Table, columns,
        memory::{NUMA_LOCALITY, REACHED},
    },
    frame::{Frame, Measures, Record, Words, record, text_of},
    value::{Estimate, Origin, number},
};

/// What a row is told to be doubtful for if its memory was elsewhere, beside the table's own words.
const MISPLACED: &str = "misplaced";

/// The frame of `rows`: one row for all replicates that agree in everything that queries can name.
pub fn latencies(rows: &[MemoryLatencyRow], words: &mut Words) -> Frame {
    let mut alike: BTreeMap<String, (Source, Record, Vec<f64>)> = BTreeMap::new();
    for row in rows {
        let (record, source) = (told(row), row.source);
        let names = columns(Table::MemoryLatency).iter().map(|column| column.name);
        let key = text_of(&record, ["source"].into_iter().chain(names));
        let (.., latencies) = alike.entry(key).or_insert_with(|| (source, record, Vec::new()));
        latencies.extend(row.latency_ns);
    }
    let mut frame = Frame::new(Table::MemoryLatency, None);
    for (source, record, latencies) in alike.into_values() {
        let replicates = u32::try_from(latencies.len()).unwrap_or(u32::MAX);
        let cell = |name| words.cell(&record, name);
        frame.push(source, replicates, cell, measures(&latencies), None);
    }
    frame
}

/// The record of a row, with what follows from its columns.
fn told(row: &MemoryLatencyRow) -> Record {
    let mut record = record(row);
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
    record
}

/// The mean of replicates, with the interval that they have if there are two or more. Quartiles of
/// one replicate's repetitions are none: they share its memory and its order of lines.
fn measures(latencies: &[f64]) -> Measures {
    let estimate = pooled(latencies).map(|pooled| Estimate {
        point: pooled.mean,
        interval: pooled.interval,
        origin: if pooled.interval.is_some() { Origin::Replicates } else { Origin::None },
        freedom: number(latencies.len()) - 1.0,
    });
    vec![("latency_ns", estimate)]
}
