//! The data path: operations that are waited for. Others that end meanwhile are told later, to the
//! next callback.

use onesided_transport::Opcode;

use super::{
    AccessError, Place,
    posting::Target,
    queue_pair::{QueuePair, Slot},
};

impl QueuePair {
    /// Reads `length` bytes at `offset` of a node's segment into a buffer.
    ///
    /// # Errors
    /// [`AccessError`].
    #[inline]
    pub fn read(
        &mut self,
        node: u16,
        offset: u64,
        into: Place<'_>,
        length: usize,
    ) -> Result<(), AccessError> {
        self.wait_for(Target { node, offset, length }, into, Opcode::Read)
    }

    /// Writes `length` bytes of a buffer to `offset` of a node's segment.
    ///
    /// # Errors
    /// [`AccessError`].
    #[inline]
    pub fn write(
        &mut self,
        node: u16,
        offset: u64,
        from: Place<'_>,
        length: usize,
    ) -> Result<(), AccessError> {
        self.wait_for(Target { node, offset, length }, from, Opcode::Write)
    }

    /// Adds to a word; its value before.
    ///
    /// # Errors
    /// [`AccessError`].
    #[inline]
    pub fn fetch_and_add(&mut self, node: u16, offset: u64, add: u64) -> Result<u64, AccessError> {
        self.wait_for_word(node, offset, Opcode::FetchAndAdd { add })
    }

    /// Swaps a word for `swap` where it is `compare`; its value before.
    ///
    /// # Errors
    /// [`AccessError`].
    #[inline]
    pub fn compare_and_swap(
        &mut self,
        node: u16,
        offset: u64,
        compare: u64,
        swap: u64,
    ) -> Result<u64, AccessError> {
        self.wait_for_word(node, offset, Opcode::CompareAndSwap { compare, swap })
    }

    #[inline]
    fn wait_for_word(
        &mut self,
        node: u16,
        offset: u64,
        opcode: Opcode,
    ) -> Result<u64, AccessError> {
        let word = self.word.share();
        self.wait_for(Target { node, offset, length: 8 }, word.at(0), opcode)?;
        Ok(self.word[0].get())
    }

    #[inline]
    fn wait_for(
        &mut self,
        target: Target,
        place: Place<'_>,
        opcode: Opcode,
    ) -> Result<(), AccessError> {
        self.post(self.slots(), target, place, opcode)?;
        loop {
            self.poll()?;
            if let Some(status) = self.waited_for.take() {
                let ended = self.ending(self.slots(), None, status);
                self.slots[self.slots.len() - 1] = Slot::Free;
                return ended;
            }
        }
    }
}
