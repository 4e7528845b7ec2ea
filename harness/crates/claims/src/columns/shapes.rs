//! Columns of simulated sweeps: those of `shapes.csv.gz`.

use onesided_results::{row::ShapeRow, schema::columns::described};

use super::{Column, of_points};

/// Payload in 10^9 bits a second, from that in bytes.
pub const BANDWIDTH: &str = "bandwidth_gbit_per_s";

/// Columns of simulated sweeps.
pub fn columns() -> Vec<Column> {
    let matched = [
        "back_end",
        "profile",
        "set_up",
        "study",
        "operation",
        "locality",
        "access_bytes",
        "queue_pairs",
        "threads",
        "client_hosts",
        "window",
        "max_rd_atomic",
        "mtu_bytes",
        "counters",
        "put_fraction",
    ];
    of_points(&described::<ShapeRow>(), &matched, &["limit"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::{Table, measures};

    #[test]
    fn every_measure_is_a_column_of_the_table_or_follows_from_one() {
        let of_table = onesided_results::columns::<ShapeRow>();
        for name in measures(Table::Shapes) {
            assert!(of_table.contains(&name) != (name == BANDWIDTH), "{name}");
        }
    }
}
