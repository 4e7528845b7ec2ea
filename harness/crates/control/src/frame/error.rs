//! What can be wrong with a frame, received or to be sent.

/// What is wrong with bytes that were received.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FrameError {
    /// The announced length exceeds what is accepted now.
    #[error(
        "expected a frame of at most {limit} bytes, but {length} are announced: \
        does the peer speak this protocol?"
    )]
    TooLong {
        /// The announced length in bytes.
        length: usize,
        /// The longest that is accepted, in bytes.
        limit: usize,
    },
    /// The announced length is zero.
    #[error("expected a frame with a JSON body, but its announced length is zero")]
    Empty,
    /// The stream ended inside a frame.
    #[error(
        "expected {expected} bytes of a frame's {part}, but the connection ended after {received}"
    )]
    Truncated {
        /// Which part was being read.
        part: &'static str,
        /// Bytes that arrived of it.
        received: usize,
        /// Bytes that it has.
        expected: usize,
    },
    /// The seal is not that of the frame that is expected now.
    #[error(
        "a message is not what the peer sent (its seal is wrong): somebody on the way changed, repeated or \
        left out something. Use a tunnel, or a network that nobody else can change"
    )]
    Altered,
    /// The byte of kind is none that is known.
    #[error("expected a frame of kind 1 to 4, but found kind {found}")]
    UnknownKind {
        /// The byte.
        found: u8,
    },
    /// The kind has no place in this phase.
    #[error("expected a frame of kind {expected}, but found {found}")]
    UnexpectedKind {
        /// The name of the kind that arrived.
        found: String,
        /// What may arrive here.
        expected: &'static str,
    },
    /// The body is not UTF-8.
    #[error("expected UTF-8 text, but byte {offset} of the body is not")]
    NotText {
        /// Where the text ends to be valid, in bytes.
        offset: usize,
    },
    /// The body is not JSON.
    #[error("expected JSON: {detail}")]
    NotJson {
        /// What the parser said.
        detail: String,
    },
    /// The body holds a NaN or an infinity, which some writers emit and JSON does not have.
    #[error("expected finite numbers, but byte {offset} of the body begins {literal}")]
    NotFinite {
        /// What stands there.
        literal: &'static str,
        /// Where, in bytes.
        offset: usize,
    },
    /// The body is JSON but not of the expected type.
    #[error("expected {expected}: {detail}")]
    UnexpectedShape {
        /// The Rust type that was asked for.
        expected: &'static str,
        /// What the parser missed.
        detail: String,
    },
}

/// Why a value cannot be sent. Nothing was sent then.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// The value holds a NaN or an infinity.
    #[error(
        "cannot send {value} (field {}): JSON has finite numbers only, make it an absent value",
        field.unwrap_or("unknown")
    )]
    NotFinite {
        /// The number.
        value: f64,
        /// The field that holds it, as far as it is known.
        field: Option<&'static str>,
    },
    /// The body is longer than the peer would accept.
    #[error("cannot send a frame of {length} bytes, the peer accepts {limit}: split it")]
    TooLong {
        /// Its length in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The value cannot be expressed in JSON.
    #[error("cannot express the value in JSON: {detail}")]
    NotJson {
        /// What the serializer said.
        detail: String,
    },
}
