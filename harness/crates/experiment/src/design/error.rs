//! What can be wrong with a design file.

use std::path::PathBuf;

use onesided_results::{
    toml_file::{Place, TomlFileError},
    vocabulary::Level,
    word::{Word as _, suggestion},
};

/// Runs of one design at a level. Ours: at two seconds each nearly five days, and a table of 100 MB.
pub(crate) const MOST_RUNS: u64 = 200_000;

/// A design file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DesignError {
    /// The file cannot be read, or is no design.
    #[error(transparent)]
    File(#[from] TomlFileError),
    /// The experiment's name is not the file's, which others find it by.
    #[error(
        "{}:{place}: the experiment's name is \"{name}\", but the file's is \"{expected}\": make \
         them the same", path.display()
    )]
    NameIsNotTheFiles {
        /// The file.
        path: PathBuf,
        /// Where.
        place: Place,
        /// The experiment's name.
        name: String,
        /// The file's name without its ending.
        expected: String,
    },
    /// No such field can be set by a design.
    #[error(
        "{}:{place}: \"{field}\" is no factor{}; factors are: {}", path.display(),
        suggestion(*nearest), allowed.join(", ")
    )]
    UnknownFactor {
        /// The file.
        path: PathBuf,
        /// Where.
        place: Place,
        /// The name.
        field: String,
        /// The factor that was probably meant.
        nearest: Option<&'static str>,
        /// Every factor.
        allowed: Vec<&'static str>,
    },
    /// A field that says which run it is, and follows from the expansion.
    #[error("{}:{place}: \"{field}\" is given by `expand`: leave it out", path.display())]
    NotADesignersChoice {
        /// The file.
        path: PathBuf,
        /// Where.
        place: Place,
        /// The field.
        field: String,
    },
    /// A value that its field cannot have.
    #[error("{}:{place}: {field} = {value}: {reason}", path.display())]
    BadValue {
        /// The file.
        path: PathBuf,
        /// Where.
        place: Place,
        /// The field.
        field: String,
        /// The value, as TOML.
        value: String,
        /// Why.
        reason: String,
    },
    /// A factor without levels.
    #[error("{}:{place}: factor \"{field}\" has no level: give it one or more", path.display())]
    NoLevels {
        /// The file.
        path: PathBuf,
        /// Where.
        place: Place,
        /// The factor.
        field: String,
    },
    /// A factor with the same level twice.
    #[error(
        "{}:{place}: factor \"{field}\" has the level {value} twice: for repetitions use \
         `replicates`", path.display()
    )]
    LevelTwice {
        /// The file.
        path: PathBuf,
        /// Where the second stands.
        place: Place,
        /// The factor.
        field: String,
        /// The level, as TOML.
        value: String,
    },
    /// A field that is both fixed and a factor.
    #[error("{}:{place}: \"{field}\" is fixed and a factor: remove one", path.display())]
    FixedAndFactor {
        /// The file.
        path: PathBuf,
        /// Where the fixed value stands.
        place: Place,
        /// The field.
        field: String,
    },
    /// A field that changes together with others and is also said elsewhere.
    #[error(
        "{}:{place}: \"{field}\" is in [[together]] and elsewhere, too: remove one",
        path.display()
    )]
    TogetherAndElsewhere {
        /// The file.
        path: PathBuf,
        /// Where the one in `together` stands.
        place: Place,
        /// The field.
        field: String,
    },
    /// Fields that change together, but have not as many levels.
    #[error(
        "{}:{place}: \"{field}\" has {levels} levels and \"{other}\" has {expected}: those of one \
         [[together]] change together and need as many", path.display()
    )]
    LevelsApart {
        /// The file.
        path: PathBuf,
        /// Where the levels stand.
        place: Place,
        /// The field.
        field: String,
        /// Its levels.
        levels: usize,
        /// The first field of the group.
        other: String,
        /// That one's levels.
        expected: usize,
    },
    /// A cost that is not what the design expands to.
    #[error(
        "{}:{place}: the cost of level {level} is said to be {quantity} = {said}, but the design \
         expands to {quantity} = {expands_to}", path.display()
    )]
    CostIsAnother {
        /// The file.
        path: PathBuf,
        /// Where the number stands.
        place: Place,
        /// The level.
        level: Level,
        /// `runs` or `seconds`.
        quantity: &'static str,
        /// The number there.
        said: u64,
        /// What it should be.
        expands_to: u64,
    },
    /// A cost of a level that the design does not have.
    #[error(
        "{}:{place}: there is a cost of level {level} but no [level.{level}]: add that or remove \
         the cost", path.display()
    )]
    CostOfNoLevel {
        /// The file.
        path: PathBuf,
        /// Where the cost stands.
        place: Place,
        /// The level.
        level: Level,
    },
    /// Something to block by that is no factor of the design.
    #[error(
        "{}:{place}: cannot block by \"{name}\"{}; allowed: {}", path.display(),
        suggestion(nearest.as_deref()), allowed.join(", ")
    )]
    UnknownBlock {
        /// The file.
        path: PathBuf,
        /// Where.
        place: Place,
        /// What stands there.
        name: String,
        /// What was probably meant.
        nearest: Option<String>,
        /// Everything to block by.
        allowed: Vec<String>,
    },
    /// A design without a run.
    #[error("{}:{place}: replicates is 0; allowed: 1 or more", path.display())]
    NoReplicates {
        /// The file.
        path: PathBuf,
        /// Where.
        place: Place,
    },
    /// More runs than anybody will do.
    #[error(
        "{}: {points} design points with {replicates} replicates are more than {} runs at level {level}: \
         leave out levels, or make several designs", path.display(), MOST_RUNS
    )]
    TooMany {
        /// The file.
        path: PathBuf,
        /// The level.
        level: Level,
        /// Combinations of all levels of all factors.
        points: u64,
        /// How often each is to be done.
        replicates: u32,
    },
    /// The design does not say what this level is.
    #[error(
        "{} has no [level.{level}]; levels there: {}", path.display(),
        available.iter().map(|level| level.word()).collect::<Vec<_>>().join(", ")
    )]
    NoSuchLevel {
        /// The file.
        path: PathBuf,
        /// The level asked for.
        level: Level,
        /// The levels there are.
        available: Vec<Level>,
    },
}
