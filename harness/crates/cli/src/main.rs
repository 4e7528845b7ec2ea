//! `onesided` measures, replays, models and explains the impact of NUMA on one-sided RDMA.
//!
//! Arguments -> one command -> an exit code. Only this crate names back ends, prints and exits.

#[macro_use]
mod say;
mod stored;

mod arguments;
mod back_end;
mod commands;
mod ending;
mod lines;
mod measuring;
mod printed;
mod progress;
mod revision;

use std::process::ExitCode;

use clap::Parser;

use ending::Ending;

/// Measures, replays, models and explains the impact of NUMA on one-sided RDMA.
///
/// stdout is for machines or the table that was asked for, stderr for people.
/// Exit status: 0 valid; 1 ran, but a check failed (files are kept and marked); 2 could not run.
#[derive(Parser)]
#[command(version = back_end::harness_version(), max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: commands::Command,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    Ending::of(arguments.command.run()).into()
}
