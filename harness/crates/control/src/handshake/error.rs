//! Why a connection was not authenticated.

use std::{io, time::Duration};

use super::ProtocolVersion;
use crate::frame::{EncodeError, FrameError};

/// Why a connection was not authenticated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HandshakeError {
    /// The peer took too long.
    #[error("no {waiting_for} within {after:?}")]
    TimedOut {
        /// The time given to the whole handshake.
        after: Duration,
        /// What was outstanding.
        waiting_for: &'static str,
    },
    /// The peer closed the connection.
    #[error("the peer closed the connection instead of sending the {waiting_for}")]
    Closed {
        /// What was outstanding.
        waiting_for: &'static str,
    },
    /// The peer's end is gone.
    #[error("the connection was reset while waiting for the {waiting_for}")]
    Reset {
        /// What was outstanding.
        waiting_for: &'static str,
    },
    /// The peer sent something else.
    #[error("the {waiting_for} is not understood, does the peer run onesided? {source}")]
    Malformed {
        /// What was outstanding.
        waiting_for: &'static str,
        /// What is wrong with it.
        source: FrameError,
    },
    /// The server speaks another protocol.
    #[error("expected a server of {expected}, but it announces itself as {announced:?}")]
    OtherProtocol {
        /// What was expected.
        expected: &'static str,
        /// What it said.
        announced: String,
    },
    /// The versions of the protocol differ.
    #[error(
        "the server speaks version {server} of the control protocol (harness {server_harness:?}), \
        the client version {client} (harness {client_harness:?}): run the same build on both"
    )]
    VersionMismatch {
        /// The server's version.
        server: ProtocolVersion,
        /// The client's version.
        client: ProtocolVersion,
        /// The server's harness.
        server_harness: String,
        /// The client's harness.
        client_harness: String,
    },
    /// The client's proof is wrong: seen by the server, or told to the client.
    #[error("the client's token is not the server's: give both the same token")]
    TokenMismatch,
    /// The server accepted but did not prove that it holds the token: it may be an impostor.
    #[error("the server did not prove that it holds the token: is this the server you mean?")]
    ServerUnproven,
    /// What this side says of itself is too long to be sent.
    #[error("cannot introduce ourselves: {source}")]
    Unsendable {
        /// What is wrong with it.
        source: EncodeError,
    },
    /// No random bytes for a nonce.
    #[error("no random bytes from the operating system: {source}")]
    NoRandomness {
        /// What the operating system said.
        source: getrandom::Error,
    },
    /// The operating system failed us.
    #[error("the connection failed while waiting for the {waiting_for}: {source}")]
    Io {
        /// What was outstanding.
        waiting_for: &'static str,
        /// What the operating system said.
        source: io::Error,
    },
}
