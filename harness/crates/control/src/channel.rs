//! An authenticated connection: messages both ways, and a watch over the peer.
//!
//! One thread a connection reads. It queues messages, answers the peer's pings and sends our own,
//! and records the end of the peer, also while the channel's owner is busy measuring. Between
//! frames it sleeps in the kernel.
//!
//! ```text
//!  owner:  send --.                                  .--> queue --> receive    (owner)
//!                 |--> Writer (lock) --> socket --> reader
//!  others: Sender-'        ^                         |--> PeerState            (anyone, one load)
//!                          '------ ping, answer -----'
//! ```
//!
//! Discipline: frames are written whole under one lock, so any number of [`Sender`]s may work
//! beside the owner; only the owner receives. The reader never waits for the lock: while somebody
//! else is sending, what they send is the sign of life.

use std::{
    io,
    net::{Shutdown, SocketAddr, TcpStream},
    sync::{Arc, Weak, atomic::AtomicUsize, mpsc},
    thread::{self, JoinHandle},
    time::Duration,
};

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    frame::{self, FrameParser, MAX_FRAME_BYTES},
    seal::Seals,
    settings::Settings,
    socket,
};

mod error;
mod peer;
mod reader;
mod waiting;
mod writer;

pub use error::ChannelError;
pub use peer::PeerState;
pub use waiting::{MAX_WAITING_BYTES, MAX_WAITING_BYTES_OF_ALL};

use reader::Reader;
use waiting::Waiting;
use writer::Writer;

/// Longest time that closing a channel waits for the peer to close its end too.
///
/// Closing a socket that holds unread bytes, such as a ping on its way, resets the connection and
/// discards what the peer has not been sent yet (RFC 1122, section 4.2.2.13); so the last message
/// would be lost. Ours: a second covers a round trip and a busy machine.
pub const CLOSE_LINGER: Duration = Duration::from_secs(1);

/// An authenticated connection to the peer.
///
/// Dropping it closes the connection, after what was sent; that takes up to [`CLOSE_LINGER`] if the
/// peer does not close its end. Its thread inherits the affinity of the thread that makes the
/// channel: make it before pinning.
#[derive(Debug)]
pub struct Channel {
    writer: Arc<Writer>,
    waiting: Waiting,
    peer: PeerState,
    address: SocketAddr,
    reader: Option<JoinHandle<()>>,
    reader_ended: mpsc::Receiver<()>,
}

impl Channel {
    /// Starts the reader of a connection whose peer has proved itself. `all_waiting` counts bytes of messages
    /// that wait on this channel and on others.
    pub(crate) fn start(
        stream: TcpStream,
        seals: Seals,
        settings: &Settings,
        all_waiting: Arc<AtomicUsize>,
    ) -> io::Result<Self> {
        let address = stream.peer_addr()?;
        socket::repeat_evenly(&stream);
        let peer = PeerState::alive();
        let reading = stream.try_clone()?;
        let within = settings.frame_within;
        let writer = Arc::new(Writer::new(stream, seals.sending, peer.clone(), within));
        let (queue, waiting) = waiting::queue(all_waiting);
        let (ending, reader_ended) = mpsc::channel();
        let parser = FrameParser::sealed(MAX_FRAME_BYTES, seals.receiving);
        let reader =
            Reader::new(reading, parser, Arc::clone(&writer), peer.clone(), queue, settings);
        let reader = thread::Builder::new().name("control-reader".to_owned()).spawn(move || {
            reader.run();
            drop(ending);
        })?;
        Ok(Self { writer, waiting, peer, address, reader: Some(reader), reader_ended })
    }

    /// Sends one message.
    ///
    /// The kernel has taken it when this returns, which takes up to the settings' time for a frame,
    /// and as much again for each other [`Sender`] whose turn comes before. Whether the peer
    /// understood it, only the peer's reply tells.
    ///
    /// # Errors
    /// The value cannot be sent ([`ChannelError::Unsendable`]: the channel stays usable), or the
    /// connection has ended.
    pub fn send<T: Serialize + ?Sized>(&self, message: &T) -> Result<(), ChannelError> {
        self.writer.send(message)
    }

    /// Takes the next message, waiting up to `timeout` for it.
    ///
    /// Messages that arrived before the connection ended are given before its end is.
    ///
    /// # Errors
    /// Nothing came in time, or a message of another type ([`ChannelError::TimedOut`],
    /// [`ChannelError::Malformed`]: the channel stays usable), or the connection has ended: then
    /// every later call says so again.
    pub fn receive<T: DeserializeOwned>(&self, timeout: Duration) -> Result<T, ChannelError> {
        match self.waiting.take(timeout) {
            Ok(body) => Ok(frame::decode(&body)?),
            Err(mpsc::RecvTimeoutError::Timeout) => Err(ChannelError::TimedOut {
                after: timeout,
                waiting_for: std::any::type_name::<T>(),
            }),
            Err(mpsc::RecvTimeoutError::Disconnected) => Err(self.peer.cause_of_death()),
        }
    }

    /// A handle with which another thread can send too; it does not keep the connection open.
    #[must_use]
    pub fn sender(&self) -> Sender {
        Sender(Arc::clone(&self.writer))
    }

    /// A handle with which another thread can end the connection.
    #[must_use]
    pub fn ender(&self) -> Ender {
        Ender(Arc::downgrade(&self.writer))
    }

    /// The watch over the peer, for a thread that must not wait.
    #[must_use]
    pub fn peer(&self) -> PeerState {
        self.peer.clone()
    }

    /// The peer's address.
    #[must_use]
    pub fn peer_address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        self.writer.finish();
        if self.reader_ended.recv_timeout(CLOSE_LINGER) == Err(mpsc::RecvTimeoutError::Timeout) {
            self.writer.shut(Shutdown::Both);
        }
        if let Some(reader) = self.reader.take() {
            // Fails only if the reader panicked, which its thread has reported already.
            let _ = reader.join();
        }
    }
}

/// A handle that sends on a channel beside its owner.
#[derive(Clone, Debug)]
pub struct Sender(Arc<Writer>);

impl Sender {
    /// Sends one message; see [`Channel::send`].
    ///
    /// # Errors
    /// As [`Channel::send`]; [`ChannelError::Closed`] once the channel is dropped.
    pub fn send<T: Serialize + ?Sized>(&self, message: &T) -> Result<(), ChannelError> {
        self.0.send(message)
    }
}

/// A handle that ends a connection beside its owner, for whom it then has ended as if the peer had gone.
#[derive(Clone, Debug)]
pub struct Ender(Weak<Writer>);

impl Ender {
    /// Ends the connection; whether it was still there.
    pub fn end(&self) -> bool {
        let writer = self.0.upgrade();
        writer.inspect(|writer| writer.shut(Shutdown::Both)).is_some()
    }

    /// Whether the owner still has the connection.
    #[must_use]
    pub fn is_of_use(&self) -> bool {
        self.0.strong_count() > 0
    }
}
