//! Atomics of the card: each locks a slot.

use crate::{
    stations::Server,
    time::{Moment, Span},
};

/// The slots that atomics lock, chosen by the low bits of their address: 4096 by the low 12 bits
/// on Connect-IB, one on ConnectX-3 (Kalia et al., section 5.4).
///
/// An atomic whose slot is locked waits in one of a number of places. While all are taken, those
/// behind wait, too, although their slots may be free.
#[derive(Clone, Debug)]
pub(crate) struct LockSlots {
    slots: Vec<Server>,
    held: Span,
    /// When the atomic in each place gets its slot; empty where places never lack.
    waiting: Vec<Moment>,
}

/// More places than there can be requests.
const MOST_PLACES: f64 = 65_536.0;

impl LockSlots {
    /// `slots` that are locked for so long, with room for `places` atomics that wait.
    pub(crate) fn new(slots: usize, held: Span, places: f64) -> Self {
        let places = if places >= MOST_PLACES { 0 } else { (places as usize).max(1) };
        Self {
            slots: vec![Server::default(); slots.max(1)],
            held,
            waiting: vec![Moment::default(); places],
        }
    }

    /// Whether all atomics lock the same slot.
    pub(crate) fn is_one(&self) -> bool {
        self.slots.len() == 1
    }

    /// An atomic at `address` that arrives at `at`; when it is done.
    #[inline]
    pub(crate) fn lock(&mut self, at: Moment, address: u64) -> Moment {
        let slot = self.slot_of(address);
        let Some(place) = self.waiting.iter_mut().min() else {
            return self.slots[slot].serve(at, self.held);
        };
        let seen = at.max(*place);
        *place = seen.max(self.slots[slot].free_at());
        self.slots[slot].serve(seen, self.held)
    }

    /// The slot of `address` stays locked until then: the result is not in memory before.
    #[inline]
    pub(crate) fn keep_until(&mut self, address: u64, until: Moment) {
        let slot = self.slot_of(address);
        self.slots[slot].keep_until(until);
    }

    fn slot_of(&self, address: u64) -> usize {
        (address % self.slots.len() as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(places: f64, addresses: &[u64]) -> Vec<u64> {
        let mut slots = LockSlots::new(4, Span(10), places);
        addresses.iter().map(|address| slots.lock(Moment(0), *address).0).collect()
    }

    #[test]
    fn slots_are_independent_while_there_are_places_to_wait() {
        assert_eq!(done(f64::INFINITY, &[0, 4, 1, 2]), [10, 20, 10, 10]);
        assert_eq!(done(2.0, &[0, 4, 1, 2]), [10, 20, 10, 10]);
    }

    #[test]
    fn with_one_place_nobody_overtakes_an_atomic_that_waits() {
        assert_eq!(done(1.0, &[0, 4, 1, 2]), [10, 20, 20, 20]);
        assert_eq!(done(1.0, &[0, 1, 2, 3]), [10, 10, 10, 10]);
    }
}
