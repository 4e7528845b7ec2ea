//! A path, taken apart from the left.

use super::words::Words;

/// A path that is none of the release's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GrammarError {
    /// A component that is not one of those that can be there.
    #[error("{path}: \"{component}\" is no {what} of the release; known: {known}")]
    Unknown {
        /// The whole path.
        path: String,
        /// The component.
        component: String,
        /// What should be there.
        what: &'static str,
        /// What can be there.
        known: String,
    },
    /// The path ends where something should follow.
    #[error("{path} ends where a {what} should follow; known: {known}")]
    Short {
        /// The whole path.
        path: String,
        /// What should follow.
        what: &'static str,
        /// What can follow.
        known: String,
    },
    /// The path goes on where it should have ended.
    #[error("{path}: \"{component}\" follows what should be the file")]
    Long {
        /// The whole path.
        path: String,
        /// What follows.
        component: String,
    },
}

/// The components that have not been read yet.
#[derive(Clone)]
pub(super) struct Components<'a> {
    path: &'a str,
    left: std::str::Split<'a, char>,
}

impl<'a> Components<'a> {
    pub(super) fn of(path: &'a str) -> Self {
        Self { path, left: path.split('/') }
    }

    /// The next component, which must be one of `words`: the word and what it means.
    pub(super) fn word<T: Copy>(
        &mut self,
        what: &'static str,
        words: &Words<T>,
    ) -> Result<(&'static str, T), GrammarError> {
        let known = || words.iter().map(|(word, _)| *word).collect::<Vec<_>>().join(", ");
        let component = self.next(what, known)?;
        let meant = words.iter().find(|(word, _)| *word == component);
        meant.copied().ok_or_else(|| self.unknown(component, what, known()))
    }

    /// What the next component means, which must be one of `words`.
    pub(super) fn meant<T: Copy>(
        &mut self,
        what: &'static str,
        words: &Words<T>,
    ) -> Result<T, GrammarError> {
        self.word(what, words).map(|(_, meaning)| meaning)
    }

    /// What the next component means, if it is one of `words`; else it is not read.
    pub(super) fn meant_if_there<T: Copy>(&mut self, words: &Words<T>) -> Option<T> {
        let mut ahead = self.left.clone();
        let component = ahead.next()?;
        let (_, meaning) = words.iter().find(|(word, _)| *word == component)?;
        self.left = ahead;
        Some(*meaning)
    }

    /// The number in the name of the file, `8` of `8workers.result`, which must be one of `known`.
    pub(super) fn file(
        &mut self,
        ending: &'static str,
        known: &[u32],
    ) -> Result<u32, GrammarError> {
        let names = || {
            let names = known.iter().map(|number| format!("{number}{ending}"));
            names.collect::<Vec<_>>().join(", ")
        };
        let component = self.next("file", names)?;
        let number = component.strip_suffix(ending).filter(|digits| !digits.starts_with('+'));
        let number = number.and_then(|digits| digits.parse().ok());
        let number = number.filter(|number| known.contains(number));
        let number = number.filter(|number| component == format!("{number}{ending}"));
        let number = number.ok_or_else(|| self.unknown(component, "file", names()))?;
        self.end().map(|()| number)
    }

    /// Nothing may follow.
    pub(super) fn end(&mut self) -> Result<(), GrammarError> {
        self.left.next().map_or(Ok(()), |component| {
            Err(GrammarError::Long { path: self.path.to_owned(), component: component.to_owned() })
        })
    }

    fn next(
        &mut self,
        what: &'static str,
        known: impl Fn() -> String,
    ) -> Result<&'a str, GrammarError> {
        let path = || self.path.to_owned();
        self.left.next().ok_or_else(|| GrammarError::Short { path: path(), what, known: known() })
    }

    fn unknown(&self, component: &str, what: &'static str, known: String) -> GrammarError {
        let component = component.to_owned();
        GrammarError::Unknown { path: self.path.to_owned(), component, what, known }
    }
}
