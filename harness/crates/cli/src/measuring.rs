//! One measurement at a time on this host, for the commands that measure.

use std::{
    fs, process,
    time::{Duration, Instant, SystemTime},
};

use clap::Args;
use onesided_control::message::Measurement;
use onesided_placement::stolen_ms;
use onesided_platform::measuring::HostLock;
use onesided_results::{Doubt, vocabulary::Side};
use onesided_runner::{Turn, cpu_stolen};

/// Whether others may measure meanwhile.
#[derive(Args, Clone, Copy, Debug)]
pub struct MeasuringArguments {
    /// Measure beside whatever else is being measured on the hosts that take part, instead of
    /// waiting until it has ended; what was disturbed is marked (another-measurement)
    #[arg(long)]
    beside: bool,
}

impl MeasuringArguments {
    /// As [`Self::take_turn`], for a command that marks its rows.
    pub fn begin(self, command: &str) -> anyhow::Result<Begun> {
        let turn = self.take_turn(command)?;
        Ok(Begun { turn, stolen_ms: stolen_ms().ok(), since: Instant::now() })
    }

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

/// A measurement that has begun, of rows that are marked when it has ended.
pub struct Begun {
    turn: Turn,
    stolen_ms: Option<u64>,
    since: Instant,
}

impl Begun {
    /// Marks rows, by their doubts, if somebody else measured on this host meanwhile, or had its CPUs.
    pub fn mark<'d>(&self, rows: impl Iterator<Item = &'d mut Option<String>>) {
        let stolen_ms =
            stolen_ms().ok().zip(self.stolen_ms).map(|(now, before)| now.saturating_sub(before));
        let doubts = disturbed(self.turn.others(), stolen_ms, self.since.elapsed());
        for doubt in &doubts {
            say!("{}; rows are marked {}", doubt.explain(), doubt.name());
        }
        for row in rows {
            for doubt in &doubts {
                let word = doubt.name();
                match row {
                    Some(words) => words.push_str(&format!(" {word}")),
                    None => *row = Some(word.to_owned()),
                }
            }
        }
    }
}

/// The share of its time from which on a thread, or a measurement of medians, was too long without a CPU. Ours: one
/// window of the ten of a measurement, whose medians then still are of the others. A run, which tells of its tail, is
/// doubted much sooner.
pub const WITHOUT_CPU: f64 = 0.1;

/// The doubts about all rows of a measurement: who else measured, and for how long the hypervisor gave CPUs to
/// others in so much time.
fn disturbed(others: Option<String>, stolen_ms: Option<u64>, elapsed: Duration) -> Vec<Doubt> {
    let side = Side::Client;
    let others = others.map(|whose| Doubt::AnotherMeasurement { side, whose });
    let around_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
    let stolen =
        stolen_ms.and_then(|stolen_ms| cpu_stolen(side, stolen_ms, around_ms, WITHOUT_CPU));
    others.into_iter().chain(stolen).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_doubted_for_what_others_did_and_for_nothing_on_a_quiet_host() {
        let of = |others: Option<&str>, stolen_ms| {
            let found = disturbed(others.map(str::to_owned), stolen_ms, Duration::from_secs(10));
            found.iter().map(Doubt::name).collect::<Vec<_>>()
        };
        assert!(of(None, None).is_empty());
        assert!(of(None, Some(999)).is_empty(), "less than a tenth");
        assert_eq!(of(None, Some(1_000)), ["cpu-stolen"]);
        assert_eq!(of(Some("somebody"), Some(1_000)), ["another-measurement", "cpu-stolen"]);
    }
}
