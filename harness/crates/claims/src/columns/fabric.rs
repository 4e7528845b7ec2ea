//! Columns of the experiments on a fabric.

use onesided_results::{
    vocabulary::{FabricSides, GraphKind, MessageWay, Operation, PagerankVariant},
    word::Word,
};

use super::{Column, Domain, matched, only_filtered, yes_or_no};

/// Latency by the round trip of a cache line between the same cores, in the same replicate.
pub const CORE_ROUND_TRIPS: &str = "core_round_trips";

/// Columns of remote reads.
pub const OF_READS: [Column; 9] = [
    matched("back_end", Domain::Text),
    matched("profile", Domain::Text),
    matched("fabric_hop_ns", Domain::Number),
    matched("operation", Domain::Words(Operation::words)),
    matched("access_bytes", Domain::Number),
    matched("sides", Domain::Words(FabricSides::words)),
    only_filtered("window", Domain::Number),
    only_filtered("valid", Domain::Words(yes_or_no)),
    only_filtered("doubts", Domain::List),
];

/// Columns of messages.
pub const OF_MESSAGES: [Column; 9] = [
    matched("back_end", Domain::Text),
    matched("profile", Domain::Text),
    matched("fabric_hop_ns", Domain::Number),
    matched("way", Domain::Words(MessageWay::words)),
    matched("message_bytes", Domain::Number),
    matched("threshold_bytes", Domain::Number),
    matched("threads", Domain::Number),
    only_filtered("valid", Domain::Words(yes_or_no)),
    only_filtered("doubts", Domain::List),
];

/// Columns of PageRank.
pub const OF_PAGERANK: [Column; 11] = [
    matched("back_end", Domain::Text),
    matched("profile", Domain::Text),
    matched("fabric_hop_ns", Domain::Number),
    matched("variant", Domain::Words(PagerankVariant::words)),
    matched("nodes", Domain::Number),
    matched("graph", Domain::Words(GraphKind::words)),
    matched("vertices", Domain::Number),
    matched("edges", Domain::Number),
    matched("seed", Domain::Number),
    only_filtered("valid", Domain::Words(yes_or_no)),
    only_filtered("doubts", Domain::List),
];

#[cfg(test)]
mod tests {
    use onesided_results::row::{FabricMessagesRow, FabricPagerankRow, FabricReadsRow};

    use super::*;
    use crate::columns::{Table, measures};

    #[test]
    fn every_column_and_measure_is_one_of_the_table_or_follows_from_it() {
        let reads = onesided_results::columns::<FabricReadsRow>();
        let messages = onesided_results::columns::<FabricMessagesRow>();
        let pagerank = onesided_results::columns::<FabricPagerankRow>();
        for (of_table, columns, table) in [
            (reads, &OF_READS[..], Table::FabricReads),
            (messages, &OF_MESSAGES, Table::FabricMessages),
            (pagerank, &OF_PAGERANK, Table::FabricPagerank),
        ] {
            let names = columns.iter().map(|column| column.name).chain(measures(table));
            for name in names {
                let derived = ["valid", CORE_ROUND_TRIPS].contains(&name);
                assert!(of_table.contains(&name) != derived, "{table}: {name}");
            }
        }
    }
}
