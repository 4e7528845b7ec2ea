//! The names that a bundle may have; no other file is packed or read.

use crate::{
    RunRow,
    directory::{RECORD_FILE, is_plain_name},
    row::{
        ClientRow, FabricMessagesRow, FabricPagerankRow, FabricReadsRow, LatencyRow,
        MemoryLatencyRow, WindowRow,
    },
    series::{LatencyBucket, LoadCount, WindowCount},
    table::{Row as _, SUMS},
};

use super::MOST_BYTES;

/// What a file of a bundle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// The sender's words.
    Notes,
    /// A run table.
    Plan,
    /// The runs that the machine could not do, which the run table beside it lacks.
    LeftOut,
    /// The machine, as facts.
    Machine,
    /// The machine, as parameters of the simulator.
    Simulation,
    /// A file of a run's directory.
    OfRun,
    /// A table over many runs, or the list of checksums beside it.
    Table,
    /// The machine beside a table that no run is behind.
    TableHost,
}

/// Tables that `collect` makes, without which there is no bundle.
const COLLECTED: [&str; 4] = [ClientRow::FILE, LatencyRow::FILE, RunRow::FILE, WindowRow::FILE];

/// Tables that no run is behind.
const ALONE: [&str; 4] = [
    FabricMessagesRow::FILE,
    FabricPagerankRow::FILE,
    FabricReadsRow::FILE,
    MemoryLatencyRow::FILE,
];

/// Files of a run's directory.
const OF_RUN: [&str; 4] = [LatencyBucket::FILE, LoadCount::FILE, RECORD_FILE, WindowCount::FILE];

/// Bytes of a description or a list of checksums, at the most. Ours: 60 times the largest profile.
const LONGEST_DESCRIPTION: u64 = 1 << 20;

/// Bytes of a record or a run table, at the most. Ours: as many as 30,000 queue pairs have in a record.
const LONGEST_RECORD: u64 = 16 << 20;

/// Bytes of a table of one run, at the most: what is read as a whole. Ours: some million counts, several
/// times what 128 queue pairs have, each with a histogram of thousands of buckets.
const LONGEST_COUNTS: u64 = 64 << 20;

impl Member {
    /// Name of the notes.
    pub const NOTES_FILE: &str = "notes.md";

    /// Name of the list of runs that a machine could not do.
    pub const LEFT_OUT_FILE: &str = "left-out.csv";

    /// What the file at `path`, below the bundle of `profile`, is; none if a bundle has no such file.
    pub fn of(path: &str, profile: &str) -> Option<Self> {
        let parts: Vec<&str> = path.split('/').collect();
        if !parts.iter().all(|part| is_plain_name(part)) {
            return None;
        }
        match parts[..] {
            [Self::NOTES_FILE] => Some(Self::Notes),
            ["plan", of, _, _, "runs.csv"] if of == profile => Some(Self::Plan),
            ["plan", of, _, _, Self::LEFT_OUT_FILE] if of == profile => Some(Self::LeftOut),
            ["profiles", of, "machine.toml"] if of == profile => Some(Self::Machine),
            ["profiles", of, "simulation.toml"] if of == profile => Some(Self::Simulation),
            ["raw", of, _, _, file] if of == profile && OF_RUN.contains(&file) => Some(Self::OfRun),
            ["tables", of, file] if of == profile => Self::of_tables(file),
            _ => None,
        }
    }

    fn of_tables(file: &str) -> Option<Self> {
        let is_table = |name: &str| COLLECTED.contains(&name) || ALONE.contains(&name);
        if file == SUMS || is_table(file) {
            return Some(Self::Table);
        }
        let table = file.strip_suffix(".host.json")?;
        ALONE.iter().any(|name| name.split('.').next() == Some(table)).then_some(Self::TableHost)
    }

    /// Bytes of a file of that kind, which is called `file`, at the most. A table over many runs is read row
    /// by row and may have as many as all files together.
    pub fn longest(self, file: &str) -> u64 {
        match self {
            Self::Table if file != SUMS => MOST_BYTES,
            Self::OfRun if file != RECORD_FILE => LONGEST_COUNTS,
            Self::OfRun | Self::Plan | Self::LeftOut => LONGEST_RECORD,
            Self::Notes | Self::Machine | Self::Simulation | Self::TableHost | Self::Table => {
                LONGEST_DESCRIPTION
            }
        }
    }

    /// Whether the file at `path` is a text made from files of a bundle, which is not packed with them.
    pub fn is_made_of_others(path: &str) -> bool {
        matches!(path.split('/').collect::<Vec<_>>()[..], ["plan", _, _, "left-out.txt"])
    }

    /// Tables that every bundle has, by their names.
    pub fn collected() -> &'static [&'static str] {
        &COLLECTED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_that_are_known_are_members() {
        for (path, expected) in [
            ("notes.md", Some(Member::Notes)),
            ("plan/mine/full/atomics/runs.csv", Some(Member::Plan)),
            ("plan/mine/smoke/atomics/left-out.csv", Some(Member::LeftOut)),
            ("plan/mine/smoke/left-out.txt", None),
            ("profiles/mine/machine.toml", Some(Member::Machine)),
            ("profiles/mine/simulation.toml", Some(Member::Simulation)),
            ("raw/mine/atomics/run-1/run.json", Some(Member::OfRun)),
            ("raw/mine/atomics/run-1/load.csv", Some(Member::OfRun)),
            ("tables/mine/runs.csv.gz", Some(Member::Table)),
            ("tables/mine/SHA256SUMS", Some(Member::Table)),
            ("tables/mine/fabric-reads.host.json", Some(Member::TableHost)),
            ("tables/mine/runs.host.json", None),
            ("raw/mine/atomics/run-1/token", None),
            ("raw/other/atomics/run-1/run.json", None),
            ("raw/mine/atomics/run.json", None),
            ("manifest.json", None),
            ("token", None),
            ("", None),
            ("/notes.md", None),
            ("raw/mine/../run-1/run.json", None),
            ("raw/mine/./run-1/run.json", None),
            ("raw/mine//run-1/run.json", None),
            ("raw/mine/atomics/run\n1/run.json", None),
            ("raw\\mine\\atomics", None),
        ] {
            assert_eq!(Member::of(path, "mine"), expected, "{path}");
        }
    }
}
