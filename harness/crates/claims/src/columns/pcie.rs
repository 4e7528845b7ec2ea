//! Columns of what is computed of PCI Express: those of `pcie-operations.csv`.

use onesided_results::{row::PcieOperationRow, schema::columns::described};

use super::{Column, of_points};

/// Operations per second that the scarcest of the link's resources allows.
pub const LIMIT: &str = "limit_ops";

/// Limits of single resources, the smallest of which is [`LIMIT`].
pub const LIMITS: [&str; 4] = [
    "write_combining_limit_ops",
    "wqe_fetch_limit_ops",
    "cpu_to_device_limit_ops",
    "device_to_cpu_limit_ops",
];

/// Columns of operations on PCI Express.
pub fn columns() -> Vec<Column> {
    let matched = [
        "back_end",
        "profile",
        "pcie_generation",
        "pcie_lanes",
        "read_completion_bytes",
        "max_payload_bytes",
        "max_read_request_bytes",
        "operation",
        "transport",
        "access_bytes",
        "payload",
        "post",
        "batch",
        "signal_every",
        "completion_bytes",
        "link_layer",
        "side",
    ];
    of_points(&described::<PcieOperationRow>(), &matched, &["wqe_bytes", "wqe_lines", "bottleneck"])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::{Table, measures};

    #[test]
    fn every_measure_is_a_column_of_the_table_or_follows_from_one() {
        let of_table = onesided_results::columns::<PcieOperationRow>();
        for name in measures(Table::PcieOperations) {
            assert!(of_table.contains(&name) != (name == LIMIT), "{name}");
        }
    }
}
