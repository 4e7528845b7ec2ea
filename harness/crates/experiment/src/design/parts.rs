//! What a design says.

use std::{collections::BTreeMap, path::PathBuf};

use onesided_results::{RunConfiguration, toml_file::Place, vocabulary::Level};
use toml::{Table, Value};

use super::error::{DesignError, MOST_RUNS};
use crate::run_table::Cost;

/// What one design file says, checked as far as it can be without expanding it.
#[derive(Clone, Debug)]
pub struct Design {
    /// The file.
    pub path: PathBuf,
    /// The experiment's name, the same as the file's.
    pub name: String,
    /// Its title, for reports.
    pub title: String,
    /// What it asks, as a sentence.
    pub question: String,
    /// Names of the scripts in figures/ that draw its runs.
    pub figures: Vec<String>,
    /// Ids of the claims that it answers.
    pub claims: Vec<String>,
    /// What it costs at the levels that it says so of.
    pub costs: BTreeMap<Level, Cost>,
    /// Times that each design point is run.
    pub replicates: u32,
    /// What separates blocks.
    pub block_by: Vec<BlockBy>,
    /// The settings of all runs.
    pub settings: Settings,
    /// What differs at lower levels.
    pub changes: BTreeMap<Level, Change>,
    /// How many times as long as it says its runs warm up and measure. See [`Self::stretched`].
    pub(crate) stretch: u32,
}

/// What separates the blocks of the run order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlockBy {
    /// Repetitions: each block has every design point once.
    Replicate,
    /// The levels of a factor: each block has one of them.
    Factor(String),
}

/// Values by the name of the field that they are for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    /// One value for all runs.
    pub fixed: BTreeMap<String, Setting>,
    /// Several values, to be crossed.
    pub factors: BTreeMap<String, Vec<Setting>>,
    /// Groups of factors, as many values each, that change together: crossed with all others, but
    /// not with each other.
    pub together: Vec<BTreeMap<String, Vec<Setting>>>,
}

impl Settings {
    /// Combinations of the levels of all factors and groups; as many as a number holds, where they are
    /// more.
    pub fn points(&self) -> u64 {
        let crossed = self.factors.values().map(Vec::len);
        let together = self.together.iter().filter_map(|group| group.values().map(Vec::len).min());
        crossed.chain(together).fold(1, |points: u64, levels| points.saturating_mul(levels as u64))
    }

    /// Names of the fields that have several values.
    pub fn varied(&self) -> impl Iterator<Item = &str> {
        let together = self.together.iter().flat_map(BTreeMap::keys);
        self.factors.keys().chain(together).map(String::as_str)
    }

    /// These settings with those of `change` in the place of their own.
    fn changed(mut self, change: &Self) -> Self {
        for name in change.fixed.keys().map(String::as_str).chain(change.varied()) {
            self.fixed.remove(name);
            self.factors.remove(name);
            for group in &mut self.together {
                group.remove(name);
            }
        }
        self.together.retain(|group| !group.is_empty());
        self.fixed.extend(change.fixed.clone());
        self.factors.extend(change.factors.clone());
        self.together.extend(change.together.iter().cloned());
        self
    }
}

/// What a level changes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// Times that each design point is run, where different.
    pub replicates: Option<u32>,
    /// Settings in the place of the design's; whatever is said of a field there replaces
    /// what the design says of it.
    pub settings: Settings,
}

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The value.
    pub value: Value,
    /// Where it stands.
    pub place: Place,
}

impl Design {
    /// The same design, whose runs warm up and measure `times` as long as it says: for a host that
    /// is so slow that a run is over before an operation is. Its runs have other names.
    #[must_use]
    pub fn stretched(mut self, times: u32) -> Self {
        self.stretch = times;
        self
    }

    /// The replicates and settings at `level`.
    ///
    /// # Errors
    /// When the design does not say what the level is, or it is more runs than a design may have.
    pub fn at(&self, level: Level) -> Result<(u32, Settings), DesignError> {
        let (replicates, settings) = self.said_of(level)?;
        let points = settings.points();
        if points.saturating_mul(replicates.into()) > MOST_RUNS {
            let path = self.path.clone();
            return Err(DesignError::TooMany { path, level, points, replicates });
        }
        Ok((replicates, settings))
    }

    fn said_of(&self, level: Level) -> Result<(u32, Settings), DesignError> {
        if level == Level::Full {
            return Ok((self.replicates, self.settings.clone()));
        }
        let change = self.changes.get(&level).ok_or_else(|| DesignError::NoSuchLevel {
            path: self.path.clone(),
            level,
            available: [Level::Full].iter().chain(self.changes.keys()).copied().collect(),
        })?;
        let settings = self.settings.clone().changed(&change.settings);
        Ok((change.replicates.unwrap_or(self.replicates), settings))
    }
}

/// The default configuration with `values` in the place of its own.
///
/// # Errors
/// When a value is not of its field's type, or there is no such field.
pub(crate) fn configuration_with<'a>(
    values: impl IntoIterator<Item = (&'a str, &'a Value)>,
) -> Result<RunConfiguration, toml::de::Error> {
    let mut table = default_table();
    table.extend(values.into_iter().map(|(name, value)| (name.to_owned(), value.clone())));
    table.try_into()
}

/// The default configuration by field; what is absent there is not in the table.
///
/// # Panics
/// Never: TOML can say all of it.
pub(crate) fn default_table() -> Table {
    Table::try_from(RunConfiguration::default()).expect("TOML can say the default configuration")
}
