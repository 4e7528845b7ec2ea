//! Where the rows of a command go.

use std::{
    io::{Write, stdout},
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use clap::Args;
use onesided_results::table::{Row, write_table};
use serde::Serialize;

/// What is printed of rows, and the table that has them.
#[derive(Args)]
pub struct RowsArguments {
    /// Every row as CSV on stdout, instead of tables
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Everything as JSON on stdout, instead of tables
    #[arg(long)]
    json: bool,
    /// Also write the rows to a table, compressed if its name ends in .gz. Figures look for
    /// memory-latency.csv.gz, fabric-reads.csv.gz, fabric-messages.csv.gz, fabric-pagerank.csv.gz,
    /// pcie-transfers.csv, pcie-operations.csv, pcie-transactions.csv, pcie-verbs.csv and
    /// pcie-hosts.csv
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Rows as JSON.
#[derive(Serialize)]
pub struct JsonRows<'a, R> {
    /// Version of their table.
    pub schema_version: u32,
    /// They.
    pub rows: &'a [R],
}

impl RowsArguments {
    /// The table to write.
    pub fn out(&self) -> Option<&Path> {
        self.out.as_deref()
    }

    /// Whether the table can be written: asked before minutes of measuring, not after.
    pub fn check(&self) -> anyhow::Result<()> {
        let Some(path) = &self.out else { return Ok(()) };
        let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        if let Some(directory) = directory {
            std::fs::create_dir_all(directory)
                .with_context(|| format!("--out: cannot create {}", directory.display()))?;
        }
        ensure!(!path.is_dir(), "--out {} is a directory: name a file in it", path.display());
        Ok(())
    }

    /// Writes the table, and prints the rows, `json`, or what `tables` prints.
    pub fn show<R: Row>(
        &self,
        rows: &[R],
        json: &impl Serialize,
        tables: impl FnOnce() -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        if let Some(path) = &self.out {
            write_table(path, rows)?;
        }
        if self.csv {
            let mut writer = csv::Writer::from_writer(stdout());
            rows.iter().try_for_each(|row| writer.serialize(row)).context("stdout")?;
            writer.flush()?;
        } else if self.json {
            crate::printed::json(json)?;
        } else {
            tables()?;
            if let Some(path) = &self.out {
                writeln!(stdout(), "{}", path.display())?;
            }
        }
        Ok(())
    }
}
