//! `onesided claims`: what the data says to every sentence of the study.

use std::{
    collections::BTreeMap,
    io::{Write, stdout},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use clap::Args;
use comfy_table::Table;
use onesided_claims::{
    Claims, Evaluation, Tables, cells, columns, evaluate, evaluate_with_cells, told_value,
};
use onesided_results::{
    row::{ClaimCellRow, ClaimRow},
    table::{Row, write_table},
    vocabulary::{ClaimKind, Source, Verdict},
    word::Word as _,
};

use crate::{ending::Ending, printed::table, stored::check_folder};

/// Holds every claim of the papers against tables of runs, and writes a verdict for each.
///
/// The file of claims says for each sentence what to ask of the tables and what to expect; its head
/// describes the language. Each table names the source of its numbers, and each source gets verdicts
/// of its own. Prints how many claims have each verdict.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided claims
  onesided claims --table data/published --table results/tables --out results/claims.csv
  onesided claims --explain fig4-read-5-7    every value behind one claim's verdict
  onesided claims --cells results/claim-cells.csv.gz    the same of all claims, with the runs behind each")]
pub struct Arguments {
    /// The claims
    #[arg(long, value_name = "FILE", default_value = "paper/claims.toml")]
    claims: PathBuf,
    /// Directory with tables of runs, as `import` and `collect` write them, of memory latencies, as
    /// `memory-latency` does, or of limits, as `pcie` does; can be repeated
    #[arg(long = "table", value_name = "DIRECTORY", default_value = "data/published")]
    tables: Vec<PathBuf>,
    /// The table to write
    #[arg(long, value_name = "FILE", default_value = "results/claims.csv")]
    out: PathBuf,
    /// Also write every value behind the verdicts, with its runs, to this table
    #[arg(long, value_name = "FILE", conflicts_with = "explain")]
    cells: Option<PathBuf>,
    /// Print the values behind one claim instead of writing the table
    #[arg(long, value_name = "ID", conflicts_with = "out")]
    explain: Option<String>,
}

/// Computes verdicts; whatever they are, that is no failure.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    if arguments.cells.as_ref() == Some(&arguments.out) {
        bail!("--out and --cells name the same file: give each its own");
    }
    let claims = Claims::read(&arguments.claims)?;
    let claims = match &arguments.explain {
        Some(id) => claims.only(id)?,
        None => claims,
    };
    let tables = Tables::read(&arguments.tables, claims.ask(columns::Table::Clients))?;
    arguments.tables.iter().try_for_each(|folder| check_folder(folder))?;
    if arguments.explain.is_some() {
        writeln!(stdout(), "{}", told(&cells(&claims, &tables)?))?;
        return Ok(Ending::Valid);
    }
    let evaluation = match &arguments.cells {
        Some(_) => evaluate_with_cells(&claims, &tables)?,
        None => Evaluation { verdicts: evaluate(&claims, &tables)?, cells: Vec::new() },
    };
    write(&arguments.out, &evaluation.verdicts)?;
    if let Some(path) = &arguments.cells {
        write(path, &evaluation.cells)?;
    }
    writeln!(stdout(), "{}", summary(&evaluation.verdicts))?;
    writeln!(stdout(), "{}", arguments.out.display())?;
    Ok(Ending::Valid)
}

/// Writes a table, with the directories above it.
fn write<R: Row>(path: &Path, rows: &[R]) -> anyhow::Result<()> {
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
    }
    Ok(write_table(path, rows)?)
}

/// How many rows of each text and source have which verdict.
fn summary(rows: &[ClaimRow]) -> Table {
    let mut counts: BTreeMap<(Source, ClaimKind, &str), BTreeMap<Verdict, usize>> = BTreeMap::new();
    for row in rows {
        let of = counts.entry((row.source, row.kind, &row.paper)).or_default();
        *of.entry(row.verdict).or_default() += 1;
    }
    let header = ["source", "kind", "text"].into_iter().chain(Verdict::words());
    let mut table = table(header, 3..);
    for ((source, kind, paper), counts) in counts {
        let verdicts = Verdict::ALL.iter().map(|verdict| counts.get(verdict).unwrap_or(&0));
        let names = [source.to_string(), kind.to_string(), paper.to_owned()].into_iter();
        table.add_row(names.chain(verdicts.map(usize::to_string)));
    }
    table
}

fn told(cells: &[ClaimCellRow]) -> Table {
    let header = ["source", "part", "at", "value", "expected", "answer", "interval from"];
    let mut table = table(header, ..0);
    for cell in cells {
        let at = cell.at.as_deref().unwrap_or_default();
        table.add_row([
            cell.source.to_string(),
            cell.part.to_string(),
            format!("{}: {at}", cell.profile.as_deref().unwrap_or_default()),
            told_value(cell.value, cell.low.zip(cell.high)),
            cell.expected.clone(),
            cell.answer.to_string(),
            cell.interval_from.clone(),
        ]);
    }
    table
}
