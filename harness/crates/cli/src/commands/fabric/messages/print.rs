//! The table for people.

use std::collections::BTreeSet;

use comfy_table::Table;
use onesided_results::{row::FabricMessagesRow, vocabulary::MessageWay};

use super::super::output::{cell, median, table};
use crate::printed;

/// Latency and bandwidth of each way by length, medians over the replicates.
pub fn tables(rows: &[FabricMessagesRow]) -> Vec<(String, Table)> {
    let lengths: BTreeSet<_> = rows.iter().filter_map(|row| row.message_bytes).collect();
    let of =
        |bytes: u32, way: Option<MessageWay>, quantity: fn(&FabricMessagesRow) -> Option<f64>| {
            let is_wanted =
                |row: &&FabricMessagesRow| (row.message_bytes, row.way) == (Some(bytes), way);
            median(rows.iter().filter(is_wanted).filter_map(quantity))
        };
    // Over TCP there is no way.
    let ways = [Some(MessageWay::Push), Some(MessageWay::Pull), Some(MessageWay::Combined), None];
    let cells = lengths.iter().map(|&bytes| {
        let [a, b, c, d] = ways.map(|way| cell(of(bytes, way, |row| row.latency_ns), 0));
        let [e, f, g, h] = ways.map(|way| cell(of(bytes, way, |row| row.bandwidth_gbit_per_s), 2));
        [bytes.to_string(), a, b, c, d, e, f, g, h]
    });
    let header = [
        "bytes",
        "push ns",
        "pull ns",
        "combined ns",
        "TCP ns",
        "push Gb/s",
        "pull Gb/s",
        "combined Gb/s",
        "TCP Gb/s",
    ];
    vec![(heading(rows), table(header, 0, cells))]
}

/// What there is in the rows, and what the paper states beside it.
fn heading(rows: &[FabricMessagesRow]) -> String {
    let of_fabric = rows.iter().find(|row| row.way.is_some());
    let threshold = rows.iter().find_map(|row| row.threshold_bytes);
    let mut parts = Vec::new();
    if let Some(row) = of_fabric {
        parts.push(format!(
            "Emulated fabric (rmc), hop delay {} ns, {}{}; 004 states 340 ns (simulated) and 1.4 us (its \
             emulation) for the shortest",
            row.fabric_hop_ns.unwrap_or(0),
            printed::counted(row.threads.unwrap_or(0), "thread"),
            threshold.map_or_else(String::new, |bytes| format!(", pulled from {bytes} bytes on")),
        ));
    }
    if rows.iter().any(|row| row.way.is_none()) {
        parts.push(
            "TCP on loopback, 2 threads; 004 states more than 40 us between two of its Calxeda"
                .to_owned(),
        );
    }
    let replicates = rows.iter().filter_map(|row| row.replicate).max().unwrap_or(0);
    format!("{}. Median of {replicates}:", parts.join(". "))
}
