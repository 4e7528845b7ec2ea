//! The table for people.

use std::collections::BTreeSet;

use comfy_table::Table;
use onesided_results::{row::FabricMessagesRow, vocabulary::MessageWay};

use super::super::output::{cell, median, table};

/// Latency and bandwidth of each way by length, medians over the replicates.
pub fn tables(rows: &[FabricMessagesRow]) -> Vec<(String, Table)> {
    let lengths: BTreeSet<_> = rows.iter().filter_map(|row| row.message_bytes).collect();
    let of = |bytes: u32, way: MessageWay, quantity: fn(&FabricMessagesRow) -> Option<f64>| {
        let is_wanted =
            |row: &&FabricMessagesRow| (row.message_bytes, row.way) == (Some(bytes), Some(way));
        median(rows.iter().filter(is_wanted).filter_map(quantity))
    };
    let ways = [MessageWay::Push, MessageWay::Pull, MessageWay::Combined];
    let printed = lengths.iter().map(|&bytes| {
        let [a, b, c] = ways.map(|way| cell(of(bytes, way, |row| row.latency_ns), 0));
        let [d, e, f] = ways.map(|way| cell(of(bytes, way, |row| row.bandwidth_gbit_per_s), 2));
        [bytes.to_string(), a, b, c, d, e, f]
    });
    let header =
        ["bytes", "push ns", "pull ns", "combined ns", "push Gb/s", "pull Gb/s", "combined Gb/s"];
    let threshold = rows.iter().find_map(|row| row.threshold_bytes).unwrap_or(0);
    let first = rows.first();
    let heading = format!(
        "Emulated fabric (rmc), hop delay {} ns, {} thread(s), pulled from {threshold} bytes on, \
         median of {}; 004 states 340 ns (simulated) and 1.4 us (its emulation) for the shortest:",
        first.and_then(|row| row.fabric_hop_ns).unwrap_or(0),
        first.and_then(|row| row.threads).unwrap_or(0),
        rows.iter().filter_map(|row| row.replicate).max().unwrap_or(0),
    );
    vec![(heading, table(header, 0, printed))]
}
