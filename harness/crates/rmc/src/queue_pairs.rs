//! The queue pairs of a node as the responder sees them: who may send to them, and what they may
//! do there. What they send themselves is their endpoint's (`endpoint::send_queue`).

use std::{
    ptr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, Ordering},
    },
};

use onesided_transport::{Access, Service};

use crate::{
    keys::{Keys, index_of},
    receives::Receives,
};

/// Queue pairs of a node; their numbers have 24 bits, 8 of them a tag. Ours.
pub const QUEUE_PAIRS: usize = 4_096;

/// No node's number: these have 16 bits.
const NOBODY: u32 = u32::MAX;

/// Where a queue pair stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Phase {
    /// It has no peer yet.
    Initialized,
    /// It answers and sends.
    Connected,
    /// It refuses and flushes.
    Error,
}

/// A queue pair that requests may be for. It has cache lines of its own: the responder looks at it
/// for each packet, while its neighbours in memory may belong to a requester at work.
#[repr(align(128))]
pub struct Target {
    phase: AtomicU8,
    /// The peer's node, once it is connected; none of datagrams.
    peer: AtomicU32,
    /// Its service.
    pub service: Service,
    /// What datagrams to it carry.
    pub datagram_key: u32,
    /// Of unreliable services: the channel, from 1, whose message is being put into the oldest receive
    /// request; 0: none. The responder's.
    pub assembling: AtomicU32,
    /// What peers may do through it.
    pub access: Access,
    /// Set while what follows a request that found no receive is turned away. The responder's.
    pub turned_away: AtomicBool,
    /// Where messages for it find their receive requests.
    pub receives: Receives,
}

impl Target {
    /// One without a peer. One of datagrams needs none.
    pub fn new(service: Service, datagram_key: u32, access: Access, receives: Receives) -> Self {
        let (phase, peer) = match service {
            Service::UnreliableDatagram => (Phase::Connected, NOBODY),
            _ => (Phase::Initialized, 0),
        };
        // Also where a member of the fabric asks for what no queue pair of the service sends.
        let access = match service {
            Service::ReliableConnection => access,
            Service::UnreliableConnection => {
                Access { remote_write: access.remote_write, ..Access::LOCAL }
            }
            Service::UnreliableDatagram => Access::LOCAL,
        };
        Self {
            phase: AtomicU8::new(phase as u8),
            peer: AtomicU32::new(peer),
            service,
            datagram_key,
            assembling: AtomicU32::new(0),
            access,
            turned_away: AtomicBool::new(false),
            receives,
        }
    }

    /// Lets a node send to it.
    pub fn connect(&self, peer: u16) {
        self.peer.store(peer.into(), Ordering::Relaxed);
        self.phase.store(Phase::Connected as u8, Ordering::Release);
    }

    /// Refuses everything from now on.
    pub fn fail(&self) {
        self.phase.store(Phase::Error as u8, Ordering::Release);
    }

    /// Where it stands.
    #[inline]
    pub fn phase(&self) -> Phase {
        match self.phase.load(Ordering::Acquire) {
            0 => Phase::Initialized,
            1 => Phase::Connected,
            _ => Phase::Error,
        }
    }

    /// Whether the requests of a node are executed, nothing being turned away.
    #[inline]
    pub fn is_open_to(&self, node: u32) -> bool {
        self.phase() == Phase::Connected
            && self.is_peer(node)
            && !self.turned_away.load(Ordering::Relaxed)
    }

    /// Whether a node is the peer.
    #[inline]
    pub fn is_peer(&self, node: u32) -> bool {
        self.peer.load(Ordering::Relaxed) == node
    }
}

#[derive(Default)]
#[repr(align(64))]
struct Place {
    /// 0 while the place is free. Stored last, cleared first.
    number: AtomicU32,
    target: AtomicPtr<Target>,
}

/// All queue pairs of a node.
pub struct QueuePairs {
    places: Box<[Place]>,
    numbers: Mutex<Keys>,
}

impl QueuePairs {
    /// None yet, of the node of this number. The first queue pairs of nodes 0 to 255 have different numbers, so
    /// that a datagram's sender can be told from another node's; of nodes 0 to 15, each place's first 16.
    pub fn new(node: u16) -> Self {
        let places = (0..QUEUE_PAIRS).map(|_| Place::default()).collect();
        // Farthest apart where there are few nodes, which have the lowest numbers.
        let first_tag = (node as u8).reverse_bits();
        Self { places, numbers: Mutex::new(Keys::new(QUEUE_PAIRS, first_tag)) }
    }

    /// Adds one; its number, or none where there is no place left. It must stay until
    /// [`QueuePairs::free`].
    pub fn add(&self, target: &Arc<Target>) -> Option<u32> {
        let number = self.numbers.lock().unwrap_or_else(PoisonError::into_inner).take()?;
        let place = self.place(number);
        place.target.store(Arc::as_ptr(target).cast_mut(), Ordering::Relaxed);
        place.number.store(number, Ordering::Release);
        Some(number)
    }

    /// Takes one away: it is not found any more, but may still be in use by who found it before.
    pub fn hide(&self, number: u32) {
        self.place(number).number.store(0, Ordering::SeqCst);
    }

    /// Lets the place of a hidden one be used again.
    pub fn free(&self, number: u32) {
        self.place(number).target.store(ptr::null_mut(), Ordering::Relaxed);
        self.numbers.lock().unwrap_or_else(PoisonError::into_inner).give_back(number);
    }

    /// The queue pair of a number.
    ///
    /// # Safety
    /// Only who has the duty may call it, and must not keep the reference beyond the next
    /// time that it says it has settled: hidden queue pairs are waited for until then.
    #[inline]
    pub unsafe fn find(&self, number: u32) -> Option<&Target> {
        let place = self.places.get(index_of(number)?)?;
        if place.number.load(Ordering::Acquire) != number {
            return None;
        }
        // SAFETY: whoever added it keeps it until it was hidden and the responder has settled.
        unsafe { place.target.load(Ordering::Relaxed).as_ref() }
    }

    fn place(&self, number: u32) -> &Place {
        &self.places[index_of(number).expect("a number that was given out names a place")]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::receives::OwnReceives;

    #[test]
    fn queue_pairs_of_different_nodes_have_different_numbers() {
        let receives = Receives::Own(OwnReceives::new(0));
        let target = Arc::new(Target::new(Service::UnreliableDatagram, 1, Access::LOCAL, receives));
        let of = |node, queue_pairs| {
            let node = QueuePairs::new(node);
            let numbers: Vec<_> = (0..queue_pairs).map(|_| node.add(&target).unwrap()).collect();
            // SAFETY: there is no responder, and the target outlives the node.
            let found = |&number: &u32| unsafe { node.find(number) }.is_some();
            assert!(numbers.iter().all(found), "{numbers:?}");
            numbers
        };
        let all: Vec<_> = (0..256).flat_map(|node| of(node, 3)).collect();
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len());
        // They have 24 bits, and 0 and 1 are of the subnet manager.
        assert!(all.iter().all(|number| (0x100..1 << 24).contains(number)), "{all:?}");
        assert_eq!((of(0, 1), of(1, 1)), (vec![0x100], vec![0x180]));
    }
}
