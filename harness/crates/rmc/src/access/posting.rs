//! The data path: operations given to the controller, and what has become of them.

use std::rc::Rc;

use onesided_transport::{
    CompletionStatus, Endpoint, LocalSegment, Opcode, Payload, Region, RemoteSegment, Signal,
    WorkCompletion, WorkRequest,
};

use super::{
    AccessError, Place,
    peer::Peer,
    queue_pair::{QueuePair, Slot},
};

/// What an operation works on at its node.
#[derive(Clone, Copy)]
pub(super) struct Target {
    pub(super) node: u16,
    pub(super) offset: u64,
    pub(super) length: usize,
}

impl QueuePair {
    /// Checks an operation and gives it to the controller.
    #[inline]
    pub(super) fn post(
        &mut self,
        slot: usize,
        Target { node, offset, length }: Target,
        Place { memory, address, room }: Place<'_>,
        opcode: Opcode,
    ) -> Result<(), AccessError> {
        let route = self.routes.get(usize::from(node)).copied().flatten();
        let Some(index) = route.map(usize::from) else {
            return Err(AccessError::NotConnected { node });
        };
        let peer = &mut self.peers[index];
        let Some(segment) = peer.segment else { return Err(AccessError::NotConnected { node }) };
        let segment_bytes = segment.length_bytes;
        if offset > segment_bytes || length as u64 > segment_bytes - offset {
            return Err(AccessError::OutOfSegment { node, offset, length, segment_bytes });
        }
        let Some(length_bytes) = u32::try_from(length).ok().filter(|_| length <= room) else {
            return Err(AccessError::OutOfBuffer { length, room });
        };
        let remote = segment.address + offset;
        let is_atomic = !matches!(opcode, Opcode::Read | Opcode::Write);
        if is_atomic && !remote.is_multiple_of(u64::from(Opcode::ATOMIC_BYTES)) {
            return Err(AccessError::Misaligned { node, offset });
        }
        let key = memory.region().local_key();
        let request = WorkRequest {
            id: slot as u64,
            opcode,
            local: LocalSegment { address, length: length_bytes, key },
            remote: RemoteSegment { address: remote, key: segment.key },
            signal: Signal::Signaled,
            payload: Payload::Gathered,
        };
        // SAFETY: the slot keeps the memory as long as the operation is under way, and only this
        // thread has it, by cells.
        let posted = unsafe { peer.endpoint.post(0, &[request]) };
        posted.map_err(|source| AccessError::Post { node, source })?;
        peer.under_way += 1;
        self.slots[slot] = Slot::UnderWay { peer: index, _memory: Rc::clone(memory) };
        Ok(())
    }

    /// Takes what has ended.
    #[inline]
    pub(super) fn poll(&mut self) -> Result<(), AccessError> {
        for Peer { endpoint, node, under_way, .. } in &mut self.peers {
            if *under_way == 0 {
                continue;
            }
            let polled = endpoint.poll(&mut self.ended[..]);
            let polled = polled.map_err(|source| AccessError::Poll { node: *node, source })?;
            *under_way -= polled;
            for WorkCompletion { id, status, .. } in &self.ended[..polled] {
                let slot = *id as usize;
                match slot + 1 < self.slots.len() {
                    true => {
                        self.under_way -= 1;
                        self.done.push_back((slot, *status));
                    }
                    false => self.waited_for = Some(*status),
                }
            }
        }
        Ok(())
    }

    /// Frees the slots of what has ended, and tells of it.
    #[inline]
    pub(super) fn tell(&mut self, done: &mut impl FnMut(usize)) -> Result<(), AccessError> {
        let mut failed = None;
        while let Some((slot, status)) = self.done.pop_front() {
            if status != CompletionStatus::Success {
                failed = failed.or(self.ending(slot, Some(slot), status).err());
                self.free_slot(slot);
                continue;
            }
            self.free_slot(slot);
            done(slot);
        }
        failed.map_or(Ok(()), Err)
    }

    /// How the operation in a place ended.
    #[inline]
    pub(super) fn ending(
        &mut self,
        place: usize,
        slot: Option<usize>,
        status: CompletionStatus,
    ) -> Result<(), AccessError> {
        match (&self.slots[place], status) {
            (_, CompletionStatus::Success) => Ok(()),
            (&Slot::UnderWay { peer, .. }, _) => {
                Err(AccessError::of(&mut self.peers[peer], slot, status))
            }
            (Slot::Free | Slot::Held, _) => unreachable!("what ended was under way"),
        }
    }

    #[inline]
    pub(super) fn free_slot(&mut self, slot: usize) {
        self.slots[slot] = Slot::Free;
        self.free.push(slot);
    }
}
