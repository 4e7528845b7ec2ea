//! `profiles/NAME/simulation.toml`: the parameters of a machine, each with its source.

use std::path::{Path, PathBuf};

use onesided_results::{
    row::ConditionRow,
    vocabulary::{Campaign, CodeGeneration},
};
use onesided_sim::{Field, ParameterError, Parameters};
use serde::{Deserialize, Serialize};

/// Name of the file in a profile's folder.
pub const FILE: &str = "simulation.toml";

/// A parameter with where it comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stated {
    /// Its name; `onesided_sim::Field` has all of them.
    pub name: String,
    /// Its value, in the unit of its name.
    pub value: f64,
    /// Lower end of its 95 % interval; absent where it was not fitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low: Option<f64>,
    /// Upper end of its 95 % interval; absent where it was not fitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high: Option<f64>,
    /// What a fit begins with: a guess from before any of the conditions was looked at. What the
    /// conditions do not tell stays there. Absent: the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<f64>,
    /// Whether calibration may change it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub free: bool,
    /// Paper and section, data sheet, or the runs that it was fitted to.
    pub source: String,
}

/// Runs of a machine that differ from others in what the tables have no column for: which switch
/// was between, how fast a day was.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetUp {
    /// Its name.
    pub name: String,
    /// Which of the study's programs; absent: any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub code_generation: Option<CodeGeneration>,
    /// Which group of its runs; absent: those of no group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub campaign: Option<Campaign>,
    /// What is different.
    #[serde(default)]
    pub parameter: Vec<Stated>,
}

/// The file as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    parameter: Vec<Stated>,
    #[serde(default, rename = "set-up")]
    set_ups: Vec<SetUp>,
}

/// The parameters of a machine, complete and possible.
#[derive(Clone, Debug, PartialEq)]
pub struct SimulationProfile {
    /// All parameters, once each.
    pub parameters: Vec<Stated>,
    /// What differs between groups of runs; empty where nothing does.
    pub set_ups: Vec<SetUp>,
}

/// What is wrong with a profile.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileFault {
    /// A name or value that cannot be.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// A parameter without a value: another model would be simulated.
    #[error("the parameters {} are lacking; each needs a value and its source", names.join(", "))]
    Lacking {
        /// Which.
        names: Vec<&'static str>,
    },
    /// Two values of one parameter.
    #[error("{name} is given twice")]
    Twice {
        /// Which.
        name: String,
    },
}

/// Why a profile could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadProfileError {
    /// The file could not be read.
    #[error("cannot read {path}; a machine that is to be simulated needs one", path = path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is no such file.
    #[error("{path}: {source}", path = path.display())]
    Text {
        /// Which file.
        path: PathBuf,
        /// Line, column and what is wrong there.
        source: Box<toml::de::Error>,
    },
    /// It says what cannot be.
    #[error("{path}: {fault}", path = path.display())]
    Fault {
        /// Which file.
        path: PathBuf,
        /// What is wrong.
        fault: ProfileFault,
    },
}

/// Reads the profile in the file at `path`.
///
/// # Errors
/// [`ReadProfileError`], naming the file, and line or parameter.
pub fn read_profile(path: &Path) -> Result<SimulationProfile, ReadProfileError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| ReadProfileError::Read { path: path.to_owned(), source })?;
    let text: Text = toml::from_str(&text).map_err(|source| ReadProfileError::Text {
        path: path.to_owned(),
        source: source.into(),
    })?;
    let profile = SimulationProfile { parameters: text.parameter, set_ups: text.set_ups };
    match profile.check() {
        Ok(()) => Ok(profile),
        Err(fault) => Err(ReadProfileError::Fault { path: path.to_owned(), fault }),
    }
}

impl SimulationProfile {
    fn check(&self) -> Result<(), ProfileFault> {
        let mut parameters = Parameters::ideal();
        once(&self.parameters)?;
        apply(&mut parameters, &self.parameters)?;
        for set_up in &self.set_ups {
            once(&set_up.parameter)?;
            apply(&mut parameters, &set_up.parameter)?;
        }
        let given = |field: &&Field| self.parameters.iter().any(|stated| stated.name == field.name);
        let names: Vec<_> =
            Field::ALL.iter().filter(|field| !given(field)).map(|field| field.name).collect();
        if names.is_empty() { Ok(()) } else { Err(ProfileFault::Lacking { names }) }
    }

    /// The set-up that a condition was measured with.
    pub fn set_up_of(&self, condition: &ConditionRow) -> Option<usize> {
        self.set_ups.iter().position(|set_up| {
            let generation = set_up.code_generation;
            (generation.is_none() || generation == condition.code_generation)
                && set_up.campaign == condition.campaign
        })
    }

    /// The parameters with a set-up, or without any.
    ///
    /// # Panics
    /// When the profile was put together by hand and is not possible, or has no such set-up.
    pub fn parameters(&self, set_up: Option<usize>) -> Parameters {
        let mut parameters = Parameters::ideal();
        let possible = "a profile is checked when it is read";
        apply(&mut parameters, &self.parameters).expect(possible);
        if let Some(set_up) = set_up {
            apply(&mut parameters, &self.set_ups[set_up].parameter).expect(possible);
        }
        parameters
    }

    /// All that is stated, each with the name of its set-up if it is of one.
    pub fn stated(&self) -> impl Iterator<Item = (Option<&str>, &Stated)> {
        let of_set_ups = self.set_ups.iter().flat_map(|set_up| {
            set_up.parameter.iter().map(|stated| (Some(set_up.name.as_str()), stated))
        });
        self.parameters.iter().map(|stated| (None, stated)).chain(of_set_ups)
    }

    /// Says of all free parameters that `source` is where they come from, and leaves as many of
    /// their digits as a fit has. An interval that says nothing is left out.
    pub fn attribute_fitted(&mut self, source: &str) {
        for stated in self.free() {
            stated.source = source.to_owned();
            if !stated.is_told() {
                (stated.low, stated.high) = (None, None);
            }
            stated.value = four_digits(stated.value);
            stated.low = stated.low.map(four_digits);
            stated.high = stated.high.map(four_digits);
        }
    }

    /// The file that says the same.
    pub fn to_text(&self) -> String {
        let text = Text { parameter: self.parameters.clone(), set_ups: self.set_ups.clone() };
        toml::to_string(&text).expect("names, numbers and sources are TOML")
    }

    /// The parameters that calibration may change, in a fixed order.
    pub(crate) fn free(&mut self) -> Vec<&mut Stated> {
        let of_set_ups = self.set_ups.iter_mut().flat_map(|set_up| &mut set_up.parameter);
        self.parameters.iter_mut().chain(of_set_ups).filter(|stated| stated.free).collect()
    }
}

impl Stated {
    /// Whether the conditions tell it: its interval is known and its ends are less than 20 times
    /// apart.
    pub fn is_told(&self) -> bool {
        matches!((self.low, self.high), (Some(low), Some(high)) if high < 20.0 * low)
    }
}

/// The nearest number of four significant digits.
fn four_digits(value: f64) -> f64 {
    format!("{value:.3e}").parse().expect("a printed number is one")
}

fn apply(parameters: &mut Parameters, stated: &[Stated]) -> Result<(), ParameterError> {
    stated.iter().try_for_each(|one| {
        let field = Field::of(&one.name)?;
        one.start.map_or(Ok(()), |start| field.set(parameters, start))?;
        field.set(parameters, one.value)
    })
}

fn once(stated: &[Stated]) -> Result<(), ProfileFault> {
    for (at, one) in stated.iter().enumerate() {
        if stated[..at].iter().any(|earlier| earlier.name == one.name) {
            return Err(ProfileFault::Twice { name: one.name.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
