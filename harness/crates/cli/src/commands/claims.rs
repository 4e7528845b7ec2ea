//! `onesided claims`: what the data says to every sentence of the study.

use std::{
    collections::BTreeMap,
    io::{Write, stdout},
    path::PathBuf,
};

use anyhow::Context;
use clap::Args;
use comfy_table::Table;
use onesided_claims::{Claims, Explained, Tables, columns, evaluate, explain};
use onesided_results::{
    row::ClaimRow,
    table::write_table,
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
  onesided claims --explain fig4-read-5-7    every value behind one claim's verdict")]
pub struct Arguments {
    /// The claims
    #[arg(long, value_name = "FILE", default_value = "paper/claims.toml")]
    claims: PathBuf,
    /// Directory with tables of runs, as `import` and `collect` write them, or of memory latencies,
    /// as `memory-latency` does; can be repeated
    #[arg(long = "table", value_name = "DIRECTORY", default_value = "data/published")]
    tables: Vec<PathBuf>,
    /// The table to write
    #[arg(long, value_name = "FILE", default_value = "results/claims.csv")]
    out: PathBuf,
    /// Print the values behind one claim instead of writing the table
    #[arg(long, value_name = "ID", conflicts_with = "out")]
    explain: Option<String>,
}

/// Computes verdicts; whatever they are, that is no failure.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let claims = Claims::read(&arguments.claims)?;
    let claims = match &arguments.explain {
        Some(id) => claims.only(id)?,
        None => claims,
    };
    let tables = Tables::read(&arguments.tables, claims.ask(columns::Table::Clients))?;
    arguments.tables.iter().try_for_each(|folder| check_folder(folder))?;
    if arguments.explain.is_some() {
        writeln!(stdout(), "{}", told(&explain(&claims, &tables)?))?;
        return Ok(Ending::Valid);
    }
    let rows = evaluate(&claims, &tables)?;
    if let Some(directory) = arguments.out.parent() {
        std::fs::create_dir_all(directory)
            .with_context(|| format!("cannot create {}", directory.display()))?;
    }
    write_table(&arguments.out, &rows)?;
    writeln!(stdout(), "{}", summary(&rows))?;
    writeln!(stdout(), "{}", arguments.out.display())?;
    Ok(Ending::Valid)
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

fn told(explained: &[Explained]) -> Table {
    let header = ["source", "part", "at", "value", "expected", "answer", "interval from"];
    let mut table = table(header, ..0);
    for line in explained {
        table.add_row([
            line.source.to_string(),
            line.part.to_string(),
            line.at.clone(),
            line.value.clone(),
            line.expected.clone(),
            line.answer.told().to_owned(),
            line.interval_from.to_owned(),
        ]);
    }
    table
}
