//! The table of packets that are under way (004 §4.2, the ITT).
//!
//! A lane is executed and answered in its order, so packets end in the order in which they were
//! sent: the table is a ring beside the lanes, a packet's place in it is that of its first slot,
//! and its name (the transfer id) is that place.

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
    /// Slots that it has in the lanes.
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

/// The table, and the credits of the channel: slots that no packet has.
pub struct InFlight {
    flights: Box<[Flight; SLOTS]>,
    /// Slots of all packets that were sent, and of those that have ended.
    sent: u64,
    ended: u64,
    count: usize,
}

impl InFlight {
    /// With nothing under way.
    pub fn new() -> Self {
        Self { flights: Box::new([NOTHING; SLOTS]), sent: 0, ended: 0, count: 0 }
    }

    /// Slots that may still be used.
    #[inline]
    pub fn credits(&self) -> usize {
        SLOTS - (self.sent - self.ended) as usize
    }

    /// Packets under way.
    #[inline]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Notes a packet; its transfer id. There must be credits for its slots.
    #[inline]
    pub fn start(&mut self, flight: Flight) -> u8 {
        let slots = usize::from(flight.slots);
        assert!(0 < slots && slots <= self.credits(), "a packet is sent only on credit");
        let place = self.sent as usize % SLOTS;
        self.flights[place] = flight;
        self.sent += slots as u64;
        self.count += 1;
        place as u8
    }

    /// The packet that is to be answered next. Meaningless where none is under way.
    #[inline]
    pub fn oldest(&self) -> &Flight {
        &self.flights[self.ended as usize % SLOTS]
    }

    /// The one after that packet, which has one slot; absent where no more is under way.
    #[inline]
    pub fn second(&self) -> Option<&Flight> {
        (self.count > 1).then(|| &self.flights[(self.ended as usize + 1) % SLOTS])
    }

    /// The name of that packet.
    #[inline]
    pub fn next_name(&self) -> u8 {
        self.ended as u8
    }

    /// Whether a reply is that of the packet that is to be answered next: it has its name and its
    /// number of slots. If not, the peer writes garbage.
    #[inline]
    pub fn is_next(&self, transfer: u8, slots: u8) -> bool {
        self.count > 0 && self.next_name() == transfer && self.oldest().slots == slots
    }

    /// Ends the packet that was to be answered, of so many slots.
    #[inline]
    pub fn end(&mut self, slots: u8) {
        self.ended += u64::from(slots);
        self.count -= 1;
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn packets_end_in_order_and_each_gives_its_credit_back() {
        let mut table = InFlight::new();
        let flight = |position| Flight { position, slots: 1, ..NOTHING };
        for lap in 0..3 {
            let started: Vec<_> =
                (0..SLOTS as u64).map(|number| table.start(flight(lap + number))).collect();
            assert_eq!((table.credits(), table.count()), (0, SLOTS));
            let mut names = started.clone();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), SLOTS, "each has a name of its own");
            for (number, transfer) in started.iter().enumerate() {
                assert!(!table.is_next(transfer.wrapping_add(1), 1), "not its turn");
                assert!(table.is_next(*transfer, 1));
                assert_eq!(table.oldest().position, lap + number as u64);
                table.end(1);
                assert!(!table.is_next(*transfer, 1), "it has ended");
            }
            assert_eq!((table.credits(), table.count()), (SLOTS, 0));
        }
    }

    #[test]
    fn a_train_has_the_credits_of_its_slots() {
        let mut table = InFlight::new();
        let train = table.start(Flight { slots: 32, ..NOTHING });
        let single = table.start(Flight { slots: 1, ..NOTHING });
        assert_eq!((table.credits(), table.count()), (SLOTS - 33, 2));
        assert!(!table.is_next(train, 31), "a reply has the slots of its request");
        assert!(table.is_next(train, 32));
        table.end(32);
        assert!(!table.is_next(train, 32), "and comes once");
        assert_eq!((table.credits(), table.count()), (SLOTS - 1, 1));
        assert!(table.is_next(single, 1));
        table.end(1);
        assert_eq!((table.credits(), table.count()), (SLOTS, 0));
        let mut any = (0..=255).flat_map(|name| [(name, 0), (name, 1), (name, 32)]);
        assert!(any.all(|(name, slots)| !table.is_next(name, slots)), "nothing is left");
    }
}
