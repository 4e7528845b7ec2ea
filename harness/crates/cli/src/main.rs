//! `onesided` measures, replays, models and explains the impact of NUMA on one-sided RDMA.
//!
//! Arguments -> one command -> an exit code. Only this crate names back ends, prints and exits.

#[macro_use]
mod say;

mod arguments;
mod back_end;
mod commands;
mod ending;
mod progress;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use ending::Ending;

/// Measures, replays, models and explains the impact of NUMA on one-sided RDMA.
///
/// stdout is for machines or the table that was asked for, stderr for people.
/// Exit status: 0 valid; 1 ran, but a check failed (files are kept and marked); 2 could not run.
#[derive(Parser)]
#[command(version = back_end::harness_version(), max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Topology(commands::topology::Arguments),
    Doctor(commands::doctor::Arguments),
    MemoryLatency(Box<commands::memory_latency::Arguments>),
    Load(Box<commands::load::Arguments>),
    Expand(commands::expand::Arguments),
    Serve(commands::serve::Arguments),
    Run(Box<commands::run::Arguments>),
    Collect(commands::collect::Arguments),
    Import(commands::import::Arguments),
    Claims(commands::claims::Arguments),
    Check(commands::check::Arguments),
    Schema(commands::schema::Arguments),
    RestoreDirectIo(commands::direct_io::Arguments),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let ended = match arguments.command {
        Command::Topology(arguments) => commands::topology::run(&arguments),
        Command::Doctor(arguments) => commands::doctor::run(&arguments),
        Command::MemoryLatency(arguments) => commands::memory_latency::run(&arguments),
        Command::Load(arguments) => commands::load::run(&arguments),
        Command::Expand(arguments) => commands::expand::run(&arguments),
        Command::Serve(arguments) => commands::serve::run(&arguments),
        Command::Run(arguments) => commands::run::run(&arguments),
        Command::Collect(arguments) => commands::collect::run(&arguments),
        Command::Import(arguments) => commands::import::run(&arguments),
        Command::Claims(arguments) => commands::claims::run(&arguments),
        Command::Check(arguments) => commands::check::run(&arguments),
        Command::Schema(arguments) => commands::schema::run(&arguments),
        Command::RestoreDirectIo(arguments) => commands::direct_io::run(&arguments),
    };
    Ending::of(ended).into()
}
