//! Columns of simulated sweeps: those of `shapes.csv.gz`.

use onesided_results::{
    vocabulary::{Locality, Operation},
    word::Word,
};

use super::{Column, Domain, matched, only_filtered, yes_or_no};

/// Payload in 10^9 bits a second, from that in bytes.
pub const BANDWIDTH: &str = "bandwidth_gbit_per_s";

/// Columns of simulated sweeps.
pub const OF_SHAPES: [Column; 17] = [
    matched("back_end", Domain::Text),
    matched("profile", Domain::Text),
    matched("set_up", Domain::Text),
    matched("study", Domain::Text),
    matched("operation", Domain::Words(Operation::words)),
    matched("locality", Domain::Words(Locality::words)),
    matched("access_bytes", Domain::Number),
    matched("queue_pairs", Domain::Number),
    matched("threads", Domain::Number),
    matched("client_hosts", Domain::Number),
    matched("window", Domain::Number),
    matched("max_rd_atomic", Domain::Number),
    matched("mtu_bytes", Domain::Number),
    matched("counters", Domain::Number),
    matched("put_fraction", Domain::Number),
    only_filtered("limit", Domain::Text),
    only_filtered("valid", Domain::Words(yes_or_no)),
];

#[cfg(test)]
mod tests {
    use onesided_results::row::ShapeRow;

    use super::*;
    use crate::columns::{Table, measures};

    #[test]
    fn every_column_and_measure_is_one_of_the_table_or_follows_from_it() {
        let of_table = onesided_results::columns::<ShapeRow>();
        let names = OF_SHAPES.iter().map(|column| column.name).chain(measures(Table::Shapes));
        for name in names {
            let derived = ["valid", BANDWIDTH].contains(&name);
            assert!(of_table.contains(&name) != derived, "{name}");
        }
    }
}
