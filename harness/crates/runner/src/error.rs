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

/// The server gave a run up that this further client host took part in.
#[derive(Debug, thiserror::Error)]
#[error("the server gave the run up: {reason}")]
pub(crate) struct GivenUp {
    pub reason: String,
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

    /// In `phase`, `what` was found, and that is the whole explanation.
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

    /// Whether it is only that the server gave the run up, and waits to hear that it is released.
    pub(crate) fn is_given_up(&self) -> bool {
        self.source.as_ref().is_some_and(|source| source.is::<GivenUp>())
    }

    /// What failed and every cause below it, in one line.
    pub fn explanation(&self) -> String {
        let mut partial = self.what.clone();
        let mut next: Option<&dyn Error> = self.source.as_deref().map(|source| source as _);
        while let Some(error) = next {
            let text = error.to_string();
            if !partial.ends_with(&text) {
                if !partial.is_empty() {
                    partial.push_str(": ");
                }
                partial.push_str(&text);
            }
            next = error.source();
        }
        partial
    }

    /// The last of the causes alone, which may be that of many runs.
    pub fn cause(&self) -> String {
        let mut last: Option<&dyn Error> = self.source.as_deref().map(|source| source as _);
        while let Some(next) = last.and_then(Error::source) {
            last = Some(next);
        }
        last.map_or_else(|| self.what.clone(), ToString::to_string)
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.phase, self.explanation())
    }
}

// The explanation is told whole by Display, so that printing never repeats or loses a cause.
impl Error for RunError {}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("cannot make queue pair {index}")]
    struct Refused {
        index: usize,
        source: io::Error,
    }

    #[test]
    fn a_story_tells_what_was_tried_and_every_cause_once() {
        let source = io::Error::other("no memory left");
        let error = RunError::new(Phase::SetUp, "queue pairs", Refused { index: 3, source });
        assert_eq!(error.explanation(), "queue pairs: cannot make queue pair 3: no memory left");
        assert_eq!(error.cause(), "no memory left");
        assert_eq!(RunError::plain(Phase::SetUp, "nothing else").cause(), "nothing else");
        assert_eq!(
            error.to_string(),
            "set-up: queue pairs: cannot make queue pair 3: no memory left"
        );
    }

    #[test]
    fn a_cause_that_an_error_has_told_already_is_not_repeated() {
        #[derive(Debug, thiserror::Error)]
        #[error("the channel broke: {source}")]
        struct Broken {
            source: io::Error,
        }
        let error = RunError::new(Phase::Verify, "", Broken { source: io::Error::other("reset") });
        assert_eq!(error.explanation(), "the channel broke: reset");
    }

    #[test]
    fn only_the_end_that_another_thread_caused_is_an_echo() {
        let of = RunError::in_phase(Phase::Measure);
        assert!(of(DataPathFault::Stopped).is_echo());
        assert!(!of(DataPathFault::PeerLost).is_echo());
        assert!(!RunError::plain(Phase::Measure, "the run was stopped").is_echo());
    }
}
