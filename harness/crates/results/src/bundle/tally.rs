//! What the runs of a bundle are, counted from their records.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    RunRecord,
    record::{HostManifest, Outcome},
    vocabulary::Source,
};

/// The runs of a bundle.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// When the first one started, UTC, as in RFC 3339.
    pub first_started_at: String,
    /// When the last one started.
    pub last_started_at: String,
    /// How many come from where: `measured` of hardware, and whatever is none.
    pub sources: BTreeMap<Source, u64>,
    /// The programs that measured, and how many runs each took part in.
    pub measured_by: Vec<MeasuringProgram>,
    /// How many records are of which version of their format.
    pub record_versions: BTreeMap<u32, u64>,
    /// The experiments by name, and how many of their runs ended how.
    pub experiments: BTreeMap<String, RunCounts>,
}

/// A program that measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeasuringProgram {
    /// Its version.
    pub version: String,
    /// Source revision that it was built from; absent if it did not know.
    pub revision: Option<String>,
    /// How many runs it took part in, on whatever side.
    pub runs: u64,
}

/// How many runs ended how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RunCounts {
    /// Nothing speaks against the numbers.
    pub valid: u64,
    /// The numbers count, with doubts.
    pub doubtful: u64,
    /// The numbers do not count.
    pub invalid: u64,
    /// There are no numbers, or not all.
    pub failed: u64,
}

impl RunCounts {
    /// All of them.
    pub fn all(self) -> u64 {
        [self.valid, self.doubtful, self.invalid, self.failed].iter().fold(0, |all, count| {
            // What a hostile manifest says may be more than a number holds.
            all.saturating_add(*count)
        })
    }
}

impl Summary {
    /// The name of a campaign with these runs; none where nothing says a day.
    pub fn campaign(&self, profile: &str) -> Option<String> {
        day_of(&self.first_started_at).map(|day| format!("{day}-{profile}"))
    }

    /// Its runs, over all experiments.
    pub fn counts(&self) -> RunCounts {
        self.experiments.values().fold(RunCounts::default(), |all, one| RunCounts {
            valid: all.valid.saturating_add(one.valid),
            doubtful: all.doubtful.saturating_add(one.doubtful),
            invalid: all.invalid.saturating_add(one.invalid),
            failed: all.failed.saturating_add(one.failed),
        })
    }
}

/// A record that cannot be counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TallyError {
    /// Its start is no time.
    #[error("started_at is \"{found}\"; it must be as 2026-01-31T12:00:00.000Z")]
    Start {
        /// What stands there.
        found: String,
    },
    /// It names a program as none is called.
    #[error(
        "harness_version and harness_revision have {bytes} bytes; of a program they have {LONGEST_PROGRAM} \
         at the most"
    )]
    Program {
        /// How many they have.
        bytes: usize,
    },
}

/// Bytes of a program's version and revision, at the most: each is kept as long as records are counted.
/// Ours: three times a version and a whole revision of Git.
const LONGEST_PROGRAM: usize = 200;

/// Counts records, one by one.
#[derive(Debug, Default)]
pub struct Tally {
    summary: Summary,
    programs: BTreeMap<(String, Option<String>), u64>,
}

impl Tally {
    /// Counts a run.
    ///
    /// # Errors
    /// When nobody can say when it started, or what measured it.
    pub fn add(&mut self, record: &RunRecord) -> Result<(), TallyError> {
        let start = &record.started_at;
        if day_of(start).is_none() {
            return Err(TallyError::Start { found: start.clone() });
        }
        let programs = programs(record);
        let bytes = programs
            .iter()
            .map(|(version, revision)| version.len() + revision.as_ref().map_or(0, String::len));
        if let Some(bytes) = bytes.max().filter(|&bytes| bytes > LONGEST_PROGRAM) {
            return Err(TallyError::Program { bytes });
        }
        let Summary { first_started_at: first, last_started_at: last, .. } = &mut self.summary;
        if first.is_empty() || start < first {
            first.clone_from(start);
        }
        if start > last {
            last.clone_from(start);
        }
        *self.summary.sources.entry(record.source).or_default() += 1;
        *self.summary.record_versions.entry(record.schema_version).or_default() += 1;
        let experiment = record.configuration.experiment.clone();
        let counts = self.summary.experiments.entry(experiment).or_default();
        *match record.outcome {
            Outcome::Valid => &mut counts.valid,
            Outcome::Doubtful => &mut counts.doubtful,
            Outcome::Invalid => &mut counts.invalid,
            Outcome::Failed { .. } => &mut counts.failed,
        } += 1;
        for program in programs {
            *self.programs.entry(program).or_default() += 1;
        }
        Ok(())
    }

    /// What they are.
    pub fn summary(&self) -> Summary {
        let programs = self.programs.iter();
        let measured_by = programs
            .map(|((version, revision), runs)| MeasuringProgram {
                version: version.clone(),
                revision: revision.clone(),
                runs: *runs,
            })
            .collect();
        Summary { measured_by, ..self.summary.clone() }
    }
}

/// The programs of a run, each once: its sides may have different ones.
fn programs(record: &RunRecord) -> Vec<(String, Option<String>)> {
    let further = record.further_clients.iter().map(|client| &client.side);
    let sides = record.client.iter().chain(&record.server).chain(further);
    let program =
        |host: &HostManifest| (host.harness_version.clone(), host.harness_revision.clone());
    let mut programs: Vec<_> = sides.map(|side| program(&side.host)).collect();
    programs.sort();
    programs.dedup();
    programs
}

/// The day of a time as in RFC 3339, if it is one of UTC.
fn day_of(time: &str) -> Option<&str> {
    let is_like = |pattern: &str, text: &str| {
        let fits =
            |(like, is): (u8, u8)| if like == b'0' { is.is_ascii_digit() } else { like == is };
        pattern.len() == text.len() && pattern.bytes().zip(text.bytes()).all(fits)
    };
    let whole = time.get(.."0000-00-00T00:00:00".len())?;
    let rest = time[whole.len()..].strip_suffix('Z')?;
    let fraction = rest.strip_prefix('.').unwrap_or(rest);
    let is_time = is_like("0000-00-00T00:00:00", whole)
        && fraction.len() <= 9
        && fraction.bytes().all(|byte| byte.is_ascii_digit());
    is_time.then(|| &whole[.."0000-00-00".len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_is_that_of_a_time_in_utc() {
        for (time, day) in [
            ("2026-01-31T12:00:00.000Z", Some("2026-01-31")),
            ("2020-01-01T00:00:00Z", Some("2020-01-01")),
            ("2020-01-01T00:00:00", None),
            ("2020-01-01", None),
            ("../../../../../../etcZ", None),
            ("2020-01-01T00:00:00./../Z", None),
            ("", None),
        ] {
            assert_eq!(day_of(time), day, "{time}");
        }
    }

    #[test]
    fn runs_are_counted_by_experiment_and_ending_and_the_range_is_of_all() {
        let mut record = crate::record::example();
        let mut tally = Tally::default();
        for (experiment, outcome, start) in [
            ("b", Outcome::Valid, "2026-02-01T00:00:00.000Z"),
            ("a", Outcome::Invalid, "2026-01-31T23:00:00.000Z"),
            ("b", Outcome::Doubtful, "2026-02-03T00:00:00.000Z"),
        ] {
            experiment.clone_into(&mut record.configuration.experiment);
            (record.outcome, record.started_at) = (outcome, start.to_owned());
            tally.add(&record).unwrap();
        }
        let summary = tally.summary();
        assert_eq!(summary.campaign("mine").as_deref(), Some("2026-01-31-mine"));
        assert_eq!(summary.last_started_at, "2026-02-03T00:00:00.000Z");
        assert_eq!(
            summary.experiments["b"],
            RunCounts { valid: 1, doubtful: 1, ..RunCounts::default() }
        );
        assert_eq!(summary.counts().all(), 3);
        "soon".clone_into(&mut record.started_at);
        assert!(tally.add(&record).is_err());
        "2026-02-03T00:00:00Z".clone_into(&mut record.started_at);
        record.client.as_mut().unwrap().host.harness_version = "1".repeat(LONGEST_PROGRAM + 1);
        assert!(matches!(tally.add(&record), Err(TallyError::Program { .. })));
    }
}
