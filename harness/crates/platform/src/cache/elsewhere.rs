//! Other architectures than x86-64: nothing can be flushed or timed yet.

use super::CacheError;

/// Never made.
#[derive(Debug)]
pub(super) enum Flusher {}

impl Flusher {
    pub(super) fn of_this_cpu() -> Result<Self, CacheError> {
        Err(CacheError::Unsupported { architecture: std::env::consts::ARCH })
    }

    pub(super) fn name(&self) -> &'static str {
        match *self {}
    }

    pub(super) fn line_bytes(&self) -> usize {
        match *self {}
    }

    /// # Safety
    /// It cannot be called.
    pub(super) unsafe fn region(&self, _start: *const u8, _length: usize) {
        match *self {}
    }

    /// # Safety
    /// It cannot be called.
    pub(super) unsafe fn each(&self, _lines: impl Iterator<Item = *const u8>) {
        match *self {}
    }
}

/// # Safety
/// The address is mapped and readable.
pub(super) unsafe fn timed_load(_address: *const u8) -> u64 {
    unreachable!("only a Flusher leads here, and there is none")
}
