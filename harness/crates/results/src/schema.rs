//! JSON Schemas of everything that is written, made from the types themselves.
//!
//! Beside what JSON Schema knows, a column may have an `x-role` (what it says of its row), an
//! `x-unit`, an `x-label` (the name of an axis), an `x-level` (one level in words) and, where it tells
//! what came of a factor, an `x-asked` (that factor), and `x-rules` (what it must be beside others).

pub mod columns;
pub mod tables;

use std::path::Path;

use schemars::{JsonSchema, Schema, schema_for};
use serde_json::Value;

pub use tables::{TABLES, Table};

use crate::{
    MachineProfile, RunConfiguration, RunRecord,
    atomic::{self, WriteError},
    bundle::BundleManifest,
    doubt::{self, Doubt},
    load_report::LoadLine,
    row::Rule,
    table::Row,
    table_host::TableHost,
};

/// Every schema with the name of its file, in the order of the names.
///
/// Tables are described by their row, with one property a column.
pub fn all() -> Vec<(&'static str, Schema)> {
    let tables = TABLES.iter().map(|table| (table.schema_file, (table.schema)()));
    let mut all: Vec<_> = tables
        .chain([
            ("bundle-manifest.json", schema_for!(BundleManifest)),
            ("load-line.json", schema_for!(LoadLine)),
            ("machine-profile.json", schema_for!(MachineProfile)),
            ("run-configuration.json", ruled::<RunConfiguration>()),
            ("run-record.json", schema_for!(RunRecord)),
            ("table-host.json", schema_for!(TableHost)),
        ])
        .collect();
    all.sort_by_key(|(name, _)| *name);
    all.iter_mut().for_each(|(_, schema)| add_units(schema));
    all
}

/// The schema of a row, with what its rules say: bounds in JSON Schema's own words, and what a column
/// must be beside others as `x-rules`.
pub(crate) fn ruled<R: Row + JsonSchema>() -> Schema {
    let mut schema = schema_for!(R);
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    let Some(properties) = properties else { return schema };
    for (column, rules) in R::rules() {
        let property = properties.get_mut(column).and_then(Value::as_object_mut);
        let property = property.expect("a rule is of a column");
        let mut others = Vec::new();
        for rule in rules {
            match rule {
                Rule::Within(least, most) => {
                    property.insert("minimum".to_owned(), bound(*least));
                    property.insert("maximum".to_owned(), bound(*most));
                }
                Rule::Positive => {
                    property.insert("exclusiveMinimum".to_owned(), 0.into());
                }
                Rule::NotNegative => {
                    property.insert("minimum".to_owned(), 0.into());
                }
                beside => others.push(Value::from(beside.to_string())),
            }
        }
        if !others.is_empty() {
            property.insert("x-rules".to_owned(), others.into());
        }
    }
    schema
}

/// Whole numbers without a decimal point.
#[expect(clippy::cast_possible_truncation, reason = "bounds are below 2^53")]
fn bound(value: f64) -> Value {
    if value.fract() == 0.0 { (value as i64).into() } else { value.into() }
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

/// Writes every schema into `directory`, which exists, and [`tables::FILE`] and [`doubt::FILE`]
/// beside them.
///
/// # Errors
/// When the disk refuses.
pub fn write_all(directory: &Path) -> Result<(), WriteError> {
    all().iter().try_for_each(|(name, schema)| {
        atomic::write(&directory.join(name), to_text(schema).as_bytes())
    })?;
    tables::write(directory)?;
    atomic::write(&directory.join(doubt::FILE), Doubt::to_text().as_bytes())
}

#[cfg(test)]
mod tests;
