//! The shape of a design file, and its reading with the place of everything that is wrong.

use std::{collections::BTreeMap, path::Path};

use onesided_results::{RunConfiguration, word::nearest};
use serde::Deserialize;
use toml::{Spanned, Value};

use super::{BlockBy, Change, Design, DesignError, Place, Setting, Settings, configuration_with};
use crate::level::Level;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DesignFile {
    replicates: Spanned<u32>,
    #[serde(default = "by_replicate")]
    block_by: Vec<Spanned<String>>,
    experiment: ExperimentTable,
    #[serde(default)]
    fixed: Fixed,
    factors: Factors,
    #[serde(default)]
    level: LevelTables,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExperimentTable {
    name: Spanned<String>,
    title: String,
    question: String,
    #[serde(default)]
    claims: Vec<String>,
}

/// `full` is not among them: it is the design itself.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct LevelTables {
    smoke: Option<ChangeTable>,
    reproduce: Option<ChangeTable>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChangeTable {
    replicates: Option<Spanned<u32>>,
    #[serde(default)]
    fixed: Fixed,
    #[serde(default)]
    factors: Factors,
}

type Fixed = BTreeMap<Spanned<String>, Spanned<Value>>;
type Factors = BTreeMap<Spanned<String>, Spanned<Vec<Spanned<Value>>>>;

fn by_replicate() -> Vec<Spanned<String>> {
    vec![Spanned::new(0..0, "replicate".to_owned())]
}

pub(super) fn parse(path: &Path, text: &str) -> Result<Design, DesignError> {
    let reading = Reading { path, text };
    let file: DesignFile = toml::from_str(text).map_err(|error| reading.malformed(&error))?;
    reading.check_name(&file.experiment.name)?;
    let mut changes = BTreeMap::new();
    for (level, table) in
        [(Level::Smoke, file.level.smoke), (Level::Reproduce, file.level.reproduce)]
    {
        if let Some(table) = table {
            changes.insert(level, reading.change(table)?);
        }
    }
    let settings = reading.settings(file.fixed, file.factors)?;
    Ok(Design {
        path: path.to_owned(),
        name: file.experiment.name.into_inner(),
        title: file.experiment.title,
        question: file.experiment.question,
        claims: file.experiment.claims,
        replicates: reading.replicates(&file.replicates)?,
        block_by: reading.block_by(&file.block_by, &settings)?,
        settings,
        changes,
    })
}

/// The file that is being read, for the places of errors.
struct Reading<'a> {
    path: &'a Path,
    text: &'a str,
}

impl Reading<'_> {
    fn place<T>(&self, spanned: &Spanned<T>) -> Place {
        Place::of(self.text, spanned.span().start)
    }

    fn malformed(&self, error: &toml::de::Error) -> DesignError {
        DesignError::Malformed {
            path: self.path.to_owned(),
            place: Place::of(self.text, error.span().map_or(0, |span| span.start)),
            message: error.message().to_owned(),
            nearest: nearest_quoted(error.message()),
        }
    }

    fn check_name(&self, name: &Spanned<String>) -> Result<(), DesignError> {
        let expected = self.path.file_stem().unwrap_or_default().to_string_lossy();
        if **name.as_ref() == *expected {
            return Ok(());
        }
        Err(DesignError::NameIsNotTheFiles {
            path: self.path.to_owned(),
            place: self.place(name),
            name: name.as_ref().clone(),
            expected: expected.into_owned(),
        })
    }

    fn replicates(&self, replicates: &Spanned<u32>) -> Result<u32, DesignError> {
        match *replicates.as_ref() {
            0 => {
                let (path, place) = (self.path.to_owned(), self.place(replicates));
                Err(DesignError::NoReplicates { path, place })
            }
            some => Ok(some),
        }
    }

    fn change(&self, table: ChangeTable) -> Result<Change, DesignError> {
        let replicates = table.replicates.map(|count| self.replicates(&count)).transpose()?;
        Ok(Change { replicates, settings: self.settings(table.fixed, table.factors)? })
    }

    fn block_by(
        &self,
        names: &[Spanned<String>],
        settings: &Settings,
    ) -> Result<Vec<BlockBy>, DesignError> {
        let block = |name: &Spanned<String>| match name.as_ref().as_str() {
            "replicate" => Ok(BlockBy::Replicate),
            factor if settings.factors.contains_key(factor) => Ok(BlockBy::Factor(factor.into())),
            other => {
                let mut allowed = vec!["replicate".to_owned()];
                allowed.extend(settings.factors.keys().cloned());
                let nearest = nearest(other, allowed.iter().map(String::as_str));
                Err(DesignError::UnknownBlock {
                    path: self.path.to_owned(),
                    place: self.place(name),
                    name: other.to_owned(),
                    nearest: nearest.map(str::to_owned),
                    allowed,
                })
            }
        };
        names.iter().map(block).collect()
    }

    fn settings(&self, fixed: Fixed, factors: Factors) -> Result<Settings, DesignError> {
        let mut settings = Settings::default();
        for (name, value) in fixed {
            self.check_factor_name(&name)?;
            if factors.contains_key(&name) {
                return Err(DesignError::FixedAndFactor {
                    path: self.path.to_owned(),
                    place: self.place(&name),
                    field: name.into_inner(),
                });
            }
            let setting = self.setting(name.as_ref(), value)?;
            settings.fixed.insert(name.into_inner(), setting);
        }
        for (name, values) in factors {
            self.check_factor_name(&name)?;
            let levels = self.levels(name.as_ref(), values)?;
            settings.factors.insert(name.into_inner(), levels);
        }
        Ok(settings)
    }

    fn levels(
        &self,
        field: &str,
        values: Spanned<Vec<Spanned<Value>>>,
    ) -> Result<Vec<Setting>, DesignError> {
        let (path, field) = (self.path.to_owned(), field.to_owned());
        if values.as_ref().is_empty() {
            return Err(DesignError::NoLevels { path, place: self.place(&values), field });
        }
        let mut levels: Vec<Setting> = Vec::new();
        for value in values.into_inner() {
            let level = self.setting(&field, value)?;
            if levels.iter().any(|earlier| earlier.value == level.value) {
                let (place, value) = (level.place, level.value.to_string());
                return Err(DesignError::LevelTwice { path, place, field, value });
            }
            levels.push(level);
        }
        Ok(levels)
    }

    fn setting(&self, field: &str, value: Spanned<Value>) -> Result<Setting, DesignError> {
        let place = self.place(&value);
        let value = value.into_inner();
        match configuration_with([(field, &value)]) {
            Ok(_) => Ok(Setting { value, place }),
            Err(error) => Err(DesignError::BadValue {
                path: self.path.to_owned(),
                place,
                field: field.to_owned(),
                value: value.to_string(),
                reason: error.message().to_owned(),
            }),
        }
    }

    fn check_factor_name(&self, name: &Spanned<String>) -> Result<(), DesignError> {
        let field = name.as_ref();
        if RunConfiguration::factors().any(|factor| factor == field) {
            return Ok(());
        }
        let (path, place, field) = (self.path.to_owned(), self.place(name), field.clone());
        if RunConfiguration::fields().contains(&field.as_str()) {
            return Err(DesignError::NotADesignersChoice { path, place, field });
        }
        Err(DesignError::UnknownFactor {
            nearest: nearest(&field, RunConfiguration::factors()),
            allowed: RunConfiguration::factors().collect(),
            path,
            place,
            field,
        })
    }
}

/// What was probably meant, from a message of serde's form "unknown field `x`, expected `y`".
fn nearest_quoted(message: &str) -> Option<String> {
    let mut quoted = message.strip_prefix("unknown field ")?.split('`').skip(1).step_by(2);
    let found = quoted.next()?;
    nearest(found, quoted).map(str::to_owned)
}
