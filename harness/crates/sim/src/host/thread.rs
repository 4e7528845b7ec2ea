//! What a client's thread has to do for an operation.

use crate::{
    Locality,
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
    /// Of a thread whose own memory is at `client`, and the thread with it.
    pub(crate) fn new(parameters: &Parameters, client: Locality) -> Self {
        let span = Span::of_ns;
        let far = match client {
            Locality::RdmaLocal => 0.0,
            Locality::RdmaRemote => parameters.client_remote_post_ns,
        };
        let post = |ns: f64| Span::of_ns(ns + far);
        let ByVerb { read, write, atomic } = parameters.post_ns;
        Self {
            post: ByVerb { read: post(read), write: post(write), atomic: post(atomic) },
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
