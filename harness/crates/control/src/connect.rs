//! The client's end: reaching a server.

use std::{
    io::{self, ErrorKind},
    net::{SocketAddr, TcpStream},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use crate::{
    address::resolve,
    channel::Channel,
    handshake::{self, HandshakeError},
    settings::Settings,
    token::Token,
};

/// Time between two attempts. Ours: short beside what starting a server takes.
const RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// What to do when nobody listens at the address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WhenRefused {
    /// Say so at once.
    Fail,
    /// Try again until the time is over: the server may be starting.
    Retry,
}

/// Why a server could not be reached.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConnectError {
    /// The name has no address.
    #[error("expected host:port, but {address:?} has no address: {source}")]
    Unresolvable {
        /// The address asked for.
        address: String,
        /// What the resolver said.
        source: io::Error,
    },
    /// Nobody listens there.
    #[error("nobody listens on {address} ({attempts} attempts): is the server running?")]
    Refused {
        /// The address asked for.
        address: String,
        /// How often it was tried.
        attempts: u32,
    },
    /// There was no reply at all.
    #[error("no reply from {address} within {after:?}: is a firewall between?")]
    TimedOut {
        /// The address asked for.
        address: String,
        /// The time given.
        after: Duration,
    },
    /// Somebody listens there, but the handshake failed.
    #[error("handshake with {address} failed: {source}")]
    Handshake {
        /// The address asked for.
        address: String,
        /// Why it failed.
        source: HandshakeError,
    },
    /// The operating system failed us.
    #[error("cannot connect to {address}: {source}")]
    Io {
        /// The address asked for.
        address: String,
        /// What it said.
        source: io::Error,
    },
}

/// Connects to the server at `address` (`host:port`) and authenticates.
///
/// Reaching the server may take `within`, the handshake the settings' own time after that;
/// resolving a name is not bounded, so give an address where that matters.
///
/// # Errors
/// Nobody is there, or not a server that holds `token` and speaks our version.
pub fn connect(
    address: &str,
    token: &Token,
    within: Duration,
    when_refused: WhenRefused,
    settings: &Settings,
) -> Result<Channel, ConnectError> {
    let resolved = resolve(address)
        .map_err(|source| ConnectError::Unresolvable { address: address.to_owned(), source })?;
    let stream = reach(&resolved, within, when_refused).map_err(|miss| miss.at(address, within))?;
    let failed = |source| ConnectError::Io { address: address.to_owned(), source };
    stream.set_nodelay(true).map_err(failed)?;
    let seals = handshake::as_client(&stream, token, settings)
        .map_err(|source| ConnectError::Handshake { address: address.to_owned(), source })?;
    Channel::start(stream, seals, settings, Arc::default()).map_err(failed)
}

/// Why no connection was made.
enum Miss {
    Refused { attempts: u32 },
    TimedOut,
    Failed(io::Error),
}

impl Miss {
    fn at(self, address: &str, within: Duration) -> ConnectError {
        let address = address.to_owned();
        match self {
            Self::Refused { attempts } => ConnectError::Refused { address, attempts },
            Self::TimedOut => ConnectError::TimedOut { address, after: within },
            Self::Failed(source) => ConnectError::Io { address, source },
        }
    }
}

/// Tries each address in turn, again and again if so wanted.
fn reach(
    addresses: &[SocketAddr],
    within: Duration,
    when_refused: WhenRefused,
) -> Result<TcpStream, Miss> {
    let deadline = Instant::now() + within;
    let mut attempts = 0;
    loop {
        attempts += 1;
        let error = match reach_any(addresses, deadline) {
            Ok(stream) => return Ok(stream),
            Err(error) => error,
        };
        let left = deadline.saturating_duration_since(Instant::now());
        match (error.kind(), when_refused) {
            (ErrorKind::ConnectionRefused, WhenRefused::Retry) if !left.is_zero() => {
                thread::sleep(RETRY_INTERVAL.min(left));
            }
            (ErrorKind::ConnectionRefused, _) => return Err(Miss::Refused { attempts }),
            // A reply that did not come is reported as such only if nobody refused before: the last
            // attempt of a series has little time left.
            (ErrorKind::TimedOut, _) if attempts > 1 => return Err(Miss::Refused { attempts }),
            (ErrorKind::TimedOut, _) => return Err(Miss::TimedOut),
            _ => return Err(Miss::Failed(error)),
        }
    }
}

/// Tries each address once; the error is the last one's.
fn reach_any(addresses: &[SocketAddr], deadline: Instant) -> io::Result<TcpStream> {
    let mut last = io::Error::new(ErrorKind::AddrNotAvailable, "the name has no address");
    for address in addresses {
        let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
        match TcpStream::connect_timeout(address, left) {
            // A port of the ephemeral range with nobody listening can connect to itself
            // (simultaneous open, RFC 9293 section 3.5).
            Ok(stream) if stream.local_addr()? == stream.peer_addr()? => {
                last = ErrorKind::ConnectionRefused.into();
            }
            Ok(stream) => return Ok(stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}
