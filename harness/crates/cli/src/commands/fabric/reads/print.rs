//! The tables for people.

use std::collections::BTreeMap;

use comfy_table::Table;
use onesided_results::{
    row::FabricReadsRow,
    vocabulary::{FabricSides, Operation},
};

use super::super::output::{cell, doubts_of, median, table};

/// Everything by size, then Table 2.
pub fn tables(rows: &[FabricReadsRow]) -> Vec<(String, Table)> {
    vec![by_size(rows), table_2(rows)]
}

type Quantity = fn(&FabricReadsRow) -> Option<f64>;

/// The median over the replicates.
fn of<'a>(rows: impl Iterator<Item = &'a FabricReadsRow>, quantity: Quantity) -> Option<f64> {
    median(rows.filter_map(quantity))
}

fn by_size(rows: &[FabricReadsRow]) -> (String, Table) {
    let mut alike: BTreeMap<_, Vec<&FabricReadsRow>> = BTreeMap::new();
    for row in rows {
        alike.entry((row.sides, row.operation, row.access_bytes)).or_default().push(row);
    }
    let printed = alike.values().map(|rows| {
        let of = |quantity: Quantity| of(rows.iter().copied(), quantity);
        let first = rows[0];
        [
            first.operation.to_string(),
            first.sides.map_or_else(String::new, |sides| sides.to_string()),
            first.access_bytes.map_or_else(String::new, |bytes| bytes.to_string()),
            cell(of(|row| row.latency_ns), 0),
            cell(of(|row| row.throughput_ops).map(|ops| ops / 1e6), 2),
            cell(of(|row| row.bandwidth_gbit_per_s), 2),
            doubts_of(rows.iter().map(|row| row.doubts.as_deref())),
        ]
    });
    let header = ["operation", "sides", "bytes", "latency ns", "M/s", "Gb/s", "doubts"];
    let replicates = rows.iter().filter_map(|row| row.replicate).max().unwrap_or(0);
    let trip = cell(of(rows.iter(), |row| row.core_round_trip_ns), 0);
    let trip = match trip.as_str() {
        "" => "one CPU only".to_owned(),
        trip => format!("a cache line from core to core and back: {trip} ns"),
    };
    let heading = format!(
        "Emulated fabric (rmc), hop delay {} ns, median of {replicates}; {trip}:",
        rows.first().and_then(|row| row.fabric_hop_ns).unwrap_or(0)
    );
    (heading, table(header, 2, printed))
}

/// What 004 states in Table 2: its development platform, its simulated hardware, and ConnectX-3.
const STATED: [(&str, [&str; 3]); 4] = [
    ("max bandwidth, Gb/s", ["1.8", "77", "50"]),
    ("read round trip, us", ["1.5", "0.3", "1.19"]),
    ("fetch-and-add, us", ["1.5", "0.3", "1.15"]),
    ("operations, M/s", ["1.97", "10.9", "35 (4 cores)"]),
];

/// Of single-sided rows: the paper's are.
fn table_2(rows: &[FabricReadsRow]) -> (String, Table) {
    let single = || rows.iter().filter(|row| row.sides == Some(FabricSides::Single));
    let read = || single().filter(|row| row.operation == Operation::Read);
    let smallest = || read().filter(|row| row.access_bytes == Some(64));
    let largest = |bytes: u32| {
        of(read().filter(|row| row.access_bytes == Some(bytes)), |row| row.bandwidth_gbit_per_s)
    };
    let sizes = read().filter_map(|row| row.access_bytes);
    let added = single().filter(|row| row.operation == Operation::FetchAndAdd);
    let microseconds = |ns: Option<f64>| cell(ns.map(|ns| ns / 1e3), 3);
    let ours = [
        cell(sizes.filter_map(largest).max_by(f64::total_cmp), 1),
        microseconds(of(smallest(), |row| row.latency_ns)),
        microseconds(of(added, |row| row.latency_ns)),
        cell(of(smallest(), |row| row.throughput_ops).map(|ops| ops / 1e6), 2),
    ];
    let printed = ours.into_iter().zip(STATED).map(|(ours, (name, stated))| {
        let [development, simulated, connectx] = stated.map(str::to_owned);
        [name.to_owned(), ours, development, simulated, connectx]
    });
    let header = ["Table 2, one side", "here", "stated: its emulation", "simulated", "ConnectX-3"];
    let heading = "Beside what 004 states of other machines (the last three columns):".to_owned();
    (heading, table(header, 1, printed))
}
