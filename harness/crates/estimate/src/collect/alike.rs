//! Runs that the tables could not tell apart, though they did different things.
//!
//! A configuration has more fields than the table of runs has columns. Runs that differ only in
//! such a field would be taken for repetitions of one another, by the conditions and by every
//! figure, and their mean and interval would be of nothing. So they are refused: a name that says
//! the field would part them only for readers that look at names. A factor that designs are to
//! vary needs a column of its own.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use onesided_results::{RunConfiguration, RunRow};

use super::CollectError;
use crate::conditions::{Factors, factors};

/// Fields of which only what came of them counts, and that has a column.
const AS_NEGOTIATED: [&str; 2] = ["mtu_bytes", "max_rd_atomic"];

/// What was configured, once for all runs of equal factors.
#[derive(Default)]
pub(super) struct Alike {
    first: HashMap<Factors, (RunConfiguration, PathBuf)>,
}

impl Alike {
    /// Holds the run in `directory` against the first one that looks like it. Runs that are not
    /// valid look like none: nothing is made of them.
    ///
    /// # Errors
    /// When they were configured differently.
    pub(super) fn hold(
        &mut self,
        row: &RunRow,
        configuration: &RunConfiguration,
        directory: &Path,
    ) -> Result<(), CollectError> {
        if !row.valid {
            return Ok(());
        }
        let this = || (configuration.clone(), directory.to_owned());
        let (other, first) = self.first.entry(factors(row)).or_insert_with(this);
        let fields = differing(other, configuration);
        if fields.is_empty() {
            return Ok(());
        }
        let (path, first) = (directory.to_owned(), first.clone());
        Err(CollectError::LookAlike { path, first, fields })
    }
}

/// The fields, but for those that name the run, in which two configurations differ.
fn differing(one: &RunConfiguration, other: &RunConfiguration) -> Vec<&'static str> {
    let values = |configuration| {
        serde_json::to_value(configuration).expect("JSON can say every configuration")
    };
    let (one, other) = (values(one), values(other));
    RunConfiguration::factors()
        .filter(|field| !AS_NEGOTIATED.contains(field) && one[field] != other[field])
        .collect()
}
