//! What a design file says, checked with the place of everything that is wrong.

use std::{collections::BTreeMap, path::Path};

use onesided_results::{RunConfiguration, toml_file::Place, vocabulary::Level, word::nearest};
use toml::{Spanned, Value};

use super::{
    error::DesignError,
    parts::{BlockBy, Change, Design, Setting, Settings, configuration_with},
    tables::{ChangeTable, Factors, Fixed, StatedCost},
};
use crate::{expand::cost, run_table::Cost};

/// The file that is being read, for the places of errors.
pub(super) struct Reading<'a> {
    pub(super) path: &'a Path,
    pub(super) text: &'a str,
}

impl Reading<'_> {
    fn place<T>(&self, spanned: &Spanned<T>) -> Place {
        Place::of(self.text, spanned.span().start)
    }

    pub(super) fn check_name(&self, name: &Spanned<String>) -> Result<(), DesignError> {
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

    pub(super) fn replicates(&self, replicates: &Spanned<u32>) -> Result<u32, DesignError> {
        match *replicates.as_ref() {
            0 => {
                let (path, place) = (self.path.to_owned(), self.place(replicates));
                Err(DesignError::NoReplicates { path, place })
            }
            some => Ok(some),
        }
    }

    pub(super) fn change(&self, table: ChangeTable) -> Result<Change, DesignError> {
        let replicates = table.replicates.map(|count| self.replicates(&count)).transpose()?;
        Ok(Change {
            replicates,
            settings: self.settings(table.fixed, table.factors, table.together)?,
        })
    }

    pub(super) fn block_by(
        &self,
        names: &[Spanned<String>],
        settings: &Settings,
    ) -> Result<Vec<BlockBy>, DesignError> {
        let block = |name: &Spanned<String>| match name.as_ref().as_str() {
            "replicate" => Ok(BlockBy::Replicate),
            factor if settings.varied().any(|varied| varied == factor) => {
                Ok(BlockBy::Factor(factor.into()))
            }
            other => {
                let mut allowed = vec!["replicate".to_owned()];
                allowed.extend(settings.varied().map(str::to_owned));
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

    pub(super) fn settings(
        &self,
        fixed: Fixed,
        factors: Factors,
        together: Vec<Factors>,
    ) -> Result<Settings, DesignError> {
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
            Self::each_once(&levels).map_err(|twice| self.level_twice(name.as_ref(), twice))?;
            settings.factors.insert(name.into_inner(), levels);
        }
        for group in together {
            let group = self.group(group, &settings)?;
            settings.together.push(group);
        }
        Ok(settings)
    }

    /// Factors that change together: of as many levels each, and said nowhere else.
    fn group(
        &self,
        group: Factors,
        settings: &Settings,
    ) -> Result<BTreeMap<String, Vec<Setting>>, DesignError> {
        let mut known: BTreeMap<String, Vec<Setting>> = BTreeMap::new();
        for (name, values) in group {
            self.check_factor_name(&name)?;
            let (path, place) = (self.path.to_owned(), self.place(&values));
            let field = name.as_ref().as_str();
            if settings.fixed.contains_key(field) || settings.varied().any(|said| said == field) {
                let (place, field) = (self.place(&name), name.into_inner());
                return Err(DesignError::TogetherAndElsewhere { path, place, field });
            }
            let levels = self.levels(field, values)?;
            if let Some((other, expected)) = known.first_key_value()
                && expected.len() != levels.len()
            {
                let (field, other) = (field.to_owned(), other.clone());
                let (levels, expected) = (levels.len(), expected.len());
                let error =
                    DesignError::LevelsApart { path, place, field, levels, other, expected };
                return Err(error);
            }
            known.insert(name.into_inner(), levels);
        }
        Ok(known)
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
        values.into_inner().into_iter().map(|value| self.setting(&field, value)).collect()
    }

    /// That no level stands there twice; or the second.
    fn each_once(levels: &[Setting]) -> Result<(), &Setting> {
        let twice = levels.iter().enumerate().find(|(index, level)| {
            levels[..*index].iter().any(|earlier| earlier.value == level.value)
        });
        twice.map_or(Ok(()), |(_, level)| Err(level))
    }

    fn level_twice(&self, field: &str, level: &Setting) -> DesignError {
        let (path, place, value) = (self.path.to_owned(), level.place, level.value.to_string());
        DesignError::LevelTwice { path, place, field: field.to_owned(), value }
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

    /// What `design` costs at `level`, which must be what is `stated`.
    pub(super) fn cost(
        &self,
        design: &Design,
        level: Level,
        stated: &Spanned<StatedCost>,
    ) -> Result<Cost, DesignError> {
        let path = self.path.to_owned();
        if level != Level::Full && !design.changes.contains_key(&level) {
            let place = self.place(stated);
            return Err(DesignError::CostOfNoLevel { path, place, level });
        }
        let cost = cost(design, level)?;
        let seconds = cost.seconds();
        let stated = stated.as_ref();
        for (quantity, said, expands_to) in [
            ("runs", &stated.runs, cost.runs as u64),
            ("blocks", &stated.blocks, cost.blocks as u64),
            ("seconds", &stated.seconds, seconds),
        ] {
            if *said.as_ref() != expands_to {
                let (place, said) = (self.place(said), *said.as_ref());
                let error =
                    DesignError::CostIsAnother { path, place, level, quantity, said, expands_to };
                return Err(error);
            }
        }
        Ok(cost)
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
