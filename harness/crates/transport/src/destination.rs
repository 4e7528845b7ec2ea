//! Where the datagrams of an endpoint go.

use std::sync::atomic::{AtomicU32, Ordering};

/// One queue pair of a peer, as a token of the endpoint that was told of the peer
/// ([`crate::Endpoint::destinations`]). Every other endpoint refuses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The number of the endpoint that gave it out.
    endpoint: u32,
    /// Its place among those of that endpoint.
    place: u32,
}

/// For back ends: the destinations that one endpoint has given out, and what it reaches each by.
#[derive(Debug)]
pub struct Destinations<T> {
    endpoint: u32,
    reached_by: Vec<T>,
}

/// The number of the next endpoint. It comes round after 2^32 endpoints of a process.
static NEXT: AtomicU32 = AtomicU32::new(0);

impl<T> Destinations<T> {
    /// None yet, of an endpoint that gets a number of its own.
    pub fn of_new_endpoint() -> Self {
        Self { endpoint: NEXT.fetch_add(1, Ordering::Relaxed), reached_by: Vec::new() }
    }

    /// Gives out a destination for each of these, in their order.
    pub fn add(&mut self, reached_by: impl IntoIterator<Item = T>) -> Vec<Destination> {
        let endpoint = self.endpoint;
        let before = self.reached_by.len() as u32;
        self.reached_by.extend(reached_by);
        let places = before..self.reached_by.len() as u32;
        places.map(|place| Destination { endpoint, place }).collect()
    }

    /// What a destination is reached by; absent where another endpoint gave it out.
    #[inline]
    pub fn find(&self, destination: Destination) -> Option<&T> {
        match destination.endpoint == self.endpoint {
            true => self.reached_by.get(destination.place as usize),
            false => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_destination_is_known_to_the_endpoint_that_gave_it_out_and_to_no_other() {
        let mut first = Destinations::of_new_endpoint();
        let mut second = Destinations::of_new_endpoint();
        let to = [first.add(["a", "b"]), first.add(["c"])].concat();
        let others = second.add(["x", "y", "z"]);
        let found = |of: &Destinations<&'static str>, to: &[Destination]| {
            to.iter().map(|&to| of.find(to).copied()).collect::<Vec<_>>()
        };
        assert_eq!(found(&first, &to), ["a", "b", "c"].map(Some));
        assert_eq!(found(&second, &others), ["x", "y", "z"].map(Some));
        assert_eq!(found(&first, &others), [None; 3]);
        assert_eq!(found(&second, &to), [None; 3]);
    }

    #[test]
    fn a_destination_makes_no_request_larger() {
        assert_eq!(size_of::<Destination>(), 8);
        assert_eq!(size_of::<crate::Opcode>(), 24);
    }
}
