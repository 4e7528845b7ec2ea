//! `profiles/NAME/simulation.toml`: the parameters of a machine, each with its source.

mod set_up;

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use onesided_results::{
    regular_file,
    toml_file::{self, TomlFileError},
    version,
    vocabulary::Ddio,
};
use onesided_sim::{Field, ParameterError, Parameters};
use serde::{Deserialize, Serialize};

use crate::split::Split;

pub(crate) use set_up::no_parameters;
pub use set_up::{ChooseSetUpError, SetAside, SetUp};

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

/// What a part of the free parameters was fitted to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FitOf {
    /// Conditions with this state of direct cache access.
    pub ddio: Ddio,
    /// How many.
    pub conditions: usize,
    /// What was not, in the words of [`crate::Split`].
    pub held_out: String,
}

/// The file as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    /// Checked before: which files say what this one does.
    schema_version: Option<u32>,
    #[serde(default, rename = "fit", skip_serializing_if = "Vec::is_empty")]
    fits: Vec<FitOf>,
    parameter: Vec<Stated>,
    #[serde(default, rename = "set-aside", skip_serializing_if = "Vec::is_empty")]
    set_asides: Vec<SetAside>,
    #[serde(default, rename = "set-up")]
    set_ups: Vec<SetUp>,
}

/// The parameters of a machine, complete and possible.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SimulationProfile {
    /// What parts were fitted to; empty where nothing was.
    pub fits: Vec<FitOf>,
    /// All parameters, once each.
    pub parameters: Vec<Stated>,
    /// Conditions of the machine that are of no use; empty where there are none.
    pub set_asides: Vec<SetAside>,
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
    /// Something without a source, or with an interval beside its value.
    #[error("{name}: {what}")]
    Stated {
        /// Which.
        name: String,
        /// What is wrong, and what to do.
        what: &'static str,
    },
    /// Two values of one parameter, or two set-ups of one name.
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
    #[error(transparent)]
    Text(#[from] TomlFileError),
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
    let text = regular_file::text(path)
        .map_err(|source| ReadProfileError::Read { path: path.to_owned(), source })?;
    let text: Text = toml_file::parse_versioned(path, &text, version::SIMULATION_PROFILE)?;
    let Text { fits, parameter: parameters, set_asides, set_ups, .. } = text;
    let profile = SimulationProfile { fits, parameters, set_asides, set_ups };
    match profile.check() {
        Ok(()) => Ok(profile),
        Err(fault) => Err(ReadProfileError::Fault { path: path.to_owned(), fault }),
    }
}

impl SimulationProfile {
    fn check(&self) -> Result<(), ProfileFault> {
        let mut parameters = Parameters::ideal();
        once(self.parameters.iter().map(|stated| &stated.name))?;
        once(self.set_ups.iter().map(|set_up| &set_up.name))?;
        self.stated().try_for_each(|(_, stated)| stated.check())?;
        apply(&mut parameters, &self.parameters)?;
        for set_up in &self.set_ups {
            once(set_up.parameter.iter().map(|stated| &stated.name))?;
            apply(&mut parameters, &set_up.parameter)?;
        }
        let given = |field: &&Field| self.parameters.iter().any(|stated| stated.name == field.name);
        let names: Vec<_> =
            Field::ALL.iter().filter(|field| !given(field)).map(|field| field.name).collect();
        if names.is_empty() { Ok(()) } else { Err(ProfileFault::Lacking { names }) }
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

    /// Says of the free parameters of a part that `source` is where they come from, as `fit` was,
    /// and leaves as many of their digits as a fit has. An interval that says nothing is left out.
    pub fn attribute_fitted(&mut self, fit: FitOf, source: &str) {
        let part = fit.ddio;
        self.fits.retain(|other| other.ddio != part);
        self.fits.push(fit);
        for stated in self.free(part) {
            stated.source = source.to_owned();
            if !stated.is_told() {
                (stated.low, stated.high) = (None, None);
            }
            stated.value = four_digits(stated.value);
            stated.low = stated.low.map(four_digits);
            stated.high = stated.high.map(four_digits);
        }
    }

    /// The first part that was fitted with something else held out than `split`: some of what that
    /// holds out may have been fitted to.
    pub fn fitted_otherwise(&self, split: &Split) -> Option<&FitOf> {
        let held_out = split.to_string();
        self.fits.iter().find(|fit| fit.held_out != held_out)
    }

    /// Says of the free parameters of a part that they are where a fit begins, as there is nothing
    /// to fit them to.
    pub(crate) fn attribute_start(&mut self, part: Ddio) {
        self.fits.retain(|other| other.ddio != part);
        for stated in self.free(part) {
            (stated.low, stated.high) = (None, None);
            stated.source =
                "ours: where a fit begins, there was no condition to fit it to".to_owned();
        }
    }

    /// The file that says the same.
    pub fn to_text(&self) -> String {
        let Self { fits, parameters, set_asides, set_ups } = self.clone();
        let schema_version = Some(version::SIMULATION_PROFILE.written);
        let text = Text { schema_version, fits, parameter: parameters, set_asides, set_ups };
        toml::to_string(&text).expect("names, numbers and sources are TOML")
    }

    /// The parameters that a fit to conditions with this state of direct cache access may change,
    /// in a fixed order. What all set-ups have in common belongs to those that have it as the
    /// machine does.
    pub(crate) fn free(&mut self, part: Ddio) -> Vec<&mut Stated> {
        let common = self.parameters.iter_mut().filter(|_| part == Ddio::Default);
        let of_part = self.set_ups.iter_mut().filter(|set_up| set_up.ddio == part);
        let of_set_ups = of_part.flat_map(|set_up| &mut set_up.parameter);
        common.chain(of_set_ups).filter(|stated| stated.free).collect()
    }
}

impl Stated {
    fn check(&self) -> Result<(), ProfileFault> {
        let fault = |what| Err(ProfileFault::Stated { name: self.name.clone(), what });
        if self.source.trim().is_empty() {
            return fault("it has no source: say where the value comes from");
        }
        let within = |end: Option<f64>| end.unwrap_or(self.value);
        if !(within(self.low)..=within(self.high)).contains(&self.value) {
            return fault("its value is not within low and high");
        }
        Ok(())
    }

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

fn once<'a>(names: impl Iterator<Item = &'a String>) -> Result<(), ProfileFault> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(ProfileFault::Twice { name: name.clone() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
