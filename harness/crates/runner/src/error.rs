//! Why a run could not be done: the phase, what was tried, the cause.

use std::{error::Error, fmt};

use onesided_results::vocabulary::Phase;

use crate::fault::DataPathFault;

/// A run that could not be done, or not to its end.
#[derive(Debug)]
pub struct RunError {
    /// The phase that could not be finished.
    pub phase: Phase,
    what: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl RunError {
    /// In `phase`, `what` failed because of `source`.
    pub fn new(
        phase: Phase,
        what: impl Into<String>,
        source: impl Error + Send + Sync + 'static,
    ) -> Self {
        Self { phase, what: what.into(), source: Some(Box::new(source)) }
    }

    /// As [`RunError::new`], for a cause that is boxed already.
    pub(crate) fn boxed(
        phase: Phase,
        what: impl Into<String>,
        source: Box<dyn Error + Send + Sync>,
    ) -> Self {
        Self { phase, what: what.into(), source: Some(source) }
    }

    /// In `phase`, `what` was found, and that is the whole story.
    pub fn plain(phase: Phase, what: impl Into<String>) -> Self {
        Self { phase, what: what.into(), source: None }
    }

    /// For `map_err`: in `phase`, the data path ended early.
    pub(crate) fn in_phase(phase: Phase) -> impl Fn(DataPathFault) -> Self {
        move |fault| Self { phase, what: String::new(), source: Some(Box::new(fault)) }
    }

    /// Whether it is only the echo of another thread's failure.
    pub(crate) fn is_echo(&self) -> bool {
        let fault = self.source.as_ref().and_then(|source| source.downcast_ref::<DataPathFault>());
        matches!(fault, Some(DataPathFault::Stopped))
    }

    /// What failed and every cause below it, in one line.
    pub fn story(&self) -> String {
        let mut story = self.what.clone();
        let mut next: Option<&dyn Error> = self.source.as_deref().map(|source| source as _);
        while let Some(error) = next {
            let text = error.to_string();
            if !story.ends_with(&text) {
                if !story.is_empty() {
                    story.push_str(": ");
                }
                story.push_str(&text);
            }
            next = error.source();
        }
        story
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.phase, self.story())
    }
}

// The story is told whole by Display, so that printing never repeats or loses a cause.
impl Error for RunError {}
