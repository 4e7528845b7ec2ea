//! What a client's thread has to do for an operation.

use crate::{
    parameters::{ByVerb, Parameters},
    stations::Verb,
    time::{Moment, Span},
};

/// What a thread's work costs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadCosts {
    post: ByVerb<Span>,
    post_next: Span,
    /// A completion.
    pub(crate) poll: Span,
    doorbell: Span,
}

impl ThreadCosts {
    pub(crate) fn new(parameters: &Parameters) -> Self {
        let span = Span::of_ns;
        let ByVerb { read, write, atomic } = parameters.post_ns;
        Self {
            post: ByVerb { read: span(read), write: span(write), atomic: span(atomic) },
            post_next: span(parameters.post_next_ns),
            poll: span(parameters.poll_ns),
            doorbell: span(parameters.doorbell_ns),
        }
    }

    /// A request.
    #[inline]
    pub(crate) fn post(&self, verb: Verb, behind_one_doorbell: bool) -> Span {
        if behind_one_doorbell { self.post_next } else { self.post.of(verb) }
    }

    /// When the card has what was rung at `at`.
    #[inline]
    pub(crate) fn reaches_card(&self, at: Moment) -> Moment {
        at + self.doorbell
    }
}
