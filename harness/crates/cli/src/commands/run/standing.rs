//! What is there of a run, from earlier.

use std::path::Path;

use onesided_results::{
    RunConfiguration, RunRecord,
    directory::{RECORD_FILE, path_of},
    record::ReadRecordError,
    series::{LatencyBucket, WindowCount},
    table::Row as _,
};

use crate::printed::counted;

/// What is there of a run.
enum Standing {
    /// A valid record of this configuration, with the tables beside it.
    Complete,
    /// Nothing, or nothing that counts.
    Missing,
    /// What another version of this program measured.
    OfAnotherVersion(ReadRecordError),
}

/// A directory that was copied in part has the record without the tables. Its place in the run order
/// does not count: a level that is added to the design moves the others.
fn standing(raw: &Path, configuration: &RunConfiguration) -> Standing {
    let directory = path_of(raw, configuration);
    let record = match RunRecord::read(&directory.join(RECORD_FILE)) {
        Ok(record) => record,
        Err(error @ ReadRecordError::UnknownVersion { .. }) => {
            return Standing::OfAnotherVersion(error);
        }
        Err(_) => return Standing::Missing,
    };
    let (block, order) = (configuration.block, configuration.order);
    let found = RunConfiguration { block, order, ..record.configuration };
    let beside = [WindowCount::FILE, LatencyBucket::FILE];
    let is_whole = || beside.iter().all(|file| directory.join(file).exists());
    if record.outcome.is_valid() && found == *configuration && is_whole() {
        Standing::Complete
    } else {
        Standing::Missing
    }
}

/// Whether a valid record of this configuration is there, with the tables beside it.
pub fn is_complete(raw: &Path, configuration: &RunConfiguration) -> bool {
    matches!(standing(raw, configuration), Standing::Complete)
}

/// Those of `runs` that are not complete; each record is read once.
///
/// What another version measured is not taken for missing, and so replaced: that is refused.
pub fn incomplete(
    raw: &Path,
    runs: Vec<RunConfiguration>,
) -> anyhow::Result<Vec<RunConfiguration>> {
    let (mut missing, mut others) = (Vec::new(), Vec::new());
    for run in runs {
        match standing(raw, &run) {
            Standing::Complete => {}
            Standing::Missing => missing.push(run),
            Standing::OfAnotherVersion(error) => others.push(error),
        }
    }
    let count = others.len();
    let Some(first) = others.into_iter().next() else { return Ok(missing) };
    let raw = raw.display();
    Err(anyhow::Error::new(first).context(format!(
        "{} in {raw}, made by another version, would be replaced: move {raw} elsewhere to keep what \
         is there, or remove it",
        counted(count, "run")
    )))
}
