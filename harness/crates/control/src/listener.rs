//! The server's end: accepting clients without waiting for any of them.

use std::{
    io::{self, ErrorKind},
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream},
    sync::{Arc, atomic::AtomicUsize},
};

use crate::{
    address::resolve,
    channel::Channel,
    handshake::{self, HandshakeError},
    room::{Place, Room},
    settings::Settings,
    token::Token,
};

/// errno of a process, and of a system, that has no file descriptor left (accept(2): EMFILE, ENFILE
/// on Linux).
const OUT_OF_DESCRIPTORS: [i32; 2] = [24, 23];

/// A port on which clients are awaited.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    token: Arc<Token>,
    settings: Arc<Settings>,
    room: Arc<Room>,
    /// Bytes of messages that wait on all channels of clients.
    all_waiting: Arc<AtomicUsize>,
}

/// Why a port cannot be listened on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BindError {
    /// Another process listens there.
    #[error(
        "the address {address} is in use: is another server running? stop it or choose another port"
    )]
    AddressInUse {
        /// The address asked for.
        address: String,
    },
    /// This machine does not have the address.
    #[error("this machine has no address {address}: see `ip address`")]
    NotOurs {
        /// The address asked for.
        address: String,
    },
    /// The port is reserved.
    #[error("not permitted to listen on {address}: choose a port above 1023")]
    NotPermitted {
        /// The address asked for.
        address: String,
    },
    /// The name has no address.
    #[error("expected host:port, but {address:?} has no address: {source}")]
    Unresolvable {
        /// The address asked for.
        address: String,
        /// What the resolver said.
        source: io::Error,
    },
    /// The operating system failed us.
    #[error("cannot listen on {address}: {source}")]
    Io {
        /// The address asked for.
        address: String,
        /// What it said.
        source: io::Error,
    },
}

/// Why no client could be accepted. The listener stays usable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AcceptError {
    /// There are too many open files or connections.
    #[error("no file descriptor left for another client (see `ulimit -n`): {source}")]
    OutOfDescriptors {
        /// What the operating system said.
        source: io::Error,
    },
    /// The operating system failed us.
    #[error("cannot accept a client: {source}")]
    Io {
        /// What it said.
        source: io::Error,
    },
}

impl Listener {
    /// Listens on `address` (`host:port`; port 0 lets the system choose) for clients that hold
    /// `token`.
    ///
    /// Whoever reaches the port can make the server spend threads for the time of a handshake, as many as
    /// the settings allow at once:
    /// listen on loopback unless other machines must reach it.
    ///
    /// # Errors
    /// The address is in use, not ours, not permitted or not understood.
    pub fn bind(address: &str, token: Token, settings: Settings) -> Result<Self, BindError> {
        let named = || address.to_owned();
        let resolved = resolve(address)
            .map_err(|source| BindError::Unresolvable { address: named(), source })?;
        let socket = TcpListener::bind(&resolved[..]).map_err(|source| match source.kind() {
            ErrorKind::AddrInUse => BindError::AddressInUse { address: named() },
            ErrorKind::AddrNotAvailable => BindError::NotOurs { address: named() },
            ErrorKind::PermissionDenied => BindError::NotPermitted { address: named() },
            _ => BindError::Io { address: named(), source },
        })?;
        let local =
            socket.local_addr().map_err(|source| BindError::Io { address: named(), source })?;
        let (token, settings) = (Arc::new(token), Arc::new(settings));
        let (room, all_waiting) = Default::default();
        Ok(Self { socket, address: local, token, settings, room, all_waiting })
    }

    /// The address that clients connect to, with the port that the system chose.
    #[must_use]
    pub fn local_address(&self) -> SocketAddr {
        self.address
    }

    /// Lets [`Self::accept`], on another thread, return: with a client that is this process.
    ///
    /// # Errors
    /// The operating system does not let this process connect to its own port.
    pub fn wake(&self) -> io::Result<()> {
        let mut address = self.address;
        if address.ip().is_unspecified() {
            address.set_ip(match address {
                SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            });
        }
        TcpStream::connect_timeout(&address, self.settings.handshake_within).map(drop)
    }

    /// Ends all connections that have proved nothing yet.
    pub fn end_unproven(&self) {
        while self.room.end_oldest() {}
    }

    /// Waits for a client to connect, without listening to what it says.
    ///
    /// # Errors
    /// The operating system cannot accept one now.
    pub fn accept(&self) -> Result<Pending, AcceptError> {
        loop {
            match self.socket.accept() {
                Ok((stream, address)) => {
                    let (token, settings) = (Arc::clone(&self.token), Arc::clone(&self.settings));
                    let Some(place) =
                        self.room.enter(&stream, address.ip(), settings.most_unproven)
                    else {
                        self.room.end_oldest();
                        let source = io::Error::from_raw_os_error(OUT_OF_DESCRIPTORS[0]);
                        return Err(AcceptError::OutOfDescriptors { source });
                    };
                    let all_waiting = Arc::clone(&self.all_waiting);
                    return Ok(Pending { stream, address, token, settings, place, all_waiting });
                }
                // The client went before it was accepted (accept(2)), or a signal came.
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::ConnectionAborted | ErrorKind::Interrupted
                    ) => {}
                Err(source)
                    if source
                        .raw_os_error()
                        .is_some_and(|code| OUT_OF_DESCRIPTORS.contains(&code)) =>
                {
                    // The descriptors of those who prove nothing are the first to be given back.
                    self.room.end_oldest();
                    return Err(AcceptError::OutOfDescriptors { source });
                }
                Err(source) => return Err(AcceptError::Io { source }),
            }
        }
    }
}

/// A client that has connected and proved nothing yet.
///
/// Give it a thread of its own: a client that says nothing then keeps no other waiting.
#[derive(Debug)]
#[must_use = "a client waits for the handshake"]
pub struct Pending {
    stream: TcpStream,
    address: SocketAddr,
    token: Arc<Token>,
    settings: Arc<Settings>,
    place: Place,
    all_waiting: Arc<AtomicUsize>,
}

impl Pending {
    /// The client's address.
    #[must_use]
    pub fn peer_address(&self) -> SocketAddr {
        self.address
    }

    /// Exchanges versions and proofs with the client, which takes up to the settings' time for a
    /// handshake.
    ///
    /// # Errors
    /// The client was silent, speaks something else or another version, or has another token.
    pub fn authenticate(self) -> Result<Channel, HandshakeError> {
        let starting = |source| HandshakeError::Io { waiting_for: "channel to start", source };
        self.stream.set_nodelay(true).map_err(starting)?;
        let seals = handshake::as_server(&self.stream, &self.token, &self.settings)?;
        drop(self.place);
        Channel::start(self.stream, seals, &self.settings, self.all_waiting).map_err(starting)
    }
}
