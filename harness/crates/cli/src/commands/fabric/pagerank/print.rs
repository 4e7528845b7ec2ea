//! The table for people.

use std::collections::BTreeMap;

use comfy_table::Table;
use onesided_results::row::FabricPagerankRow;

use super::super::output::{cell, doubts_of, median, table};

/// Each variant by nodes, medians over the replicates.
pub fn tables(rows: &[FabricPagerankRow]) -> Vec<(String, Table)> {
    let mut alike: BTreeMap<_, Vec<&FabricPagerankRow>> = BTreeMap::new();
    for row in rows {
        alike.entry((row.nodes, row.variant, row.window)).or_default().push(row);
    }
    let printed = alike.values().map(|rows| {
        let of = |quantity: fn(&FabricPagerankRow) -> Option<f64>| {
            median(rows.iter().filter_map(|row| quantity(row)))
        };
        let first = rows[0];
        [
            first.nodes.to_string(),
            first.variant.to_string(),
            first.window.map_or_else(String::new, |window| window.to_string()),
            cell(of(|row| row.superstep_ns).map(|ns| ns / 1e3), 1),
            cell(of(|row| row.speed_up), 2),
            cell(of(|row| row.to_shared_memory), 2),
            first.remote_reads.map_or_else(String::new, |reads| reads.to_string()),
            first.total_variation.map_or_else(String::new, |apart| format!("{apart:.0e}")),
            doubts_of(rows.iter().map(|row| row.doubts.as_deref())),
        ]
    });
    let header = [
        "nodes",
        "variant",
        "under way",
        "superstep us",
        "speed-up",
        "to shared memory",
        "remote reads",
        "from reference",
        "doubts",
    ];
    let first = rows.first();
    let heading = format!(
        "PageRank, {} vertices, {} edges, {} supersteps, emulated fabric (rmc), hop delay {} ns, \
         median of {}; speed-up over shared memory by one thread:",
        first.and_then(|row| row.vertices).unwrap_or(0),
        first.and_then(|row| row.edges).unwrap_or(0),
        first.and_then(|row| row.supersteps).unwrap_or(0),
        first.and_then(|row| row.fabric_hop_ns).unwrap_or(0),
        rows.iter().filter_map(|row| row.replicate).max().unwrap_or(0),
    );
    vec![(heading, table(header, 2, printed))]
}
