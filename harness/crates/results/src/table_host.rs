//! The machine beside a table that no run's record is behind.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    atomic::{self, WriteError},
    record::HostManifest,
    version,
};

/// What a table was made by, and on: `fabric-reads.host.json` beside `fabric-reads.csv.gz`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TableHost {
    /// Version of this file's layout.
    #[schemars(extend("enum" = version::TABLE_HOST.all()))]
    pub schema_version: u32,
    /// The command as it was given, the program first.
    pub command: Vec<String>,
    /// The machine.
    pub host: HostManifest,
}

impl TableHost {
    /// Of this version.
    pub fn new(command: Vec<String>, host: HostManifest) -> Self {
        Self { schema_version: version::TABLE_HOST.written, command, host }
    }

    /// Its file's name, beside a table.
    pub fn beside(table: &Path) -> PathBuf {
        let name = table.file_name().unwrap_or_default().to_string_lossy();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        let name = name.strip_suffix(".csv").unwrap_or(name);
        table.with_file_name(format!("{name}.host.json"))
    }

    /// Writes it beside a table.
    ///
    /// # Errors
    /// When the disk refuses.
    ///
    /// # Panics
    /// Never: it is JSON.
    pub fn write(&self, table: &Path) -> Result<(), WriteError> {
        let mut text = serde_json::to_string_pretty(self).expect("a host is JSON");
        text.push('\n');
        atomic::write(&Self::beside(table), text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_that_of_the_table_without_its_ending() {
        for (table, host) in [
            ("a/fabric-reads.csv.gz", "a/fabric-reads.host.json"),
            ("fabric-reads.csv", "fabric-reads.host.json"),
            ("reads", "reads.host.json"),
        ] {
            assert_eq!(TableHost::beside(Path::new(table)), Path::new(host));
        }
    }
}
