//! Where in a file a value stands.

use onesided_results::toml_file::Place;
use toml::de::DeTable;

/// A way into a file: keys, and numbers within arrays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(&'static str),
    Index(usize),
}

/// The place of what `way` leads to; where that is absent, of the last table on the way.
pub(super) fn of(text: &str, way: &[Step]) -> Place {
    let start = || {
        let document = DeTable::parse(text).ok()?;
        let [Step::Key(first), rest @ ..] = way else { return None };
        let mut found = document.get_ref().get(*first)?;
        for step in rest {
            let next = match step {
                Step::Key(key) => found.get_ref().get(*key),
                Step::Index(index) => found.get_ref().get(*index),
            };
            match next {
                Some(next) => found = next,
                None => break,
            }
        }
        Some(found.span().start)
    };
    Place::of(text, start().unwrap_or(0))
}
