//! A design at a level, for a profile, as a run table.

use std::{collections::BTreeMap, path::PathBuf};

use onesided_results::{
    RunConfiguration,
    configuration::{ConfigurationError, Fault},
};

use crate::{
    design::{Design, DesignError, Place, Setting, Settings, configuration_with},
    identity::Identity,
    level::Level,
    order::put_in_order,
    run_table::RunTable,
};

/// A design that cannot be expanded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExpandError {
    /// The design does not say what the level is.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// A design point that no machine can run.
    #[error("{}:{}design point {point}: {error}", path.display(), at(*place))]
    Impossible {
        /// The design's file.
        path: PathBuf,
        /// Where the first value at fault stands; absent if it is a default.
        place: Option<Place>,
        /// The levels that make the point.
        point: String,
        /// Why it cannot be run.
        error: ConfigurationError,
    },
    /// Two design points that are the same run.
    #[error("{}: two design points are the same run {run_id}", path.display())]
    SameRunTwice {
        /// The design's file.
        path: PathBuf,
        /// The run's name.
        run_id: String,
    },
}

fn at(place: Option<Place>) -> String {
    place.map_or_else(|| " ".to_owned(), |place| format!("{place}: "))
}

/// Every design point of `design` at `level`, as often as it is to be run, in a random order that
/// follows from `seed`.
///
/// The same arguments always give the same table.
///
/// # Errors
/// When the design has no such level, or a point that cannot be run.
pub fn expand(
    design: &Design,
    level: Level,
    profile: &str,
    seed: u64,
) -> Result<RunTable, ExpandError> {
    let (replicates, settings) = design.at(level)?;
    let mut runs = Vec::new();
    let mut made: Vec<RunConfiguration> = Vec::new();
    for point in points(&settings) {
        let as_said = configuration(design, &point, profile);
        let mut configuration = as_said.clone().without_the_idle();
        // Points that differ only in what absent workers or an absent load would do are one.
        if configuration != as_said && made.contains(&configuration) {
            continue;
        }
        made.push(configuration.clone());
        for replicate in 1..=replicates {
            configuration.replicate = replicate;
            let identity = Identity::of(&configuration, seed);
            configuration.run_id = identity.run_id(&configuration);
            configuration.seed = identity.seed();
            configuration.check().map_err(|error| impossible(design, &point, error))?;
            runs.push(configuration.clone());
        }
    }
    put_in_order(&mut runs, &design.block_by, seed);
    RunTable::new(runs)
        .map_err(|run_id| ExpandError::SameRunTwice { path: design.path.clone(), run_id })
}

/// A setting for every field that the design names, and whether it is a factor's.
type Point<'a> = BTreeMap<&'a str, (&'a Setting, Role)>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Fixed,
    Factor,
}

/// Every combination of the factors' levels.
fn points(settings: &Settings) -> Vec<Point<'_>> {
    let fixed = settings.fixed.iter();
    let fixed: Point<'_> =
        fixed.map(|(name, setting)| (name.as_str(), (setting, Role::Fixed))).collect();
    settings.factors.iter().fold(vec![fixed], |points, (name, levels)| {
        let mut crossed = Vec::with_capacity(points.len() * levels.len());
        for point in &points {
            for level in levels {
                let mut point = point.clone();
                point.insert(name, (level, Role::Factor));
                crossed.push(point);
            }
        }
        crossed
    })
}

fn configuration(design: &Design, point: &Point<'_>, profile: &str) -> RunConfiguration {
    let values = point.iter().map(|(name, (setting, _))| (*name, &setting.value));
    let mut configuration = configuration_with(values)
        .unwrap_or_else(|error| panic!("each value was checked when read, but: {error}"));
    configuration.experiment.clone_from(&design.name);
    profile.clone_into(&mut configuration.profile);
    configuration
}

fn impossible(design: &Design, point: &Point<'_>, error: ConfigurationError) -> ExpandError {
    let place = |fault: &Fault| Some(point.get(fault.field())?.0.place);
    ExpandError::Impossible {
        path: design.path.clone(),
        place: error.faults.iter().find_map(place),
        point: point
            .iter()
            .filter(|(_, (_, role))| *role == Role::Factor)
            .map(|(name, (setting, _))| format!("{name} = {}", setting.value))
            .collect::<Vec<_>>()
            .join(", "),
        error,
    }
}

#[cfg(test)]
mod tests;
