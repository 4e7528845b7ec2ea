//! Columns of simulated sweeps: those of `shapes.csv.gz`.

use onesided_results::{row::ShapeRow, schema::columns::described};

use super::{Column, taken, valid};

/// Payload in 10^9 bits a second, from that in bytes.
pub const BANDWIDTH: &str = "bandwidth_gbit_per_s";

/// Columns of simulated sweeps.
pub fn columns() -> Vec<Column> {
    let described = described::<ShapeRow>();
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
    let mut columns: Vec<_> = taken(&described, &matched, true).collect();
    columns.extend(taken(&described, &["limit"], false));
    columns.push(valid());
    columns
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
