//! The table of packets that are under way, by transfer id (004 §4.2, the ITT).

use std::mem;

use crate::shared::{packet::Kind, ring::SLOTS};

/// What a reply is to be used for.
#[derive(Clone, Copy, Debug)]
pub struct Flight {
    /// The queue pair's index.
    pub queue: u32,
    /// Position of the request in its send queue.
    pub position: u64,
    /// What was asked for.
    pub kind: Kind,
    /// Where the payload is in its line.
    pub line_offset: u8,
    /// Slots that it has in the lanes; none where nothing is under way.
    pub slots: u8,
    /// Bytes of payload.
    pub length: u32,
    /// Where the payload goes to.
    pub local: u64,
}

const NOTHING: Flight = Flight {
    queue: 0,
    position: 0,
    kind: Kind::Read,
    line_offset: 0,
    slots: 0,
    length: 0,
    local: 0,
};

/// The table, and the credits of the channel: slots that no packet has. A packet has one or more,
/// so there are always names for all that are under way.
pub struct InFlight {
    flights: Box<[Flight; SLOTS]>,
    free: Box<[u8; SLOTS]>,
    names: usize,
    credits: usize,
}

impl InFlight {
    /// With nothing under way.
    pub fn new() -> Self {
        Self {
            flights: Box::new([NOTHING; SLOTS]),
            free: Box::new(std::array::from_fn(|transfer| transfer as u8)),
            names: SLOTS,
            credits: SLOTS,
        }
    }

    /// Slots that may still be used.
    #[inline]
    pub fn credits(&self) -> usize {
        self.credits
    }

    /// Packets under way.
    #[inline]
    pub fn count(&self) -> usize {
        SLOTS - self.names
    }

    /// Notes a packet; its transfer id. There must be credits for its slots.
    #[inline]
    pub fn start(&mut self, flight: Flight) -> u8 {
        let slots = usize::from(flight.slots);
        assert!(0 < slots && slots <= self.credits, "a packet is sent only on credit");
        self.credits -= slots;
        self.names -= 1;
        let transfer = self.free[self.names];
        self.flights[usize::from(transfer) % SLOTS] = flight;
        transfer
    }

    /// What a reply is for, unless no packet of that name and so many slots is under way. Then the
    /// peer writes garbage.
    #[inline]
    pub fn find(&self, transfer: u8, slots: u8) -> Option<Flight> {
        let flight = self.flights[usize::from(transfer) % SLOTS];
        (slots > 0 && flight.slots == slots).then_some(flight)
    }

    /// Ends a packet that was found.
    #[inline]
    pub fn end(&mut self, transfer: u8) {
        let slots = mem::take(&mut self.flights[usize::from(transfer) % SLOTS].slots);
        self.free[self.names] = transfer;
        self.names += 1;
        self.credits += usize::from(slots);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn transfers_end_in_any_order_and_each_gives_its_credit_back() {
        let mut table = InFlight::new();
        let flight = |position| Flight { position, slots: 1, ..NOTHING };
        let started: Vec<_> =
            (0..SLOTS as u64).map(|position| (table.start(flight(position)), position)).collect();
        assert_eq!((table.credits(), table.count()), (0, SLOTS));
        let mut names: Vec<_> = started.iter().map(|(transfer, _)| *transfer).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), SLOTS, "each has a name of its own");
        for (transfer, position) in started.iter().skip(7).chain(&started[..7]) {
            assert_eq!(table.find(*transfer, 1).map(|flight| flight.position), Some(*position));
            table.end(*transfer);
            assert!(table.find(*transfer, 1).is_none(), "it has ended");
        }
        assert_eq!(table.credits(), SLOTS);
    }

    #[test]
    fn a_train_has_the_credits_of_its_slots() {
        let mut table = InFlight::new();
        let train = table.start(Flight { slots: 32, ..NOTHING });
        let single = table.start(Flight { slots: 1, ..NOTHING });
        assert_eq!((table.credits(), table.count()), (SLOTS - 33, 2));
        assert!(table.find(train, 31).is_none(), "a reply has the slots of its request");
        assert!(table.find(train, 32).is_some());
        table.end(train);
        assert!(table.find(train, 32).is_none(), "and comes once");
        assert_eq!((table.credits(), table.count()), (SLOTS - 1, 1));
        assert!(table.find(single, 1).is_some());
        table.end(single);
        assert_eq!((table.credits(), table.count()), (SLOTS, 0));
        assert!((0..=255).all(|transfer| table.find(transfer, 0).is_none()), "nothing is left");
    }
}
