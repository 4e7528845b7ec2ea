//! The control channel between server and clients: framing, version, authentication, timeouts.
//!
//! It carries what must be agreed beside the measured traffic (addresses, keys, phases, results),
//! never the measured traffic itself. Blocking sockets and one thread a connection suffice: there
//! are few connections, and an idle one sleeps in the kernel, so that it does not disturb what is
//! measured.
//!
//! ```text
//!  run                                            serve
//!  connect ------------- TCP ------------------>  Listener::accept -> Pending      (never waits for a client)
//!    |   <-- greeting: protocol, version, nonce --  Pending::authenticate          (in the connection's own thread)
//!    |   --- hello: version, nonce, proof ------->    |
//!    |   <-- accepted: proof | refused: reason ---    |
//!  Channel  <== messages, pings, answers =======>  Channel
//! ```
//!
//! Frame: `u32` big-endian length of the body in bytes, one byte of kind (1 handshake, 2 message, 3
//! ping, 4 answer), the body in JSON, and behind each frame but those of the handshake its seal. The
//! length is checked against a limit before anything is allocated: 4 KiB until both sides have proved
//! that they hold the token, [`MAX_FRAME_BYTES`] afterwards.
//!
//! Proof: HMAC-SHA256 (RFC 2104) under the token of `label || server nonce || client nonce ||
//! version`, where the label is `client` or `server`, a nonce is 32 fresh bytes and the version 4
//! bytes big-endian. The token never travels.
//!
//! Seal: 32 bytes, HMAC-SHA256 of `number || length || kind || body`, where the number counts the
//! frames of this direction from 0 in 8 bytes big-endian. Its key is HMAC-SHA256 under the token of
//! `frames of ` and what the sender's proof is made over. Only the threads that send and read
//! compute seals; measuring threads do not.
//!
//! What this protects from: a stray or curious process connecting to the port, the wrong server
//! being measured, two versions misunderstanding each other, peers that stall, stop or die, and who
//! changes packets on the path: what is changed, repeated or left out ends the connection
//! ([`FrameError::Altered`]). What it does not: traffic is not encrypted, and who is on the path can
//! end a connection. Where that matters, tunnel the port.
//!
//! Sends and receives on a [`Channel`] return in bounded time. Whether the peer lives is also one
//! relaxed load, for a loop that spins: [`PeerState::is_alive`].

mod address;
mod channel;
mod connect;
mod finite;
mod frame;
mod handshake;
mod hexadecimal;
mod listener;
pub mod message;
mod room;
mod seal;
mod settings;
mod socket;
mod token;

pub use channel::{
    CLOSE_LINGER, Channel, ChannelError, Ender, MAX_WAITING_BYTES, MAX_WAITING_BYTES_OF_ALL,
    PeerState, Sender,
};
pub use connect::{ConnectError, WhenRefused, connect};
pub use frame::{EncodeError, FrameError, MAX_FRAME_BYTES};
pub use handshake::{
    HandshakeError, MAX_HANDSHAKE_FRAME_BYTES, PROTOCOL, PROTOCOL_VERSION, ProtocolVersion,
};
pub use listener::{AcceptError, BindError, Listener, Pending};
pub use settings::{Heartbeat, HeartbeatError, Settings};
pub use token::{MIN_TOKEN_CHARACTERS, Token, TokenError};
