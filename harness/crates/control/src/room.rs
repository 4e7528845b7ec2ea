//! Connections that have proved nothing yet: few of them, so that whoever reaches the port takes no more
//! from a server than that.

use std::{
    collections::VecDeque,
    net::{IpAddr, Shutdown, TcpStream},
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
    streams: VecDeque<(u64, IpAddr, TcpStream)>,
}

/// A connection's place, until it is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    room: Arc<Room>,
    number: u64,
}

impl Room {
    /// Gives a connection from `address` a place. Where all `most` are taken, one is ended, of the address
    /// that has most of them that which has had its place longest: an honest client needs milliseconds.
    /// Nothing where the system has no descriptor left to keep.
    pub(crate) fn enter(
        self: &Arc<Self>,
        stream: &TcpStream,
        address: IpAddr,
        most: usize,
    ) -> Option<Place> {
        let kept = stream.try_clone().ok()?;
        let mut unproven = self.unproven();
        while unproven.streams.len() >= most.max(1) {
            unproven.end_oldest();
        }
        let number = unproven.next;
        unproven.next += 1;
        unproven.streams.push_back((number, address, kept));
        drop(unproven);
        Some(Place { room: Arc::clone(self), number })
    }

    /// Ends the connection that has been in its handshake longest, of the address that has most; whether
    /// there was one.
    pub(crate) fn end_oldest(&self) -> bool {
        self.unproven().end_oldest()
    }

    fn unproven(&self) -> MutexGuard<'_, Unproven> {
        self.unproven.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Unproven {
    fn end_oldest(&mut self) -> bool {
        let of = |address: &IpAddr| self.streams.iter().filter(|(_, it, _)| it == address).count();
        // The first of several with as many is the oldest.
        let places = self.streams.iter().map(|(_, address, _)| of(address)).enumerate();
        let crowded = places.rev().max_by_key(|(_, places)| *places);
        let crowded = crowded.and_then(|(index, _)| self.streams.remove(index));
        let Some((.., stream)) = crowded else { return false };
        // It may be gone by itself.
        let _ = stream.shutdown(Shutdown::Both);
        true
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.room.unproven().streams.retain(|(number, ..)| *number != self.number);
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Read as _, net::TcpListener, time::Duration};

    use super::*;

    #[test]
    fn who_has_most_places_loses_one_and_not_who_has_waited_longest() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let room = Arc::<Room>::default();
        let mut places = Vec::new();
        let mut come = |address: &str| {
            let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
            client.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
            let (stream, _) = listener.accept().unwrap();
            let place = room.enter(&stream, address.parse().unwrap(), 3).expect("a descriptor");
            places.push((stream, place));
            move || client.read(&mut [0]).is_ok_and(|count| count == 0)
        };
        let mut honest = come("10.0.0.1");
        let [mut older, mut younger] = [(); 2].map(|()| come("10.0.0.2"));
        let mut late = come("10.0.0.3");
        assert!(older(), "the older one of the address with two places is ended");
        assert!(!honest() && !younger() && !late());
        // All have one: the oldest goes.
        let mut last = come("10.0.0.4");
        assert!(honest() && !younger() && !late() && !last());
    }
}
