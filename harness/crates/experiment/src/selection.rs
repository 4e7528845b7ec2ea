//! Part of a design's runs, chosen by the levels of factors.

use std::{collections::BTreeSet, str::FromStr};

use onesided_results::{
    RunConfiguration,
    word::{nearest, suggestion},
};
use toml::{Table, Value};

use crate::run_table::RunTable;

/// The levels of one factor that runs are to have, as `queue_pairs=1,4`; the factor may be
/// `replicate`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    factor: String,
    levels: Vec<String>,
}

/// What is no selection, or selects nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    /// Not of the form.
    #[error("expected FACTOR=LEVEL[,LEVEL]..., not {found:?}")]
    Malformed {
        /// What was given.
        found: String,
    },
    /// No such factor.
    #[error("{factor:?} is no factor{}", suggestion(nearest.as_deref()))]
    UnknownFactor {
        /// The name.
        factor: String,
        /// What was probably meant.
        nearest: Option<String>,
    },
    /// No run has the level.
    #[error(
        "no run of {experiment} has {factor} = {level}{}; it has: {}",
        suggestion(nearest.as_deref()), there.join(", ")
    )]
    UnknownLevel {
        /// The design.
        experiment: String,
        /// The factor.
        factor: String,
        /// The level.
        level: String,
        /// What was probably meant.
        nearest: Option<String>,
        /// The levels that runs have.
        there: Vec<String>,
    },
}

/// The name of a run's repetition, which is chosen as a factor's level is.
const REPLICATE: &str = "replicate";

impl FromStr for Selection {
    type Err = SelectionError;

    fn from_str(found: &str) -> Result<Self, SelectionError> {
        let malformed = || SelectionError::Malformed { found: found.to_owned() };
        let (factor, levels) = found.split_once('=').ok_or_else(malformed)?;
        let levels: Vec<_> = levels.split(',').map(|level| level.trim().to_owned()).collect();
        let factor = factor.trim().to_owned();
        if levels.iter().any(String::is_empty) {
            return Err(malformed());
        }
        let known = || RunConfiguration::factors().chain([REPLICATE]);
        if !known().any(|name| name == factor) {
            let nearest = nearest(&factor, known()).map(str::to_owned);
            return Err(SelectionError::UnknownFactor { factor, nearest });
        }
        Ok(Self { factor, levels })
    }
}

impl Selection {
    /// The runs of `table` that have one of the levels, with the block and place that they have in
    /// the whole table.
    ///
    /// # Errors
    /// When a level is that of no run, which is a slip more often than a wish.
    pub fn of(&self, table: RunTable) -> Result<RunTable, SelectionError> {
        let levels: Vec<_> = table.runs().iter().map(|run| self.level_of(run)).collect();
        let there: BTreeSet<&String> = levels.iter().collect();
        if let Some(level) = self.levels.iter().find(|level| !there.contains(level)) {
            let experiment = table.runs().first().map(|run| run.experiment.clone());
            return Err(SelectionError::UnknownLevel {
                experiment: experiment.unwrap_or_default(),
                factor: self.factor.clone(),
                level: level.clone(),
                nearest: nearest(level, there.iter().map(|there| there.as_str())).map(Into::into),
                there: in_order(there),
            });
        }
        let mut wanted = levels.iter().map(|level| self.levels.contains(level));
        Ok(table.filtered(|_| wanted.next().unwrap_or(false)))
    }

    /// The level of the factor in a run, as people write it.
    ///
    /// # Panics
    /// Never: TOML can say every configuration that came from TOML.
    fn level_of(&self, run: &RunConfiguration) -> String {
        let values = Table::try_from(run).expect("TOML can say a configuration");
        match values.get(&self.factor) {
            None => "none".to_owned(),
            Some(Value::String(text)) => text.clone(),
            Some(value) => value.to_string(),
        }
    }
}

/// Numbers by size, words by letter.
fn in_order(levels: BTreeSet<&String>) -> Vec<String> {
    let mut levels: Vec<String> = levels.into_iter().cloned().collect();
    levels.sort_by_key(|level| level.parse::<u64>().unwrap_or(u64::MAX));
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> RunTable {
        let run = |(index, queue_pairs): (usize, u32)| RunConfiguration {
            run_id: format!("run-{index}"),
            experiment: "sample".to_owned(),
            queue_pairs,
            order: index as u32 + 1,
            ..RunConfiguration::default()
        };
        let runs = [8, 16, 8, 128].into_iter().enumerate().map(run).collect();
        RunTable::new(runs).unwrap()
    }

    fn selected(text: &str) -> Result<Vec<String>, SelectionError> {
        let table = text.parse::<Selection>()?.of(table())?;
        Ok(table.runs().iter().map(|run| run.run_id.clone()).collect())
    }

    #[test]
    fn the_runs_of_the_levels_are_left_and_keep_their_places() {
        assert_eq!(selected("queue_pairs=8,128").unwrap(), ["run-0", "run-2", "run-3"]);
        assert_eq!(selected("operation = read").unwrap().len(), 4);
        assert_eq!(selected("replicate=1").unwrap().len(), 4);
        let table = "queue_pairs=128".parse::<Selection>().unwrap().of(table()).unwrap();
        assert_eq!(table.runs()[0].order, 4);
    }

    #[test]
    fn a_slip_is_told_with_what_there_is() {
        let told = |text: &str| selected(text).unwrap_err().to_string();
        assert_eq!(
            told("queue_pair=8"),
            "\"queue_pair\" is no factor, did you mean \"queue_pairs\"?"
        );
        assert_eq!(
            told("queue_pairs=8,9"),
            "no run of sample has queue_pairs = 9; it has: 8, 16, 128"
        );
        assert_eq!(
            told("operation=raed"),
            "no run of sample has operation = raed, did you mean \"read\"?; it has: read"
        );
        for text in ["queue_pairs", "queue_pairs=", "queue_pairs=8,,9"] {
            assert!(told(text).starts_with("expected FACTOR=LEVEL"), "{text}");
        }
    }
}
