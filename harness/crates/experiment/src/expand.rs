//! A design at a level, for a profile, as a run table.

use std::{
    collections::{BTreeMap, HashMap},
    hash::{DefaultHasher, Hash as _, Hasher as _},
    path::PathBuf,
};

use onesided_results::{
    RunConfiguration,
    configuration::{ConfigurationError, Fault},
    table::cells,
    vocabulary::Level,
};

use crate::{
    design::{
        Place,
        error::DesignError,
        parts::{Design, Setting, Settings, configuration_with},
    },
    identity::Identity,
    order::{number_of_blocks, put_in_order},
    run_table::{Cost, RunTable},
};

/// A design that cannot be expanded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExpandError {
    /// The design does not say what the level is.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// A design point that no machine can run.
    #[error("{}:{}design point {point}{}: {error}", path.display(), at(*place), stretched(*stretch))]
    Impossible {
        /// The design's file.
        path: PathBuf,
        /// Where the first value at fault stands; absent if it is a default.
        place: Option<Place>,
        /// The levels that make the point.
        point: String,
        /// How many times as long as designed its runs are to last.
        stretch: u32,
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

fn stretched(times: u32) -> String {
    if times == 1 { String::new() } else { format!(", {times} times as long as designed") }
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
    for (point, mut configuration) in distinct(design, &settings, profile) {
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

/// What the runs of `design` at `level` cost, possible or not.
///
/// # Errors
/// When the design has no such level.
pub(crate) fn cost(design: &Design, level: Level) -> Result<Cost, DesignError> {
    let (replicates, settings) = design.at(level)?;
    let points = distinct(design, &settings, "unnamed");
    let runs: Vec<RunConfiguration> = points
        .into_iter()
        .flat_map(|(_, run)| {
            (1..=replicates).map(move |replicate| RunConfiguration { replicate, ..run.clone() })
        })
        .collect();
    let blocks = number_of_blocks(&runs, &design.block_by);
    Ok(Cost { blocks, ..Cost::of(&runs) })
}

/// Every design point with its configuration. Points that differ only in what means nothing, as what
/// absent workers would do, are one.
fn distinct<'a>(
    design: &Design,
    settings: &'a Settings,
    profile: &str,
) -> Vec<(Point<'a>, RunConfiguration)> {
    let mut made: Vec<(Point<'_>, RunConfiguration)> = Vec::new();
    // Where those are that look alike, and whether something meaningless was left out of them.
    let mut places: HashMap<u64, Vec<(usize, bool)>> = HashMap::new();
    for point in points(settings) {
        let as_said = configuration(design, &point, profile);
        let configuration = as_said.clone().without_the_meaningless();
        let is_reduced = configuration != as_said;
        let alike = places.entry(hash_of(&configuration)).or_default();
        let is_same = |(at, was_reduced): &(usize, bool)| {
            (is_reduced || *was_reduced) && made[*at].1 == configuration
        };
        if alike.iter().any(is_same) {
            continue;
        }
        alike.push((made.len(), is_reduced));
        made.push((point, configuration));
    }
    made
}

/// Equal for equal configurations, and hardly ever for others.
fn hash_of(configuration: &RunConfiguration) -> u64 {
    let mut hasher = DefaultHasher::new();
    cells(configuration).hash(&mut hasher);
    hasher.finish()
}

/// A setting for every field that the design names, and whether it is a factor's.
type Point<'a> = BTreeMap<&'a str, (&'a Setting, Role)>;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Fixed,
    Factor,
}

/// Every combination of the levels of factors and of groups.
fn points(settings: &Settings) -> Vec<Point<'_>> {
    let fixed = settings.fixed.iter();
    let fixed: Point<'_> =
        fixed.map(|(name, setting)| (name.as_str(), (setting, Role::Fixed))).collect();
    let factors = settings.factors.iter().map(|(name, levels)| {
        levels.iter().map(|level| vec![(name.as_str(), level)]).collect::<Vec<_>>()
    });
    let groups = settings.together.iter().map(|group| {
        let count = group.values().map(Vec::len).min().unwrap_or(0);
        let joint = |index: usize| group.iter().map(move |(name, of)| (name.as_str(), &of[index]));
        (0..count).map(|index| joint(index).collect()).collect()
    });
    factors.chain(groups).fold(vec![fixed], |points, levels| {
        let mut crossed = Vec::with_capacity(points.len() * levels.len());
        for point in &points {
            for level in &levels {
                let mut point = point.clone();
                point.extend(level.iter().map(|(name, level)| (*name, (*level, Role::Factor))));
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
    for time in [&mut configuration.warm_up_ms, &mut configuration.duration_ms] {
        // TOML has no greater number, and no run may be so long.
        *time = time.saturating_mul(design.stretch.into()).min(i64::MAX.unsigned_abs());
    }
    profile.clone_into(&mut configuration.profile);
    configuration
}

fn impossible(design: &Design, point: &Point<'_>, error: ConfigurationError) -> ExpandError {
    let place = |fault: &Fault| Some(point.get(fault.field())?.0.place);
    ExpandError::Impossible {
        path: design.path.clone(),
        stretch: design.stretch,
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
