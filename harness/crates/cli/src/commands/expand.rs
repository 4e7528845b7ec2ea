//! `onesided expand`: designs to a run table.

mod here;
mod possible;

pub use possible::LeftOut;

use std::{io::stdout, path::PathBuf};

use anyhow::Context;
use clap::Args;
use onesided_experiment::{Cost, Design, Level, RunTable, Selection, expand};

use crate::{arguments::profile_name, ending::Ending, printed::counted};

use possible::{Doer, Possible};

/// Expands designs (experiments/*.toml) into a run table: one row a run, in randomised order.
///
/// The same designs, level, profile and seed always give the same table, to the byte; with
/// --possible-here, on the same machine.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided expand experiments/*.toml --level smoke --profile soft-roce-lab --out runs.csv
  onesided expand experiments/atomics.toml --only queue_pairs=1,8 --only replicate=1
  onesided expand experiments/atomics.toml --level smoke --stretch 5
  onesided expand experiments/*.toml --level smoke --possible-here --profile emulated-rmc
  onesided expand experiments/datagrams.toml --possible-here --back-end verbs --profile mynic
  onesided expand experiments/*.toml --possible-simulated --profile nurdma-cx3")]
pub struct Arguments {
    /// Design files
    #[arg(required = true, value_name = "DESIGN")]
    designs: Vec<PathBuf>,
    /// How much of the designs: full, reproduce or smoke
    #[arg(long, default_value = "full")]
    level: Level,
    /// Name of the hardware profile that results are filed under
    #[arg(long, default_value = "unnamed", value_parser = profile_name)]
    profile: String,
    /// Seed of the order and of all runs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only the runs with one of these levels, as queue_pairs=1,4; may be repeated
    #[arg(long, value_name = "FACTOR=LEVEL,...")]
    only: Vec<Selection>,
    /// How many times as long as designed runs warm up and measure: for a host that is so slow
    /// that a run is over before an operation is
    #[arg(
        long,
        value_name = "TIMES",
        default_value_t = 1,
        value_parser = clap::value_parser!(u32).range(1..=10_000)
    )]
    stretch: u32,
    #[command(flatten)]
    possible: Possible,
    /// File to write [default: stdout]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Writes the run table.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let mut tables = Vec::new();
    let mut costs = Vec::new();
    let doer = arguments.possible.look(&arguments.profile)?;
    let mut left_out = Vec::new();
    for path in &arguments.designs {
        let design = Design::read(path)?.stretched(arguments.stretch);
        let whole = expand(&design, arguments.level, &arguments.profile, arguments.seed)?;
        let table = arguments.only.iter().try_fold(whole, |table, only| only.of(table))?;
        let table = possible(table, doer.as_ref(), &mut left_out);
        costs.push((design.name, table.cost()));
        tables.push(table);
    }
    let table = RunTable::joined(tables)?;
    let cost = table.cost();
    match &arguments.out {
        Some(path) => table.write(path)?,
        None => {
            let mut writer = csv::Writer::from_writer(stdout());
            for run in table.runs() {
                writer.serialize(run).context("stdout")?;
            }
            writer.flush()?;
        }
    }
    if costs.len() > 1 {
        for (name, cost) in &costs {
            say!("{name}: {}", told(cost));
        }
    }
    arguments.possible.keep(&left_out)?;
    say!("{} of warm-up and measuring", told(&cost));
    possible::tell(doer.as_ref(), &left_out);
    Ok(Ending::Valid)
}

/// The runs of `table` that `doer` can do, where one is named.
fn possible(table: RunTable, doer: Option<&Doer>, left_out: &mut Vec<LeftOut>) -> RunTable {
    let Some(doer) = doer else { return table };
    table.filtered(|run| match doer.obstacle(run) {
        Some(why) => {
            left_out.push(LeftOut::new(run, why));
            false
        }
        None => true,
    })
}

/// `cost` for people. What is set up and verified for each run comes on top of the time.
fn told(cost: &Cost) -> String {
    let Cost { runs, blocks, .. } = cost;
    let (runs, blocks) = (counted(*runs, "run"), counted(*blocks, "block"));
    format!("{runs} in {blocks}, {}", humantime::format_duration(cost.running))
}
