//! Groups of a machine's runs that differ, and which of them a run is of.

use onesided_results::{
    row::ConditionRow,
    vocabulary::{Campaign, CodeGeneration, Ddio, WorkerOperation},
};
use serde::{Deserialize, Serialize};

use super::{SimulationProfile, Stated};
use crate::covered::NotCovered;

/// Runs of a machine that differ from others in what is no factor of the model: which switch was
/// between, how fast a day was, whether the card wrote into the last-level cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetUp {
    /// Its name.
    pub name: String,
    /// Which of the study's programs; absent: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_generation: Option<CodeGeneration>,
    /// Which group of its runs; absent: any, of which others may be named before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub campaign: Option<Campaign>,
    /// Direct cache access of all its runs; absent: as the machine has it.
    #[serde(default = "as_it_is", skip_serializing_if = "is_as_it_is")]
    pub ddio: Ddio,
    /// What is different.
    #[serde(default)]
    pub parameter: Vec<Stated>,
}

/// Conditions whose numbers are not what they are called.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetAside {
    /// Which of the study's programs; absent: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_generation: Option<CodeGeneration>,
    /// What workers do; absent: anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker_operation: Option<WorkerOperation>,
    /// Why nothing is to be fitted to them nor judged by them.
    pub why: String,
}

/// Why no set-up could be chosen.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ChooseSetUpError {
    /// The profile has none at all.
    #[error("there are no set-ups: leave {name} out")]
    None {
        /// What was asked for.
        name: String,
    },
    /// It has others.
    #[error("there is no set-up {name}; there is {}", known.join(", "))]
    Unknown {
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
    /// It is of runs with another state of direct cache access.
    #[error("the set-up {name} is of runs with ddio = {found}, not {asked}")]
    Contradicts {
        /// What was asked for.
        name: String,
        /// Its state.
        found: Ddio,
        /// The state asked for.
        asked: Ddio,
    },
    /// No set-up is of such runs, and what others have in common is not either.
    #[error("no set-up is of runs with ddio = {asked}; {} are of others", known.join(", "))]
    Lacking {
        /// The state asked for.
        asked: Ddio,
        /// What there is.
        known: Vec<String>,
    },
}

impl SimulationProfile {
    /// The set-up that a condition was measured with, the first of those that fit; none if there is none.
    ///
    /// # Errors
    /// When direct cache access was off and no set-up says so: parameters of runs with it say
    /// nothing of those without.
    pub fn set_up_of(&self, condition: &ConditionRow) -> Result<Option<usize>, NotCovered> {
        let found = self.set_ups.iter().position(|set_up| {
            let generation = set_up.code_generation;
            (generation.is_none() || generation == condition.code_generation)
                && (set_up.campaign.is_none() || set_up.campaign == condition.campaign)
                && set_up.ddio == condition.ddio
        });
        match (found, condition.ddio) {
            (None, Ddio::Off) => Err(no_parameters(Ddio::Off)),
            _ => Ok(found),
        }
    }

    /// The set-up to predict a run with that was not measured: the one of the `name`, or else the
    /// last of those that are of runs with the same `ddio`. None where the profile has none.
    ///
    /// # Errors
    /// [`ChooseSetUpError`].
    pub fn choose_set_up(
        &self,
        name: Option<&str>,
        ddio: Ddio,
    ) -> Result<Option<usize>, ChooseSetUpError> {
        let known = || self.set_ups.iter().map(|set_up| set_up.name.clone()).collect();
        let Some(name) = name else {
            let last = self.set_ups.iter().rposition(|set_up| set_up.ddio == ddio);
            return match (last, ddio) {
                (None, Ddio::Off) => Err(ChooseSetUpError::Lacking { asked: ddio, known: known() }),
                _ => Ok(last),
            };
        };
        let Some(at) = self.set_ups.iter().position(|set_up| set_up.name == name) else {
            let name = name.to_owned();
            return Err(match self.set_ups.is_empty() {
                true => ChooseSetUpError::None { name },
                false => ChooseSetUpError::Unknown { name, known: known() },
            });
        };
        let found = self.set_ups[at].ddio;
        if found == ddio {
            Ok(Some(at))
        } else {
            let name = name.to_owned();
            Err(ChooseSetUpError::Contradicts { name, found, asked: ddio })
        }
    }

    /// Why a condition is set aside; absent if it is not.
    pub(crate) fn set_aside(&self, condition: &ConditionRow) -> Option<&str> {
        let is_of = |aside: &&SetAside| {
            let SetAside { code_generation, worker_operation, .. } = aside;
            (code_generation.is_none() || *code_generation == condition.code_generation)
                && worker_operation.is_none_or(|one| one == condition.worker_operation)
        };
        self.set_asides.iter().find(is_of).map(|aside| aside.why.as_str())
    }
}

/// The refusal of a run whose state of direct cache access no parameters are of.
pub(crate) fn no_parameters(ddio: Ddio) -> NotCovered {
    NotCovered::Level {
        factor: "ddio",
        level: ddio.to_string(),
        why: "the profile has no set-up of it, or another one was asked for",
    }
}

fn as_it_is() -> Ddio {
    Ddio::Default
}

fn is_as_it_is(ddio: &Ddio) -> bool {
    *ddio == Ddio::Default
}
