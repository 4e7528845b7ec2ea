//! What a property found that should not be.

use std::error::Error;

use onesided_transport::{CompletionStatus, PollError, PostError, WorkCompletion};

/// The end of a property: it held, or how it did not.
pub(crate) type Verdict = Result<(), Deviation>;

/// How a back end deviated from the contract.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Deviation {
    /// There is nothing to test here: the property is skipped.
    #[error("{reason}")]
    NotTestable { reason: String },
    /// Something that must be possible was refused.
    #[error("cannot {what}")]
    SetUp { what: &'static str, source: Box<dyn Error + Send + Sync> },
    /// A post that must be accepted was refused.
    #[error("a post was refused")]
    Post {
        #[from]
        source: PostError,
    },
    /// A completion queue broke.
    #[error("a poll failed")]
    Poll {
        #[from]
        source: PollError,
    },
    /// Memory does not hold what it should.
    #[error(
        "{whose} memory differs in {differing} bytes, first at offset {offset}: \
         expected {expected:#04x}, found {found:#04x}"
    )]
    Bytes {
        whose: &'static str,
        /// Relative to the start of the region; negative before it.
        offset: i64,
        expected: u8,
        found: u8,
        differing: usize,
    },
    /// Bytes of a message that has not arrived: what stands there stood there before it.
    #[error("a message has not arrived")]
    Unchanged { source: Box<Deviation> },
    /// Completions that never came.
    #[error("only {seen} of {expected} completions came before patience ran out")]
    Missing { expected: usize, seen: usize, of: Awaited },
    /// A completion that nothing explains.
    #[error("a completion that should not be: {completion:?}")]
    Surplus { completion: WorkCompletion },
    /// A completion of another request or queue pair than the one it should be of.
    #[error(
        "expected the completion of request {expected_id} on queue pair number \
         {expected_queue_pair_number}, found {found:?}"
    )]
    Identity { expected_id: u64, expected_queue_pair_number: u32, found: WorkCompletion },
    /// A request that ended otherwise than it should.
    #[error("request {id} ended with {found:?} where {allowed:?} is right")]
    Status { id: u64, allowed: Vec<CompletionStatus>, found: CompletionStatus },
    /// One of the others, in one of the cases that a property goes through.
    #[error("{case}")]
    Case { case: String, source: Box<Deviation> },
    /// Anything else.
    #[error("{what}")]
    Broken { what: String },
}

/// What completions are waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// Own requests: they end, whatever becomes of their messages.
    Requests,
    /// Receive requests, which the messages of the peer end.
    Messages,
}

impl Deviation {
    /// A deviation that has no better form than a sentence.
    pub(crate) fn broken(what: impl Into<String>) -> Self {
        Self::Broken { what: what.into() }
    }

    /// Says in which case it was found.
    pub(crate) fn case(case: impl Into<String>) -> impl FnOnce(Self) -> Self {
        move |source| Self::Case { case: case.into(), source: Box::new(source) }
    }

    /// What was refused while preparing, and why.
    pub(crate) fn set_up(what: &'static str) -> impl FnOnce(Box<dyn Error + Send + Sync>) -> Self {
        move |source| Self::SetUp { what, source }
    }

    /// Whether a message that was lost on the way explains it. A wrong byte is not: a loss leaves what was there.
    pub(crate) fn may_be_a_loss(&self) -> bool {
        match self {
            Self::Missing { of: Awaited::Messages, .. } | Self::Unchanged { .. } => true,
            Self::Case { source, .. } => source.may_be_a_loss(),
            _ => false,
        }
    }

    /// The sentence with all its sources.
    pub(crate) fn chain(&self) -> String {
        let mut text = self.to_string();
        let mut source = self.source();
        while let Some(error) = source {
            text.push_str(&format!(": {error}"));
            source = error.source();
        }
        text
    }
}
