//! The tables for people.

use std::collections::BTreeMap;

use comfy_table::Table;
use onesided_results::{
    row::FabricReadsRow,
    vocabulary::{FabricSides, Operation, ReadWay},
};

use super::super::output::{cell, doubts_of, median, table};
use crate::printed;

/// Everything by size, then Table 2, which is of reads by packets.
pub fn tables(rows: &[FabricReadsRow]) -> Vec<(String, Table)> {
    let is_by_packets = |row: &&FabricReadsRow| row.read_way != Some(ReadWay::EmulatedDirect);
    let by_packets: Vec<_> = rows.iter().filter(is_by_packets).cloned().collect();
    let table_2 = (!by_packets.is_empty()).then(|| table_2(&by_packets));
    [by_size(rows)].into_iter().chain(table_2).collect()
}

type Quantity = fn(&FabricReadsRow) -> Option<f64>;

/// The median over the replicates.
fn of<'a>(rows: impl Iterator<Item = &'a FabricReadsRow>, quantity: Quantity) -> Option<f64> {
    median(rows.filter_map(quantity))
}

fn number(number: Option<u32>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

fn by_size(rows: &[FabricReadsRow]) -> (String, Table) {
    let mut alike: BTreeMap<_, Vec<&FabricReadsRow>> = BTreeMap::new();
    for row in rows {
        let key = (
            row.read_way,
            row.buffer_bytes,
            row.threads_per_node,
            row.sides,
            row.operation,
            row.access_bytes,
            row.window,
        );
        alike.entry(key).or_default().push(row);
    }
    let printed = alike.values().map(|rows| {
        let of = |quantity: Quantity| of(rows.iter().copied(), quantity);
        let first = rows[0];
        [
            first.operation.to_string(),
            first.read_way.map_or_else(String::new, |way| way.to_string()),
            first.sides.map_or_else(String::new, |sides| sides.to_string()),
            number(first.threads_per_node),
            first.buffer_bytes.map_or_else(String::new, |bytes| (bytes / 1024).to_string()),
            number(first.access_bytes),
            number(first.window),
            cell(of(|row| row.latency_ns), 0),
            cell(of(|row| row.throughput_ops).map(|ops| ops / 1e6), 2),
            cell(of(|row| row.bandwidth_gbit_per_s), 2),
            doubts_of(rows.iter().map(|row| row.doubts.as_deref())),
        ]
    });
    let header = [
        "operation",
        "way",
        "sides",
        "threads a node",
        "memories KiB",
        "bytes",
        "under way",
        "latency ns",
        "M/s",
        "Gb/s",
        "doubts",
    ];
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
    (heading, table(header, 3, printed))
}

/// What 004 states in Table 2: its development platform, its simulated hardware, and ConnectX-3.
const STATED: [(&str, [&str; 3]); 4] = [
    ("max bandwidth, Gb/s", ["1.8", "77", "50"]),
    ("read round trip, us", ["1.5", "0.3", "1.19"]),
    ("fetch-and-add, us", ["1.5", "0.3", "1.15"]),
    ("operations, M/s", ["1.97", "10.9", "35 (4 cores)"]),
];

/// Of single-sided rows, as the paper's are, with as many threads a node as there were at the most; a column for
/// each size of memories. Rows that anything disturbed do not count: a headline is of quiet ones.
fn table_2(rows: &[FabricReadsRow]) -> (String, Table) {
    let threads = rows.iter().filter_map(|row| row.threads_per_node).max();
    let is_meant = |row: &&FabricReadsRow| {
        row.sides == Some(FabricSides::Single) && row.threads_per_node == threads
    };
    let mut sizes: Vec<_> = rows.iter().filter_map(|row| row.buffer_bytes).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let ours: Vec<_> = sizes
        .iter()
        .map(|&bytes| {
            let of_size =
                |row: &&FabricReadsRow| row.buffer_bytes == Some(bytes) && row.doubts.is_none();
            here(&rows.iter().filter(is_meant).filter(of_size).collect::<Vec<_>>())
        })
        .collect();
    let header = ["Table 2, one side".to_owned()]
        .into_iter()
        .chain(sizes.iter().map(|bytes| format!("here, {} KiB memories", bytes / 1024)))
        .chain(["stated: its emulation", "simulated", "ConnectX-3"].map(str::to_owned));
    let mut table = printed::table(header.collect::<Vec<_>>(), 1..);
    for (number, (name, stated)) in STATED.into_iter().enumerate() {
        let ours = ours.iter().map(|ours| ours[number].clone());
        let cells = [name.to_owned()].into_iter().chain(ours).chain(stated.map(str::to_owned));
        table.add_row(cells.collect::<Vec<_>>());
    }
    let heading = "Beside what 004 states of other machines (the last three columns); its reads are of memory \
                   beyond caches, as ours are with --buffer-bytes memory";
    let heading = match rows.iter().filter(is_meant).filter(|row| row.doubts.is_some()).count() {
        0 => format!("{heading}:"),
        doubted => {
            format!("{heading}; {} with a doubt left out:", printed::counted(doubted as u64, "row"))
        }
    };
    (heading, table)
}

/// Bandwidth, a read, a fetch-and-add, operations: as [`STATED`] has them. What is the most is that over the numbers
/// of operations under way.
fn here(rows: &[&FabricReadsRow]) -> [String; 4] {
    let read = || rows.iter().copied().filter(|row| row.operation == Operation::Read);
    let smallest = || read().filter(|row| row.access_bytes == Some(64));
    let added = rows.iter().copied().filter(|row| row.operation == Operation::FetchAndAdd);
    let microseconds = |ns: Option<f64>| cell(ns.map(|ns| ns / 1e3), 3);
    [
        cell(most(read(), |row| row.bandwidth_gbit_per_s), 1),
        microseconds(of(smallest(), |row| row.latency_ns)),
        microseconds(of(added, |row| row.latency_ns)),
        cell(most(smallest(), |row| row.throughput_ops).map(|ops| ops / 1e6), 2),
    ]
}

/// The largest of the medians over the replicates, by size and operations under way.
fn most<'a>(rows: impl Iterator<Item = &'a FabricReadsRow>, quantity: Quantity) -> Option<f64> {
    let mut alike: BTreeMap<_, Vec<&FabricReadsRow>> = BTreeMap::new();
    for row in rows {
        alike.entry((row.access_bytes, row.window)).or_default().push(row);
    }
    let medians = alike.into_values().filter_map(|rows| of(rows.into_iter(), quantity));
    medians.max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use onesided_results::{table::Row as _, version};

    use super::*;

    fn row(access_bytes: u32, window: u32, gigabits: f64) -> FabricReadsRow {
        let columns = FabricReadsRow::columns();
        let cell = |column: &&str| match *column {
            "schema_version" => version::FABRIC.written.to_string(),
            "source" => "emulated".to_owned(),
            "back_end" => "rmc".to_owned(),
            "profile" => "box".to_owned(),
            "operation" => "read".to_owned(),
            "sides" => "single".to_owned(),
            "access_bytes" => access_bytes.to_string(),
            "window" => window.to_string(),
            "bandwidth_gbit_per_s" => gigabits.to_string(),
            "throughput_ops" => (gigabits * 1e9 / 8.0 / f64::from(access_bytes)).to_string(),
            _ => String::new(),
        };
        let cells: Vec<_> = columns.iter().map(cell).collect();
        let text = format!("{}\n{}\n", columns.join(","), cells.join(","));
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        reader.deserialize().next().expect("a row").expect("of the table")
    }

    #[test]
    fn table_2_is_of_rows_without_a_doubt_and_says_how_many_have_one() {
        let quiet = FabricReadsRow { buffer_bytes: Some(1 << 18), ..row(64, 8, 5.12) };
        let disturbed =
            FabricReadsRow { doubts: Some("preempted".to_owned()), ..row(64, 64, 51.2) };
        let disturbed = FabricReadsRow { buffer_bytes: Some(1 << 18), ..disturbed };
        let (heading, alone) = table_2(std::slice::from_ref(&quiet));
        assert!(heading.ends_with("--buffer-bytes memory:"), "{heading}");
        let (heading, both) = table_2(&[quiet, disturbed.clone()]);
        assert!(heading.ends_with("; 1 row with a doubt left out:"), "{heading}");
        assert_eq!(both.to_string(), alone.to_string());
        assert!(!table_2(&[disturbed]).1.to_string().contains("51.2"), "of no quiet row");
    }

    #[test]
    fn the_most_of_table_2_is_that_over_all_depths_and_not_of_the_deepest() {
        let rows = [
            row(64, 8, 5.12),
            row(64, 128, 1.024),
            row(8192, 8, 40.0),
            row(8192, 8, 50.0),
            row(8192, 8, 60.0),
            row(8192, 16, 45.0),
        ];
        let [bandwidth, _, _, operations] = here(&rows.iter().collect::<Vec<_>>());
        assert_eq!((bandwidth.as_str(), operations.as_str()), ("50.0", "10.00"));
    }
}
