//! Connections that have proved nothing yet: few of them, so that whoever reaches the port takes no more
//! from a server than that.

use std::{
    collections::VecDeque,
    net::{Shutdown, TcpStream},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The connections that are in their handshake, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Room {
    unproven: Mutex<Unproven>,
}

#[derive(Debug, Default)]
struct Unproven {
    next: u64,
    streams: VecDeque<(u64, TcpStream)>,
}

/// A connection's place, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    room: Arc<Room>,
    number: u64,
}

impl Room {
    /// Gives a connection a place. Where all `most` are taken, the connection that has had one longest
    /// is ended: an honest client needs milliseconds. Nothing where the system has no descriptor left
    /// to keep.
    pub(crate) fn enter(self: &Arc<Self>, stream: &TcpStream, most: usize) -> Option<Place> {
        let kept = stream.try_clone().ok()?;
        let mut unproven = self.unproven();
        while unproven.streams.len() >= most.max(1) {
            unproven.end_oldest();
        }
        let number = unproven.next;
        unproven.next += 1;
        unproven.streams.push_back((number, kept));
        drop(unproven);
        Some(Place { room: Arc::clone(self), number })
    }

    /// Ends the connection that has been in its handshake longest; whether there was one.
    pub(crate) fn end_oldest(&self) -> bool {
        self.unproven().end_oldest()
    }

    fn unproven(&self) -> MutexGuard<'_, Unproven> {
        self.unproven.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Unproven {
    fn end_oldest(&mut self) -> bool {
        let Some((_, stream)) = self.streams.pop_front() else { return false };
        // It may be gone by itself.
        let _ = stream.shutdown(Shutdown::Both);
        true
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.room.unproven().streams.retain(|(number, _)| *number != self.number);
    }
}
