//! What a run of the suite found, and its lines.

use std::fmt;

/// A property that did not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// The property.
    pub name: &'static str,
    /// What was seen.
    pub why: String,
}

/// A property that was not checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The property.
    pub name: &'static str,
    /// Why there was nothing to check.
    pub why: String,
}

/// A property that was tried again, because a lost message explained what a try saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeated {
    /// The property. How it ended is said where the others are.
    pub name: &'static str,
    /// What each try saw that another one followed.
    pub why: Vec<String>,
}

/// Every property that was selected, by how it ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Those that held.
    pub passed: Vec<&'static str>,
    /// Those that did not.
    pub failed: Vec<Failed>,
    /// Those that were not checked, which are not to be taken for passed.
    pub skipped: Vec<Skipped>,
    /// Those of the first two that were tried more than once.
    pub repeated: Vec<Repeated>,
}

/// The closing line.
impl fmt::Display for Report {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { passed, failed, skipped, .. } = self;
        let (passed, failed, skipped) = (passed.len(), failed.len(), skipped.len());
        write!(formatter, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}
