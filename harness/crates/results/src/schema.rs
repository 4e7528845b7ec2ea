//! JSON Schemas of everything that is written, made from the types themselves.
//!
//! Beside what JSON Schema knows, a column may have an `x-role` (what it says of its row), an
//! `x-unit`, an `x-label` (the name of an axis), an `x-level` (one level in words) and, where it tells
//! what came of a factor, an `x-asked` (that factor).

pub mod columns;

use std::path::Path;

use schemars::{Schema, schema_for};
use serde_json::Value;

use crate::{
    MachineProfile, RunConfiguration, RunRecord,
    atomic::{self, WriteError},
    load_report::LoadLine,
    row::{
        ClaimRow, ClientRow, ConditionRow, FabricMessagesRow, FabricPagerankRow, FabricReadsRow,
        LatencyRow, ManifestRow, MemoryLatencyRow, PcieOperationRow, PcieTransferRow,
        PredictionRow, PublishedClientRow, PublishedRunRow, RunRow, ShapeRow, TraceRow, WindowRow,
    },
    series::{LatencyBucket, LoadCount, WindowCount},
    table_host::TableHost,
};

/// Every schema with the name of its file, in the order of the names.
///
/// Tables are described by their row, with one property a column.
pub fn all() -> Vec<(&'static str, Schema)> {
    let mut all = vec![
        ("claims-table.json", schema_for!(ClaimRow)),
        ("clients-table.json", schema_for!(ClientRow)),
        ("conditions-table.json", schema_for!(ConditionRow)),
        ("fabric-messages-table.json", schema_for!(FabricMessagesRow)),
        ("fabric-pagerank-table.json", schema_for!(FabricPagerankRow)),
        ("fabric-reads-table.json", schema_for!(FabricReadsRow)),
        ("latency-table.json", schema_for!(LatencyRow)),
        ("load-line.json", schema_for!(LoadLine)),
        ("machine-profile.json", schema_for!(MachineProfile)),
        ("memory-latency-table.json", schema_for!(MemoryLatencyRow)),
        ("pcie-operations-table.json", schema_for!(PcieOperationRow)),
        ("pcie-transfers-table.json", schema_for!(PcieTransferRow)),
        ("predictions-table.json", schema_for!(PredictionRow)),
        ("published-clients-table.json", schema_for!(PublishedClientRow)),
        ("published-manifest.json", schema_for!(ManifestRow)),
        ("published-runs-table.json", schema_for!(PublishedRunRow)),
        ("run-configuration.json", schema_for!(RunConfiguration)),
        ("run-latency.json", schema_for!(LatencyBucket)),
        ("run-load.json", schema_for!(LoadCount)),
        ("run-record.json", schema_for!(RunRecord)),
        ("run-windows.json", schema_for!(WindowCount)),
        ("runs-table.json", schema_for!(RunRow)),
        ("shapes-table.json", schema_for!(ShapeRow)),
        ("table-host.json", schema_for!(TableHost)),
        ("traces-table.json", schema_for!(TraceRow)),
        ("windows-table.json", schema_for!(WindowRow)),
    ];
    all.iter_mut().for_each(|(_, schema)| add_units(schema));
    all
}

/// A number's name ends in its unit: says it apart.
fn add_units(schema: &mut Schema) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (name, property) in properties.into_iter().flatten() {
        if let (Some(unit), Some(property)) = (columns::unit(name), property.as_object_mut()) {
            property.insert("x-unit".to_owned(), unit.into());
        }
    }
}

/// The schema as it is written: indented, with a final line break.
///
/// # Panics
/// Never: a schema is JSON.
pub fn to_text(schema: &Schema) -> String {
    let mut text = serde_json::to_string_pretty(schema).expect("a schema is JSON");
    text.push('\n');
    text
}

/// Writes every schema into `directory`, which exists, and [`columns`] beside them.
///
/// # Errors
/// When the disk refuses.
pub fn write_all(directory: &Path) -> Result<(), WriteError> {
    all().iter().try_for_each(|(name, schema)| {
        atomic::write(&directory.join(name), to_text(schema).as_bytes())
    })?;
    columns::write(directory)
}

#[cfg(test)]
mod tests;
