//! Writing on a connection: whole frames, one at a time.

use std::{
    net::{Shutdown, TcpStream},
    sync::{Mutex, MutexGuard, PoisonError, TryLockError},
    time::{Duration, Instant},
};

use serde::Serialize;

use super::{ChannelError, PeerState};
use crate::{
    frame::{self, Kind, MAX_FRAME_BYTES},
    seal::Seal,
    socket::{self, Unwritten},
};

/// Time for a sign of life to enter the socket's buffer; it blocks only if that is full, and then
/// the peer is not reading anyway. Ours.
const SIGN_WITHIN: Duration = Duration::from_millis(20);

/// The body of pings and answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub(super) struct Sign {
    /// Counts the questions; an answer repeats it.
    pub(super) sequence: u64,
}

/// The writing half of a connection.
#[derive(Debug)]
pub(super) struct Writer {
    stream: TcpStream,
    /// Held while a frame is written, which must not be interrupted by another: seals are numbered.
    seal: Mutex<Seal>,
    peer: PeerState,
    frame_within: Duration,
}

impl Writer {
    pub(super) fn new(
        stream: TcpStream,
        seal: Seal,
        peer: PeerState,
        frame_within: Duration,
    ) -> Self {
        Self { stream, seal: Mutex::new(seal), peer, frame_within }
    }

    /// Sends one message, waiting for others to finish theirs.
    ///
    /// # Errors
    /// The value cannot be sent, or the connection has ended.
    pub(super) fn send<T: Serialize + ?Sized>(&self, message: &T) -> Result<(), ChannelError> {
        let mut bytes = frame::encode(Kind::Message, message, MAX_FRAME_BYTES)?;
        let mut seal = self.turn();
        if let Some(cause) = self.peer.death() {
            return Err(cause);
        }
        bytes.extend(seal.over(&[&bytes]));
        let deadline = Instant::now() + self.frame_within;
        match socket::write_before(&self.stream, &bytes, deadline) {
            Ok(()) => {
                seal.advance();
                Ok(())
            }
            Err(Unwritten::TimedOut { .. }) => Err(self.give_up()),
            Err(Unwritten::Failed(error)) => {
                // What the peer sent before it went can still be read, so the reader is left to
                // find its end.
                self.peer.bury(error.into());
                Err(self.peer.cause_of_death())
            }
        }
    }

    /// Sends a sign of life unless somebody else is sending, or the peer takes nothing.
    ///
    /// A failure is not reported: the reader of the same connection will meet its cause.
    pub(super) fn sign(&self, kind: Kind, sign: Sign) {
        let mut seal = match self.seal.try_lock() {
            Ok(turn) => turn,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return,
        };
        if !self.peer.is_alive() {
            return;
        }
        let mut bytes =
            frame::encode(kind, &sign, MAX_FRAME_BYTES).expect("a sign is a short JSON object");
        bytes.extend(seal.over(&[&bytes]));
        match socket::write_before(&self.stream, &bytes, Instant::now() + SIGN_WITHIN) {
            Ok(()) => seal.advance(),
            Err(Unwritten::TimedOut { written: 1.. }) => drop(self.give_up()),
            // Of which nothing was sent: its number is the next frame's.
            Err(Unwritten::TimedOut { .. }) => {}
            // A part of it may have been sent: no frame can follow.
            Err(Unwritten::Failed(error)) => self.peer.bury(error.into()),
        }
    }

    /// Ends our side of the connection after the frame being written; the peer can still send.
    pub(super) fn finish(&self) {
        let _turn = self.turn();
        self.peer.bury(ChannelError::Closed);
        self.shut(Shutdown::Write);
    }

    /// Shuts the socket; one that is shut or gone already stays so.
    pub(super) fn shut(&self, how: Shutdown) {
        let _ = self.stream.shutdown(how);
    }

    /// Ends the connection inside a frame, after which nothing that is sent would have a meaning.
    fn give_up(&self) -> ChannelError {
        self.peer.bury(ChannelError::TimedOut {
            after: self.frame_within,
            waiting_for: "room for a frame: the peer does not read",
        });
        self.shut(Shutdown::Both);
        self.peer.cause_of_death()
    }

    /// The number in the seal is raised once a frame is written: a thread that panicked holding the
    /// lock left nothing in disorder but, perhaps, the stream.
    fn turn(&self) -> MutexGuard<'_, Seal> {
        self.seal.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
