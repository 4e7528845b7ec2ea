//! What commands print: tables and words for people, JSON for machines.

use std::{
    io::{Write, stdout},
    ops::RangeBounds,
};

use comfy_table::{CellAlignment, Row, Table, presets::UTF8_HORIZONTAL_ONLY};
use serde::Serialize;

pub use onesided_results::vocabulary::counted;

/// A table without rows, whose columns `numbers` are aligned to the right.
pub fn table(header: impl Into<Row>, numbers: impl RangeBounds<usize>) -> Table {
    let mut table = Table::new();
    table.load_style(UTF8_HORIZONTAL_ONLY);
    table.set_header(header);
    for (index, column) in table.column_iter_mut().enumerate() {
        if numbers.contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Prints `value` as JSON.
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    writeln!(stdout(), "{}", serde_json::to_string_pretty(value)?)?;
    Ok(())
}
