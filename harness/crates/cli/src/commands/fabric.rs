//! `onesided fabric`: the experiments of Scale-Out NUMA on the emulated fabric.

mod machine;
mod messages;
mod output;
mod pagerank;
mod reads;

use clap::Subcommand;

use crate::{ending::Ending, interruption::leave_nothing_behind};

/// Does the experiments of Scale-Out NUMA (ASPLOS 2014, section 7) on the emulated fabric.
///
/// Nodes are made in this process. Nothing else should run meanwhile. The numbers are of memory
/// shared by cores, and say nothing of a network card.
#[derive(Subcommand)]
#[command(after_help = "Examples:
  onesided fabric reads
  onesided fabric messages --hop-delay 50ns --csv
  onesided fabric pagerank --scale 12
  onesided fabric pagerank --nodes 1,2 --out fabric-pagerank.csv.gz")]
pub enum Experiment {
    Reads(Box<reads::Arguments>),
    Messages(Box<messages::Arguments>),
    Pagerank(Box<pagerank::Arguments>),
}

/// Does one.
pub fn run(experiment: &Experiment) -> anyhow::Result<Ending> {
    leave_nothing_behind()?;
    match experiment {
        Experiment::Reads(arguments) => reads::run(arguments),
        Experiment::Messages(arguments) => messages::run(arguments),
        Experiment::Pagerank(arguments) => pagerank::run(arguments),
    }
}
