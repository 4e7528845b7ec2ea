//! `onesided pcie`: what verbs take on PCI Express, and how many a second it allows.

mod asked;
mod choices;
mod link;
mod outcome;
mod print;
mod rows;

use std::io::{Write, stdout};

use anyhow::Context;
use clap::Args;
use onesided_results::{
    table::{Row, write_table},
    version,
};
use serde::Serialize;

use self::{
    asked::OperationArguments,
    link::{LinkArguments, Linked},
    outcome::Outcome,
};
use crate::ending::Ending;

/// What computed the numbers, as rows have it.
const BACK_END: &str = "pcie";

/// Computes bytes, packets and limits of verbs on PCI Express; measures nothing.
///
/// The arithmetic is that of Kalia et al., USENIX ATC 2016 ("003"): headers of packets, combined
/// writes, split completions, and what each side of a verb transfers. A limit is an upper bound:
/// the card, the network and the link layer take their own. The two sides of an operation are
/// taken to have the same link, and RECVs of SENDs to be fetched one by one.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided pcie --profile atc16-cib --operation send --transport ud --bytes 60B --batch 16
  onesided pcie --generation 3.0 --lanes 8 --operation write --bytes 29B --post mmio,doorbell
  onesided pcie --profile atc16-cib --operation send --transport ud --header-only --unsignaled
  onesided pcie --profile atc16-cib --operation read --sweep 8-4096/8 --csv
  onesided pcie --profile atc16-cib --transfers --bytes 256B")]
pub struct Arguments {
    #[command(flatten)]
    link: LinkArguments,
    #[command(flatten)]
    operation: OperationArguments,
    /// Every row as CSV on stdout, instead of tables
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Everything as JSON on stdout, instead of tables
    #[arg(long)]
    json: bool,
    /// Also write the rows to a table, compressed if its name ends in .gz; figures look for
    /// pcie-operations.csv and pcie-transfers.csv
    #[arg(long, value_name = "FILE")]
    out: Option<std::path::PathBuf>,
}

/// Computes and prints.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let linked = arguments.link.linked()?;
    if arguments.operation.transfers {
        let rows = rows::transfers(&linked, &arguments.operation.sizes()?);
        let json = Json { schema_version: version::PCIE.written, rows: &rows };
        show(arguments, &rows, &json, || print::transfers(&linked, &rows))?;
    } else {
        let outcomes = outcomes(arguments, &linked)?;
        let rows: Vec<_> =
            outcomes.iter().map(|outcome| rows::operation(&linked, outcome)).collect();
        let json = outcome::Json::of(&linked, &outcomes);
        show(arguments, &rows, &json, || print::operations(&linked, &outcomes))?;
    }
    Ok(Ending::Valid)
}

fn outcomes(arguments: &Arguments, linked: &Linked) -> anyhow::Result<Vec<Outcome>> {
    let asked = arguments.operation.operations()?;
    let sides = |verb| arguments.operation.sides(verb);
    let mut outcomes = Vec::new();
    for operation in asked {
        for side in sides(operation.verb)? {
            outcomes.push(Outcome::of(linked, operation, side));
        }
    }
    Ok(outcomes)
}

#[derive(Serialize)]
struct Json<'a, R> {
    schema_version: u32,
    rows: &'a [R],
}

fn show<R: Row>(
    arguments: &Arguments,
    rows: &[R],
    json: &impl Serialize,
    tables: impl FnOnce() -> String,
) -> anyhow::Result<()> {
    if let Some(path) = &arguments.out {
        write_table(path, rows)?;
    }
    if arguments.csv {
        let mut writer = csv::Writer::from_writer(stdout());
        rows.iter().try_for_each(|row| writer.serialize(row)).context("stdout")?;
        writer.flush()?;
    } else if arguments.json {
        writeln!(stdout(), "{}", serde_json::to_string_pretty(json)?)?;
    } else {
        write!(stdout(), "{}", tables())?;
        if let Some(path) = &arguments.out {
            writeln!(stdout(), "{}", path.display())?;
        }
    }
    Ok(())
}
