//! The words of this command's options, and of its rows.

use clap::{
    ValueEnum,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use onesided_access::chase::{Pages, plateaus::Level};
use onesided_results::vocabulary::{MemoryLevel, Word as _};

use crate::arguments::possible;

/// Which pairs of nodes to sweep working sets for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SweepChoice {
    /// Each CPU node with its own memory, or the nearest.
    Local,
    /// Every pair of the matrix.
    All,
    /// No pair.
    None,
}

/// Pages of the memory; absent: a chase's own choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PagesChoice(pub Option<Pages>);

/// Reads `auto` or a kind of pages, for clap.
pub fn pages() -> impl TypedValueParser<Value = PagesChoice> {
    let auto = PossibleValue::new("auto")
        .help("The first of huge-2m, transparent-huge and base that can be had");
    let all = std::iter::once(auto).chain(possible::<Pages>());
    PossibleValuesParser::new(all).map(|found| PagesChoice(Pages::from_word(&found).ok()))
}

/// A level as a row has it; a row knows no cache beyond the fourth.
pub const fn written_level(level: Level) -> Option<MemoryLevel> {
    match level {
        Level::Cache(1) => Some(MemoryLevel::L1),
        Level::Cache(2) => Some(MemoryLevel::L2),
        Level::Cache(3) => Some(MemoryLevel::L3),
        Level::Cache(4) => Some(MemoryLevel::L4),
        Level::Cache(_) => None,
        Level::Memory => Some(MemoryLevel::Memory),
    }
}
