//! Versions of what is written, one for each kind of file.
//!
//! A change of one kind raises the version of that kind alone, in the same commit. What only gained
//! columns is still read in its older version: there, what came later is unknown. A factor that is
//! added raises by its declaration what has all factors.

use std::fmt;

use crate::factors::Factors;

/// The versions of one kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versions {
    /// The one that is written.
    pub written: u32,
    /// The oldest one that is read; all between the two are, too.
    pub oldest: u32,
}

impl Versions {
    const fn only(version: u32) -> Self {
        Self { written: version, oldest: version }
    }

    /// Whether a file of `version` is read.
    pub fn reads(self, version: u64) -> bool {
        (u64::from(self.oldest)..=u64::from(self.written)).contains(&version)
    }

    /// Each that is read.
    pub fn all(self) -> Vec<u32> {
        (self.oldest..=self.written).collect()
    }

    /// Whether a file that people write, which says `found`, is read. One that says nothing is of
    /// version 1, as all were before there was a second.
    ///
    /// # Errors
    /// When it is not: with what to do.
    pub fn check(self, found: Option<i64>) -> Result<(), OtherVersion> {
        let found = found.unwrap_or(1);
        match u64::try_from(found) {
            Ok(version) if self.reads(version) => Ok(()),
            _ => Err(OtherVersion { found, reads: self }),
        }
    }
}

/// A file of a version that is not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("schema_version = {found}, this program reads {reads}: {}", self.what_to_do())]
pub struct OtherVersion {
    /// Its version.
    pub found: i64,
    /// What is read.
    pub reads: Versions,
}

impl OtherVersion {
    fn what_to_do(&self) -> String {
        if self.found > i64::from(self.reads.written) {
            return "the file is of a newer program: use that one".to_owned();
        }
        let Versions { written, .. } = self.reads;
        format!(
            "change in the file what profiles/README.md (Versions) says of those up to {written}, then \
             write schema_version = {written}"
        )
    }
}

/// As in "reads version 3", "reads versions 3 to 5".
impl fmt::Display for Versions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { written, oldest } = self;
        if oldest == written {
            write!(formatter, "version {written}")
        } else {
            write!(formatter, "versions {oldest} to {written}")
        }
    }
}

/// Of all that has the factors of a run: the newest that a declaration names.
const FACTORS: Versions = Versions { written: newest(Factors::SINCE), oldest: 3 };

const fn newest(mut since: &[(&str, u32)]) -> u32 {
    let mut newest = 0;
    while let [(_, version), rest @ ..] = since {
        if *version > newest {
            newest = *version;
        }
        since = rest;
    }
    newest
}

/// Of what has the factors of a run and more: what else was added raises it to `version`.
const fn at_least(version: u32) -> Versions {
    let written = if FACTORS.written > version { FACTORS.written } else { version };
    Versions { written, ..FACTORS }
}

/// `runs.csv.gz`; 4: a column for every factor; 6: stalls of published runs; 11: messages sent and
/// received.
pub const RUNS: Versions = at_least(11);
/// `conditions.csv.gz`; 4: a column for every factor; 6: regimes slow and stalled.
pub const CONDITIONS: Versions = at_least(6);
/// `clients.csv.gz`; 4: of published clients what their rates add up to, and no quantiles of them.
pub const CLIENTS: Versions = Versions { written: 4, oldest: 3 };
/// `windows.csv.gz`.
pub const WINDOWS: Versions = Versions::only(3);
/// `latency.csv.gz`.
pub const LATENCY: Versions = Versions::only(3);
/// `run.json`, and of the tables beside it; 4 is as 3; 6: the state of the port after a run;
/// 7: what threads had of their CPUs, and latencies of what completed while draining; 11: messages sent,
/// services that share receive queues, losses on purpose.
pub const RECORD: Versions = at_least(11);
/// `manifest.csv` of the published data; 4: without sizes, which no reader asked for.
pub const MANIFEST: Versions = Versions::only(4);
/// `traces.csv.gz` of the published data.
pub const TRACES: Versions = Versions::only(3);
/// `claims.csv`; 4: five verdicts, quantifiers, a generous reading, what a model was given.
pub const CLAIMS: Versions = Versions::only(4);
/// `claim-cells.csv.gz`; 2: what is measured, and its unit.
pub const CLAIM_CELLS: Versions = Versions { written: 2, oldest: 1 };
/// `memory-latency.csv`.
pub const MEMORY_LATENCY: Versions = Versions::only(3);
/// `fabric-reads.csv`, `fabric-messages.csv` and `fabric-pagerank.csv`; 4: a variant of PageRank more;
/// 5: where memory is, and how much; 6: threads of a node; messages of back end `tcp`,
/// without a way; 7: direct reads; 8: how many reads of PageRank are under way.
pub const FABRIC: Versions = Versions { written: 8, oldest: 3 };
/// `pcie-transfers.csv`, `pcie-operations.csv`, `pcie-transactions.csv`, `pcie-verbs.csv` and
/// `pcie-hosts.csv`; 4: the network below the card, and the last three tables.
pub const PCIE: Versions = Versions { written: 4, oldest: 3 };
/// `predictions.csv.gz`; 8: a column for every factor.
pub const PREDICTIONS: Versions = Versions { oldest: 8, ..at_least(8) };
/// What `calibrate` and `advise` print as JSON; 4: what advice assumes, and measurements beside it.
pub const ADVICE: Versions = Versions::only(4);
/// `shapes.csv.gz`.
pub const SHAPES: Versions = Versions::only(3);
/// The machine beside a table that no run is behind.
pub const TABLE_HOST: Versions = Versions::only(3);
/// `manifest.json` of a results bundle; 2: the runs that a machine could not do, beside its run tables.
pub const BUNDLE: Versions = Versions { written: 2, oldest: 1 };
/// `machine.toml` of a profile. What changed with each version stands in `profiles/README.md`.
pub const MACHINE_PROFILE: Versions = Versions::only(1);
/// `simulation.toml` of a profile, likewise.
pub const SIMULATION_PROFILE: Versions = Versions::only(1);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_between_is_read_and_nothing_else() {
        let versions = Versions { written: 5, oldest: 3 };
        let read: Vec<_> = (0..10).filter(|&version| versions.reads(version)).collect();
        assert_eq!(read, [3, 4, 5]);
        assert_eq!(versions.to_string(), "versions 3 to 5");
        assert_eq!(Versions::only(7).to_string(), "version 7");
        assert!(!versions.reads(u64::MAX));
        assert_eq!(versions.all(), [3, 4, 5]);
    }

    #[test]
    fn a_file_of_another_version_is_told_what_to_do() {
        let versions = Versions { written: 3, oldest: 2 };
        assert_eq!(versions.check(Some(2)), Ok(()));
        let told = |found| versions.check(found).unwrap_err().to_string();
        assert_eq!(
            told(Some(4)),
            "schema_version = 4, this program reads versions 2 to 3: the file is of a newer program: \
             use that one"
        );
        for older in [None, Some(1)] {
            assert_eq!(
                told(older),
                "schema_version = 1, this program reads versions 2 to 3: change in the file what \
                 profiles/README.md (Versions) says of those up to 3, then write schema_version = 3"
            );
        }
        assert!(told(Some(-1)).starts_with("schema_version = -1, "));
        assert_eq!(Versions::only(1).check(None), Ok(()));
    }
}
