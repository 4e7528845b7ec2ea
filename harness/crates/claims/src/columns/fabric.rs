//! Columns of the experiments on a fabric.

use onesided_results::{
    row::{FabricMessagesRow, FabricPagerankRow, FabricReadsRow},
    schema::columns::described,
};

use super::{Column, of_points};

/// Latency by the round trip of a cache line between the same cores, in the same replicate.
pub const CORE_ROUND_TRIPS: &str = "core_round_trips";

/// Columns of remote reads.
pub fn of_reads() -> Vec<Column> {
    let matched = [
        "back_end",
        "profile",
        "read_way",
        "fabric_hop_ns",
        "hop_by_distance",
        "operation",
        "access_bytes",
        "sides",
        "buffer_bytes",
        "window",
        "threads_per_node",
    ];
    of_points(&described::<FabricReadsRow>(), &matched, &["doubts"])
}

/// Columns of messages.
pub fn of_messages() -> Vec<Column> {
    let matched = [
        "back_end",
        "profile",
        "fabric_hop_ns",
        "hop_by_distance",
        "way",
        "message_bytes",
        "threshold_bytes",
        "threads",
    ];
    of_points(&described::<FabricMessagesRow>(), &matched, &["doubts"])
}

/// Columns of PageRank.
pub fn of_pagerank() -> Vec<Column> {
    let matched = [
        "back_end",
        "profile",
        "fabric_hop_ns",
        "hop_by_distance",
        "variant",
        "window",
        "nodes",
        "graph",
        "vertices",
        "edges",
        "seed",
    ];
    of_points(&described::<FabricPagerankRow>(), &matched, &["doubts"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::{Table, measures};

    #[test]
    fn every_measure_is_a_column_of_the_table_or_follows_from_one() {
        let reads = onesided_results::columns::<FabricReadsRow>();
        let messages = onesided_results::columns::<FabricMessagesRow>();
        let pagerank = onesided_results::columns::<FabricPagerankRow>();
        for (of_table, table) in [
            (reads, Table::FabricReads),
            (messages, Table::FabricMessages),
            (pagerank, Table::FabricPagerank),
        ] {
            for name in measures(table) {
                assert!(of_table.contains(&name) != (name == CORE_ROUND_TRIPS), "{table}: {name}");
            }
        }
    }
}
