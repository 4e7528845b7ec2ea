//! Every kind of table, listed once; and the columns of all as one table, for readers that no schema
//! library is at hand for.

use std::path::Path;

use schemars::{JsonSchema, Schema};

use super::{
    columns::{Column, Domain, described},
    ruled,
};
use crate::{
    RunConfiguration,
    atomic::{self, WriteError},
    row::{
        ClaimCellRow, ClaimRow, ClientRow, ConditionRow, FabricMessagesRow, FabricPagerankRow,
        FabricReadsRow, LatencyRow, ManifestRow, MemoryLatencyRow, PcieHostRow, PcieOperationRow,
        PcieTransactionRow, PcieTransferRow, PcieVerbRow, PredictionRow, PublishedClientRow,
        PublishedRunRow, RunRow, ShapeRow, TraceRow, WindowRow,
    },
    series::{LatencyBucket, LoadCount, WindowCount},
    table::{Extra, Row, TableError, TableReader},
};

/// Name of the file beside the schemas.
pub const FILE: &str = "columns.csv";

/// A kind of table.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Name of its schema's file.
    pub schema_file: &'static str,
    /// Usual name of its own file.
    pub file: &'static str,
    /// What its rows are, as in "3 rows of runs".
    pub rows: &'static str,
    /// Its schema: one property a column.
    pub schema: fn() -> Schema,
    /// Its columns in their order.
    pub columns: fn() -> Vec<Column>,
    /// Whether the file at a path has all of its columns.
    pub fits: fn(&Path) -> bool,
    /// Reads a table strictly, but for further columns, and counts its rows.
    pub count: fn(&Path) -> Result<u64, TableError>,
}

/// All but the run table, whose row is [`RunConfiguration`].
pub const TABLES: [Table; 25] = [
    Table::of::<ClaimCellRow>("claim-cells-table.json", "rows of values of claims"),
    Table::of::<ClaimRow>("claims-table.json", "rows of claims"),
    Table::of::<ClientRow>("clients-table.json", "rows of clients"),
    Table::of::<ConditionRow>("conditions-table.json", "rows of conditions"),
    Table::of::<FabricMessagesRow>("fabric-messages-table.json", "rows of messages"),
    Table::of::<FabricPagerankRow>("fabric-pagerank-table.json", "rows of PageRank"),
    Table::of::<FabricReadsRow>("fabric-reads-table.json", "rows of remote reads"),
    Table::of::<LatencyRow>("latency-table.json", "rows of latencies"),
    Table::of::<MemoryLatencyRow>("memory-latency-table.json", "rows of memory latencies"),
    Table::of::<PcieHostRow>("pcie-hosts-table.json", "rows of cards in hosts"),
    Table::of::<PcieOperationRow>(
        "pcie-operations-table.json",
        "rows of operations on PCI Express",
    ),
    Table::of::<PcieTransactionRow>(
        "pcie-transactions-table.json",
        "rows of transactions on PCI Express",
    ),
    Table::of::<PcieTransferRow>("pcie-transfers-table.json", "rows of transfers on PCI Express"),
    Table::of::<PcieVerbRow>("pcie-verbs-table.json", "rows of verbs by transport"),
    Table::of::<PredictionRow>("predictions-table.json", "rows of predictions"),
    Table::of::<PublishedClientRow>("published-clients-table.json", "rows of clients"),
    Table::of::<ManifestRow>("published-manifest.json", "files of a manifest"),
    Table::of::<PublishedRunRow>("published-runs-table.json", "rows of runs"),
    Table::of::<LatencyBucket>("run-latency.json", "buckets"),
    Table::of::<LoadCount>("run-load.json", "windows of load"),
    Table::of::<WindowCount>("run-windows.json", "windows"),
    Table::of::<RunRow>("runs-table.json", "rows of runs"),
    Table::of::<ShapeRow>("shapes-table.json", "rows of shapes"),
    Table::of::<TraceRow>("traces-table.json", "rows of traces"),
    Table::of::<WindowRow>("windows-table.json", "rows of windows"),
];

impl Table {
    const fn of<R: Row + JsonSchema>(schema_file: &'static str, rows: &'static str) -> Self {
        Self {
            schema_file,
            file: R::FILE,
            rows,
            schema: ruled::<R>,
            columns: described::<R>,
            fits: |path| TableReader::<R>::open(path, Extra::Skipped).is_ok(),
            count: |path| {
                let mut rows = TableReader::<R>::open(path, Extra::Skipped)?;
                rows.try_fold(0, |count, row| row.map(|_| count + 1))
            },
        }
    }

    /// Its name in `columns.csv`.
    pub fn name(&self) -> &'static str {
        let name = self.schema_file.trim_end_matches(".json");
        name.strip_suffix("-table").unwrap_or(name)
    }

    /// The one whose file is called so, compressed or not.
    pub fn called(file: &str) -> Option<&'static Self> {
        // A run table is called as runs are that are not compressed.
        if file == RunConfiguration::FILE {
            return None;
        }
        let other = file.strip_suffix(".gz").map_or_else(|| format!("{file}.gz"), str::to_owned);
        let of = |name: &str| TABLES.iter().find(|table| table.file == name);
        of(file).or_else(|| of(&other))
    }

    /// The one whose columns a file has; of several, as windows of runs have those of windows, the
    /// one with most of them.
    pub fn by_columns(path: &Path) -> Option<&'static Self> {
        let fitting = TABLES.iter().filter(|table| (table.fits)(path));
        fitting.max_by_key(|table| (table.columns)().len())
    }
}

/// All columns as text: table, column, role, kind of value, words or versions, unit, labels, of
/// what was seen the factor that was asked for, and rules, which stand apart by semicolons.
pub fn to_text() -> String {
    let mut text = "table,column,role,kind,words,unit,label,level,asked,rules\n".to_owned();
    TABLES.iter().for_each(|table| rows(&mut text, table));
    text
}

fn rows(text: &mut String, table: &Table) {
    for column in (table.columns)() {
        let (kind, words) = match column.domain {
            Domain::Number => ("number", Vec::new()),
            Domain::Truth => ("truth", Vec::new()),
            Domain::Text => ("text", Vec::new()),
            Domain::Words(words) => ("word", words),
        };
        let label = column.label.unwrap_or_default();
        let level = column.level.unwrap_or_default();
        let asked = column.asked.unwrap_or_default();
        let unit = column.unit.unwrap_or_default();
        let words = words.join(" ");
        let rules: Vec<_> = column.rules.iter().map(ToString::to_string).collect();
        let rules = rules.join("; ");
        let cells = [
            table.name(),
            column.name,
            column.role.word(),
            kind,
            &words,
            unit,
            &label,
            &level,
            &asked,
            &rules,
        ];
        // No cell needs quotes: names, words, and labels without a comma.
        debug_assert!(cells.iter().all(|cell| !cell.contains([',', '"', '\n'])), "{cells:?}");
        *text += &cells.join(",");
        text.push('\n');
    }
}

/// Writes the table into `directory`, which exists.
///
/// # Errors
/// When the disk refuses.
pub fn write(directory: &Path) -> Result<(), WriteError> {
    atomic::write(&directory.join(FILE), to_text().as_bytes())
}
