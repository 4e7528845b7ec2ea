//! The kinds of operation that stations tell apart.

use onesided_load::PostedOperation;

use crate::parameters::ByVerb;

/// The kind of an operation, as far as its costs go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Read,
    Write,
    Atomic,
}

impl<T: Copy> ByVerb<T> {
    #[inline]
    pub(crate) fn of(&self, verb: Verb) -> T {
        match verb {
            Verb::Read => self.read,
            Verb::Write => self.write,
            Verb::Atomic => self.atomic,
        }
    }
}

impl From<PostedOperation> for Verb {
    #[inline]
    fn from(operation: PostedOperation) -> Self {
        match operation {
            PostedOperation::Read => Self::Read,
            // Who predicts refuses sends before: there are no receive queues here.
            PostedOperation::Write
            | PostedOperation::WriteWithImmediate
            | PostedOperation::Send => Self::Write,
            PostedOperation::CompareAndSwap | PostedOperation::FetchAndAdd => Self::Atomic,
        }
    }
}
