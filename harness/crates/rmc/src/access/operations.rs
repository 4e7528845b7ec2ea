//! The data path: operations that are begun with a slot, and end in a callback.

use onesided_transport::Opcode;

use super::{
    AccessError, Place,
    posting::Target,
    queue_pair::{QueuePair, Slot},
};

impl QueuePair {
    /// Waits until a slot is free, and gives it out. Until then `done` is called with the slot of
    /// each operation that ends well.
    ///
    /// # Errors
    /// The first of the operations that did not end well, after `done` was called for those that
    /// did; [`AccessError::AllSlotsHeld`] where waiting would not end.
    #[inline]
    pub fn wait_for_slot(&mut self, mut done: impl FnMut(usize)) -> Result<usize, AccessError> {
        loop {
            if let Some(slot) = self.free.pop() {
                self.slots[slot] = Slot::Held;
                return Ok(slot);
            }
            if self.under_way == 0 && self.done.is_empty() {
                return Err(AccessError::AllSlotsHeld { slots: self.slots() });
            }
            self.poll()?;
            self.tell(&mut done)?;
        }
    }

    /// Calls `done` with the slot of each operation that has ended well by now.
    ///
    /// # Errors
    /// As [`QueuePair::wait_for_slot`].
    #[inline]
    pub fn poll_cq(&mut self, mut done: impl FnMut(usize)) -> Result<(), AccessError> {
        self.poll()?;
        self.tell(&mut done)
    }

    /// Waits until nothing is under way, and calls `done` with the slot of each operation that ends
    /// well. All slots are free then, those too that were held and not used.
    ///
    /// # Errors
    /// The first of the operations that did not end well, when all have ended.
    #[inline]
    pub fn drain_cq(&mut self, mut done: impl FnMut(usize)) -> Result<(), AccessError> {
        let mut failed = Ok(());
        while self.under_way > 0 || !self.done.is_empty() {
            // One that cannot be polled any more never ends.
            self.poll()?;
            let told = self.tell(&mut done);
            failed = failed.and(told);
        }
        for slot in 0..self.slots() {
            if matches!(self.slots[slot], Slot::Held) {
                self.free_slot(slot);
            }
        }
        failed
    }

    /// Begins to read `length` bytes at `offset` of a node's segment into a buffer.
    ///
    /// # Errors
    /// [`AccessError`]; bounds are checked here, rights by the node.
    #[inline]
    pub fn read_async(
        &mut self,
        slot: usize,
        node: u16,
        offset: u64,
        into: Place<'_>,
        length: usize,
    ) -> Result<(), AccessError> {
        self.begin(slot, Target { node, offset, length }, into, Opcode::Read)
    }

    /// Begins to write `length` bytes of a buffer to `offset` of a node's segment. The buffer may
    /// be changed when it is done.
    ///
    /// # Errors
    /// As [`QueuePair::read_async`].
    #[inline]
    pub fn write_async(
        &mut self,
        slot: usize,
        node: u16,
        offset: u64,
        from: Place<'_>,
        length: usize,
    ) -> Result<(), AccessError> {
        self.begin(slot, Target { node, offset, length }, from, Opcode::Write)
    }

    /// Begins to add to a word, whose value before comes into a buffer.
    ///
    /// # Errors
    /// As [`QueuePair::read_async`], and [`AccessError::Misaligned`].
    #[inline]
    pub fn fetch_and_add_async(
        &mut self,
        slot: usize,
        node: u16,
        offset: u64,
        add: u64,
        into: Place<'_>,
    ) -> Result<(), AccessError> {
        self.begin(slot, Target { node, offset, length: 8 }, into, Opcode::FetchAndAdd { add })
    }

    /// Begins to swap a word for `swap` where it is `compare`; its value before comes into a
    /// buffer.
    ///
    /// # Errors
    /// As [`QueuePair::fetch_and_add_async`].
    #[inline]
    pub fn compare_and_swap_async(
        &mut self,
        slot: usize,
        node: u16,
        offset: u64,
        (compare, swap): (u64, u64),
        into: Place<'_>,
    ) -> Result<(), AccessError> {
        let target = Target { node, offset, length: 8 };
        self.begin(slot, target, into, Opcode::CompareAndSwap { compare, swap })
    }

    #[inline]
    fn begin(
        &mut self,
        slot: usize,
        target: Target,
        place: Place<'_>,
        opcode: Opcode,
    ) -> Result<(), AccessError> {
        if slot >= self.slots() || !matches!(self.slots[slot], Slot::Held) {
            return Err(AccessError::SlotNotHeld { slot });
        }
        match self.post(slot, target, place, opcode) {
            Ok(()) => self.under_way += 1,
            Err(refused) => {
                self.free_slot(slot);
                return Err(refused);
            }
        }
        Ok(())
    }
}
