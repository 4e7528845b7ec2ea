//! Atomics of the card: each locks a slot.

use crate::{
    stations::Server,
    time::{Moment, Span},
};

/// The slots that atomics lock, chosen by the low bits of their address: 4096 by the low 12 bits
/// on Connect-IB, one on ConnectX-3 (Kalia et al., section 5.4).
#[derive(Clone, Debug)]
pub(crate) struct LockSlots {
    slots: Vec<Server>,
    held: Span,
}

impl LockSlots {
    pub(crate) fn new(slots: usize, held: Span) -> Self {
        Self { slots: vec![Server::default(); slots.max(1)], held }
    }

    /// An atomic at `address` that arrives at `at`; when it is done.
    #[inline]
    pub(crate) fn lock(&mut self, at: Moment, address: u64) -> Moment {
        let slot = (address % self.slots.len() as u64) as usize;
        self.slots[slot].serve(at, self.held)
    }
}
