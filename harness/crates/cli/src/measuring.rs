//! One measurement at a time on this host, for the commands that measure.

use std::{fs, process, time::SystemTime};

use clap::Args;
use onesided_control::message::Measurement;
use onesided_platform::measuring::HostLock;
use onesided_results::{Doubt, vocabulary::Side};
use onesided_runner::Turn;

/// Whether others may measure meanwhile.
#[derive(Args, Clone, Copy, Debug)]
pub struct MeasuringArguments {
    /// Measure beside whatever else is being measured on the hosts that take part, instead of
    /// waiting until it has ended; what was disturbed is marked (another-measurement)
    #[arg(long)]
    beside: bool,
}

impl MeasuringArguments {
    /// This host, for a command that measures on it; waits for others that do, and says so.
    pub fn take_turn(self, command: &str) -> anyhow::Result<Turn> {
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        let since = humantime::format_rfc3339_seconds(SystemTime::now());
        let (process, host) = (process::id(), host.trim());
        let words = format!("onesided {command}, process {process} of {host}, since {since}");
        let measurement = Measurement { words, beside: self.beside };
        let tell = |holder: &str| {
            say!(
                "waits until this host is free; it is being measured on by {holder} (or --beside)"
            );
        };
        Ok(Turn::take(&HostLock::usual(), measurement, None, tell)?)
    }
}

/// Marks rows, by their doubts, if somebody else measured on this host meanwhile.
pub fn mark<'d>(turn: &Turn, rows: impl Iterator<Item = &'d mut Option<String>>) {
    let Some(whose) = turn.others() else { return };
    let doubt = Doubt::AnotherMeasurement { side: Side::Client, whose };
    let word = doubt.name();
    say!("{}; rows are marked", doubt.explain());
    for doubts in rows {
        match doubts {
            Some(doubts) => doubts.push_str(&format!(" {word}")),
            None => *doubts = Some(word.to_owned()),
        }
    }
}
