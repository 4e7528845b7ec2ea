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
use onesided_results::{table::Row, version};
use serde::Serialize;

use self::{
    asked::OperationArguments,
    link::{LinkArguments, Linked},
    outcome::Outcome,
};
use crate::{
    arguments::{JsonRows, RowsArguments},
    ending::Ending,
};

/// What computed the numbers, as rows have it.
const BACK_END: &str = "pcie";

/// Computes bytes, packets and limits of verbs on PCI Express; measures nothing.
///
/// The arithmetic is that of Kalia et al., USENIX ATC 2016 ("003"): headers of packets, combined
/// writes, split completions, and what each side of a verb transfers. A limit is an upper bound:
/// the card, the network and the link layer take their own. The two sides of an operation are
/// taken to have the same link, and RECVs of SENDs to be fetched one by one. Datagrams over Ethernet
/// (RoCE) come with a header of 40 bytes, over InfiniBand with none.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided pcie --profile atc16-cib --operation send --transport ud --bytes 60B --batch 16
  onesided pcie --generation 3.0 --lanes 8 --operation write --bytes 29B --post mmio,doorbell
  onesided pcie --profile atc16-cib --operation send --transport ud --header-only --unsignaled
  onesided pcie --profile atc16-cib --operation read --sweep 8-4096/8 --csv
  onesided pcie --profile atc16-cib --transfers --bytes 256B
  onesided pcie --profile atc16-cib --operation send --transport ud --header-only --transactions
  onesided pcie --verbs
  onesided pcie --profile atc16-cib --hosts")]
pub struct Arguments {
    #[command(flatten)]
    link: LinkArguments,
    #[command(flatten)]
    operation: OperationArguments,
    #[command(flatten)]
    rows: RowsArguments,
}

/// Computes and prints.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let asked = &arguments.operation;
    if asked.verbs {
        let rows = rows::verbs();
        return show(arguments, &rows, || print::verbs(&rows));
    }
    if asked.hosts {
        let (name, machine) = arguments.link.machine()?;
        let rows = rows::hosts(name, &machine).with_context(|| format!("--profile {name}"))?;
        return show(arguments, &rows, || print::hosts(&rows));
    }
    let linked = arguments.link.linked()?;
    if asked.transfers {
        let rows = rows::transfers(&linked, &asked.sizes()?);
        return show(arguments, &rows, || print::transfers(&linked, &rows));
    }
    if asked.transactions {
        let with_rows = |operation| (operation, rows::transactions(&linked, &operation));
        let all: Vec<_> = asked.operations(&linked)?.into_iter().map(with_rows).collect();
        let rows: Vec<_> = all.iter().flat_map(|(_, rows)| rows.iter().cloned()).collect();
        return show(arguments, &rows, || print::transactions(&linked, &all));
    }
    let outcomes = outcomes(arguments, &linked)?;
    let rows: Vec<_> = outcomes.iter().map(|outcome| rows::operation(&linked, outcome)).collect();
    let json = outcome::Json::of(&linked, &outcomes);
    let tables = || Ok(write!(stdout(), "{}", print::operations(&linked, &outcomes))?);
    arguments.rows.show(&rows, &json, tables)?;
    Ok(Ending::Valid)
}

/// Shows rows of which there is nothing more to say as JSON.
fn show<R: Row + Serialize>(
    arguments: &Arguments,
    rows: &[R],
    text: impl FnOnce() -> String,
) -> anyhow::Result<Ending> {
    let json = JsonRows { schema_version: version::PCIE.written, rows };
    arguments.rows.show(rows, &json, || Ok(write!(stdout(), "{}", text())?))?;
    Ok(Ending::Valid)
}

fn outcomes(arguments: &Arguments, linked: &Linked) -> anyhow::Result<Vec<Outcome>> {
    let asked = arguments.operation.operations(linked)?;
    let sides = |verb| arguments.operation.sides(verb);
    let mut outcomes = Vec::new();
    for operation in asked {
        for side in sides(operation.verb)? {
            outcomes.push(Outcome::of(linked, operation, side));
        }
    }
    Ok(outcomes)
}
