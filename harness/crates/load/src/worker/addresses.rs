//! Which object is accessed.

use super::draw::below;

/// Which object is accessed, by one worker.
pub trait Addresses {
    /// Whether it looks at the bits.
    const DRAWS: bool;

    /// Where the next object begins, in bytes from the start of the region, given random bits.
    fn next_offset(&mut self, bits: u64) -> u64;
}

/// Any object, each equally likely.
#[derive(Clone, Copy, Debug)]
pub struct Uniform {
    pub(super) objects: u64,
    pub(super) object_bytes: u64,
}

impl Addresses for Uniform {
    const DRAWS: bool = true;

    #[inline(always)]
    fn next_offset(&mut self, bits: u64) -> u64 {
        below(bits, self.objects) * self.object_bytes
    }
}

/// One object after the other.
#[derive(Clone, Copy, Debug)]
pub struct Sequential {
    pub(super) next: u64,
    pub(super) end: u64,
    pub(super) object_bytes: u64,
}

impl Addresses for Sequential {
    const DRAWS: bool = false;

    #[inline(always)]
    fn next_offset(&mut self, _bits: u64) -> u64 {
        let offset = self.next;
        let next = offset + self.object_bytes;
        self.next = if next == self.end { 0 } else { next };
        offset
    }
}

/// Always the same object.
#[derive(Clone, Copy, Debug)]
pub struct Fixed {
    pub(super) offset: u64,
}

impl Addresses for Fixed {
    const DRAWS: bool = false;

    #[inline(always)]
    fn next_offset(&mut self, _bits: u64) -> u64 {
        self.offset
    }
}
