//! How much of a design is run.

use std::{fmt, str::FromStr};

use onesided_results::word::{UnknownWord, Word};

/// How much of a design is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// The design as it is written.
    Full,
    /// What an evaluator's time allows, as the design's `[level.reproduce]` says.
    Reproduce,
    /// Just enough to see that it works, as the design's `[level.smoke]` says.
    Smoke,
}

impl Word for Level {
    const WHAT: &'static str = "level";
    const ALL: &'static [Self] = &[Self::Full, Self::Reproduce, Self::Smoke];

    fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Reproduce => "reproduce",
            Self::Smoke => "smoke",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

impl FromStr for Level {
    type Err = UnknownWord;

    fn from_str(found: &str) -> Result<Self, UnknownWord> {
        Self::from_word(found)
    }
}
