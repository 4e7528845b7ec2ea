//! The first exchange of a connection: both sides learn each other's version and prove that they
//! hold the token.

use std::{
    fmt, io,
    net::TcpStream,
    time::{Duration, Instant},
};

use onesided_results::vocabulary::Side;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::{
    frame::{self, CHUNK_BYTES, FrameParser, Kind},
    hexadecimal::Hex32,
    seal::{Seal, Seals},
    settings::Settings,
    socket::{self, Arrival, Unwritten},
    token::Token,
};

mod error;

pub use error::HandshakeError;

/// What a server announces itself as.
pub const PROTOCOL: &str = "onesided-control";

/// The version of frames, handshake and messages that this build speaks; one that differs is
/// refused.
pub const PROTOCOL_VERSION: ProtocolVersion = ProtocolVersion(9);

/// Longest body of a frame from a peer that is not authenticated yet, in bytes. Ours: ten times
/// what a handshake needs.
pub const MAX_HANDSHAKE_FRAME_BYTES: usize = 4 << 10;

/// A version of the control protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProtocolVersion(pub u32);

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

// These four may gain fields but lose none, and ignore unknown ones, so that versions can always
// tell each other apart.

/// The server's first words.
#[derive(Serialize, Deserialize)]
struct Greeting {
    protocol: String,
    version: ProtocolVersion,
    harness: String,
    nonce: Hex32,
}

/// The client's reply.
#[derive(Serialize, Deserialize)]
struct Hello {
    version: ProtocolVersion,
    harness: String,
    nonce: Hex32,
    proof: Hex32,
}

/// The server's decision.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Verdict {
    Accepted { proof: Hex32 },
    Refused { reason: Refusal },
}

/// Why a server refuses.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Refusal {
    VersionMismatch { server: ProtocolVersion, client: ProtocolVersion },
    TokenMismatch,
}

/// Speaks the server's part on a new connection.
///
/// # Errors
/// The client did not prove itself in time.
pub(crate) fn as_server(
    stream: &TcpStream,
    token: &Token,
    settings: &Settings,
) -> Result<Seals, HandshakeError> {
    const HELLO: &str = "client's hello";
    let exchange = Exchange::begin(stream, settings);
    let nonce = fresh_nonce()?;
    let greeting = Greeting {
        protocol: PROTOCOL.to_owned(),
        version: PROTOCOL_VERSION,
        harness: settings.harness.clone(),
        nonce,
    };
    exchange.send(&greeting, HELLO)?;
    let hello: Hello = exchange.receive(HELLO)?;
    if hello.version != PROTOCOL_VERSION {
        let reason = Refusal::VersionMismatch { server: PROTOCOL_VERSION, client: hello.version };
        exchange.refuse(reason);
        return Err(HandshakeError::VersionMismatch {
            server: PROTOCOL_VERSION,
            client: hello.version,
            server_harness: settings.harness.clone(),
            client_harness: hello.harness,
        });
    }
    if !token.verifies(&proven(Side::Client, &nonce, &hello.nonce), &hello.proof) {
        exchange.refuse(Refusal::TokenMismatch);
        return Err(HandshakeError::TokenMismatch);
    }
    let proof = token.authenticate(&proven(Side::Server, &nonce, &hello.nonce));
    exchange.send(&Verdict::Accepted { proof }, HELLO)?;
    Ok(seals(token, Side::Server, &nonce, &hello.nonce))
}

/// Speaks the client's part on a new connection.
///
/// # Errors
/// The server refused or did not prove itself in time.
pub(crate) fn as_client(
    stream: &TcpStream,
    token: &Token,
    settings: &Settings,
) -> Result<Seals, HandshakeError> {
    const GREETING: &str = "server's greeting";
    const VERDICT: &str = "server's verdict";
    let exchange = Exchange::begin(stream, settings);
    let greeting: Greeting = exchange.receive(GREETING)?;
    if greeting.protocol != PROTOCOL {
        return Err(HandshakeError::OtherProtocol {
            expected: PROTOCOL,
            announced: greeting.protocol,
        });
    }
    let nonce = fresh_nonce()?;
    // Also said to a server of another version, so that its operator learns of ours.
    let proof = token.authenticate(&proven(Side::Client, &greeting.nonce, &nonce));
    let hello =
        Hello { version: PROTOCOL_VERSION, harness: settings.harness.clone(), nonce, proof };
    exchange.send(&hello, VERDICT)?;
    let verdict = exchange.receive(VERDICT);
    let mismatch = |server, client| HandshakeError::VersionMismatch {
        server,
        client,
        server_harness: greeting.harness.clone(),
        client_harness: settings.harness.clone(),
    };
    if greeting.version != PROTOCOL_VERSION {
        return Err(mismatch(greeting.version, PROTOCOL_VERSION));
    }
    match verdict? {
        Verdict::Refused { reason: Refusal::VersionMismatch { server, client } } => {
            Err(mismatch(server, client))
        }
        Verdict::Refused { reason: Refusal::TokenMismatch } => Err(HandshakeError::TokenMismatch),
        Verdict::Accepted { proof } => {
            if token.verifies(&proven(Side::Server, &greeting.nonce, &nonce), &proof) {
                Ok(seals(token, Side::Client, &greeting.nonce, &nonce))
            } else {
                Err(HandshakeError::ServerUnproven)
            }
        }
    }
}

fn fresh_nonce() -> Result<Hex32, HandshakeError> {
    Hex32::random().map_err(|source| HandshakeError::NoRandomness { source })
}

/// What a proof of `side` is made over: of which it is, so that one side's cannot be sent back as the
/// other's. Every part has a fixed length, so that no two lists of parts give the same bytes.
fn proven<'a>(side: Side, server: &'a Hex32, client: &'a Hex32) -> [&'a [u8]; 4] {
    const VERSION_BYTES: [u8; 4] = PROTOCOL_VERSION.0.to_be_bytes();
    [label(side), &server.0, &client.0, &VERSION_BYTES]
}

const fn label(side: Side) -> &'static [u8; 6] {
    match side {
        Side::Client => b"client",
        Side::Server => b"server",
    }
}

/// The seals of the frames that follow the handshake, as `side` uses them.
fn seals(token: &Token, side: Side, server: &Hex32, client: &Hex32) -> Seals {
    // Longer than any proof by the first part: no key is ever sent as a proof.
    let key = |from| {
        let [label, rest @ ..] = proven(from, server, client);
        let [server, client, version] = rest;
        Seal::new(&token.authenticate(&[b"frames of ", label, server, client, version]))
    };
    let (own, other) = match side {
        Side::Client => (Side::Client, Side::Server),
        Side::Server => (Side::Server, Side::Client),
    };
    Seals { sending: key(own), receiving: key(other) }
}

/// Frames on a connection under one deadline.
struct Exchange<'a> {
    stream: &'a TcpStream,
    within: Duration,
    deadline: Instant,
}

impl<'a> Exchange<'a> {
    fn begin(stream: &'a TcpStream, settings: &Settings) -> Self {
        let within = settings.handshake_within;
        Self { stream, within, deadline: Instant::now() + within }
    }

    fn send<T: Serialize>(
        &self,
        value: &T,
        waiting_for: &'static str,
    ) -> Result<(), HandshakeError> {
        let bytes = frame::encode(Kind::Handshake, value, MAX_HANDSHAKE_FRAME_BYTES)
            .map_err(|source| HandshakeError::Unsendable { source })?;
        socket::write_before(self.stream, &bytes, self.deadline).map_err(
            |unwritten| match unwritten {
                Unwritten::TimedOut { .. } => {
                    HandshakeError::TimedOut { after: self.within, waiting_for }
                }
                Unwritten::Failed(source) => failed(source, waiting_for),
            },
        )
    }

    /// Tells the client why it is refused; a client that has gone already misses nothing.
    fn refuse(&self, reason: Refusal) {
        let _ = self.send(&Verdict::Refused { reason }, "client's hello");
    }

    fn receive<T: DeserializeOwned>(&self, waiting_for: &'static str) -> Result<T, HandshakeError> {
        let malformed = |source| HandshakeError::Malformed { waiting_for, source };
        let mut parser = FrameParser::new(MAX_HANDSHAKE_FRAME_BYTES);
        let mut chunk = [0; CHUNK_BYTES];
        loop {
            let wait = self.deadline.saturating_duration_since(Instant::now());
            if wait.is_zero() {
                return Err(HandshakeError::TimedOut { after: self.within, waiting_for });
            }
            let buffer = &mut chunk[..parser.wanted()];
            match socket::read_within(self.stream, buffer, wait)
                .map_err(|error| failed(error, waiting_for))?
            {
                Arrival::Nothing | Arrival::Interrupted => {}
                Arrival::EndOfStream => {
                    return Err(parser
                        .truncation()
                        .map_or(HandshakeError::Closed { waiting_for }, malformed));
                }
                Arrival::Bytes(count) => match parser.absorb(&chunk[..count]).map_err(malformed)? {
                    Some(frame) if frame.kind == Kind::Handshake => {
                        return frame::decode(&frame.body).map_err(malformed);
                    }
                    Some(frame) => return Err(malformed(frame.unexpected("handshake"))),
                    None => {}
                },
            }
        }
    }
}

fn failed(source: io::Error, waiting_for: &'static str) -> HandshakeError {
    if socket::is_reset(&source) {
        HandshakeError::Reset { waiting_for }
    } else {
        HandshakeError::Io { waiting_for, source }
    }
}
