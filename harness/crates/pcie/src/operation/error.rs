//! What there is no operation of.

use super::MOST_TOGETHER;

/// An operation that there is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OperationError {
    /// The transport does not carry the verb.
    #[error("{verb} over {transport}: it is carried by {allowed} (003 Table 1)")]
    Unsupported {
        /// The verb.
        verb: &'static str,
        /// The transport.
        transport: &'static str,
        /// Transports that carry it.
        allowed: String,
    },
    /// The verb takes no payload along.
    #[error("a {verb} cannot be inlined: write, send and recv can")]
    NothingToInline {
        /// The verb.
        verb: &'static str,
    },
    /// A RECV's WQE stays in host memory.
    #[error("a recv cannot be posted by mmio: the card reads it from host memory (doorbell)")]
    RecvByMmio,
    /// An atomic has one size.
    #[error("an atomic of {found} B: it is of 8 B")]
    AtomicBytes {
        /// What was asked for, in bytes.
        found: u64,
    },
    /// Only messages can be empty.
    #[error("a {verb} of 0 B: only send and recv can be header-only")]
    HeaderOnly {
        /// The verb.
        verb: &'static str,
    },
    /// No message is so long.
    #[error("{found} B over {transport}: a message is at most {longest} B")]
    TooLong {
        /// What was asked for, in bytes.
        found: u64,
        /// The transport.
        transport: &'static str,
        /// The longest, in bytes.
        longest: u64,
    },
    /// The payload does not fit.
    #[error("{found} B cannot be inlined: a {verb} over {transport} inlines at most {limit} B")]
    InlineTooLong {
        /// What was asked for, in bytes.
        found: u64,
        /// The verb.
        verb: &'static str,
        /// The transport.
        transport: &'static str,
        /// The longest, in bytes.
        limit: u64,
    },
    /// No batch, or too large a one.
    #[error("a batch of {found}: allowed are 1 to {MOST_TOGETHER}")]
    Batch {
        /// What was asked for.
        found: u32,
    },
    /// A completion every so many that cannot be.
    #[error("a completion every {found} operations: allowed are 1 to {MOST_TOGETHER}, or never")]
    SignalEvery {
        /// What was asked for.
        found: u32,
    },
    /// Every RECV is completed.
    #[error(
        "a recv cannot be unsignaled: its completion tells what was received (003 section 3.2)"
    )]
    RecvUnsignaled,
    /// No card has such entries.
    #[error("completion entries of {found} B: allowed are 32, 64 and 128")]
    CompletionBytes {
        /// What was asked for, in bytes.
        found: u64,
    },
}
