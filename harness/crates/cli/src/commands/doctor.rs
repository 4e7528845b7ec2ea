//! `onesided doctor`: what this machine can do, and what to change where it cannot.

mod checks;
mod container;

use std::io::{Write, stdout};

use clap::Args;
use serde::Serialize;

use crate::{arguments::DeviceArguments, ending::Ending, printed::json};

/// Checks whether this machine can measure: library, device, addresses, limits, settings.
///
/// Each finding says what to do. Exit status 1 when something would stop a run.
#[derive(Args)]
pub struct Arguments {
    #[command(flatten)]
    device: DeviceArguments,
    /// As JSON
    #[arg(long)]
    json: bool,
}

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Weight {
    /// As it should be.
    Fine,
    /// Runs work, but a reader of their numbers should know.
    Doubt,
    /// Runs do not work.
    Stop,
}

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// What was looked at.
    pub what: &'static str,
    /// How much it matters.
    pub weight: Weight,
    /// What was found.
    pub found: String,
    /// What to do about it.
    pub advice: Option<String>,
}

/// Looks at everything.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    let findings = checks::all(&arguments.device);
    if arguments.json {
        json(&findings)?;
    } else {
        for finding in &findings {
            let mark = match finding.weight {
                Weight::Fine => "ok   ",
                Weight::Doubt => "doubt",
                Weight::Stop => "STOP ",
            };
            writeln!(stdout(), "{mark} {}: {}", finding.what, finding.found)?;
            if let Some(advice) = &finding.advice {
                writeln!(stdout(), "        -> {advice}")?;
            }
        }
    }
    let stopped = findings.iter().any(|finding| finding.weight == Weight::Stop);
    Ok(if stopped { Ending::CheckFailed } else { Ending::Valid })
}
