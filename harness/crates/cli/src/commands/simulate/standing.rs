//! What is there of a table's runs, from earlier.

use std::path::Path;

use anyhow::bail;
use onesided_results::{
    RunConfiguration, RunRecord,
    directory::{RECORD_FILE, path_of},
    record::SimulationRecord,
    vocabulary::Source,
};

use crate::commands::run::incomplete;

/// Those of `runs` that are to be simulated: not there, of another configuration, or computed from
/// something else than `simulation_of` it.
///
/// What was not simulated is never replaced: that is refused.
pub(super) fn due(
    raw: &Path,
    runs: Vec<RunConfiguration>,
    simulation_of: impl Fn(&RunConfiguration) -> SimulationRecord,
    again: bool,
) -> anyhow::Result<Vec<RunConfiguration>> {
    // Records of another version of this program are refused here.
    let mut missing = incomplete(raw, runs.clone())?.into_iter().peekable();
    let mut due = Vec::new();
    for run in runs {
        let directory = path_of(raw, &run);
        let record = RunRecord::read(&directory.join(RECORD_FILE)).ok();
        if let Some(source) = record.as_ref().map(|record| record.source)
            && source != Source::Simulated
        {
            let directory = directory.display();
            bail!(
                "{directory} is a run of source {source} and would be replaced: choose another --out"
            );
        }
        let is_missing = missing.next_if_eq(&run).is_some();
        let simulation = as_read(&simulation_of(&run))?;
        let is_same = record.is_some_and(|record| record.simulation.as_ref() == Some(&simulation));
        if again || is_missing || !is_same {
            due.push(run);
        }
    }
    Ok(due)
}

/// A number is written with as many digits as it takes, and may still be read a bit beside it.
fn as_read(simulation: &SimulationRecord) -> anyhow::Result<SimulationRecord> {
    Ok(serde_json::from_str(&serde_json::to_string(simulation)?)?)
}
