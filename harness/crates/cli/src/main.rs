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
mod interruption;
mod lines;
mod measuring;
mod printed;
mod progress;
mod revision;

use std::process::ExitCode;

use clap::{Command, CommandFactory as _, FromArgMatches as _, Parser};

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
    let matches = example_first(Arguments::command(), "").get_matches();
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    Ending::of(arguments.command.run()).into()
}

/// The command with an example of each help text at its top, where a reader looks first; `path` is what
/// stands before its name on a command line.
fn example_first(command: Command, path: &str) -> Command {
    let path = format!("{path}{} ", command.get_name());
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let command = match first_example(&help, &path) {
        Some(example) => command.before_help(format!("Example: {example}")),
        None => command,
    };
    command.mut_subcommands(|below| example_first(below, &path))
}

/// The first command line of `path`, without what is said of it at its right.
fn first_example<'h>(help: &'h str, path: &str) -> Option<&'h str> {
    let is_of = |line: &&str| format!("{line} ").starts_with(path) && !line.ends_with('\\');
    let line = help.lines().map(str::trim).find(is_of)?;
    line.split("  ").next()
}
