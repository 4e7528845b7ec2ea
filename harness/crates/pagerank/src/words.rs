//! Registered memory of numbers.

use std::sync::atomic::{AtomicU64, Ordering};

use onesided_transport::{
    Access, LocalSegment, Region, RegisteredMemory, RemoteMemory, ResourceError, Transport,
};

/// Bytes of a number.
pub const WORD_BYTES: usize = size_of::<u64>();

/// Numbers that devices read or write while threads load them.
pub struct Words<R>(RegisteredMemory<R>);

impl<R: Region> Words<R> {
    /// So many zeroes, that peers may access as said; one at least.
    pub fn new<T: Transport<Region = R>>(
        transport: &T,
        count: usize,
        access: Access,
    ) -> Result<Self, ResourceError> {
        Ok(Self(RegisteredMemory::new(transport, count.max(1) * WORD_BYTES, access)?))
    }

    /// A part of it for an operation.
    ///
    /// # Panics
    /// When it is not all inside.
    #[inline]
    pub fn segment(&self, first: usize, count: usize) -> LocalSegment {
        self.0.segment(first * WORD_BYTES, (count * WORD_BYTES) as u32)
    }

    /// What a peer must know.
    pub fn remote(&self) -> RemoteMemory {
        self.0.remote()
    }
}

impl<R> Words<R> {
    /// All of them.
    #[inline]
    pub fn all(&self) -> &[AtomicU64] {
        self.0.words()
    }

    /// A number.
    #[inline]
    pub fn get(&self, index: usize) -> f64 {
        number(&self.all()[index])
    }

    /// Puts a number.
    #[inline]
    pub fn put(&self, index: usize, value: f64) {
        put_number(&self.all()[index], value);
    }
}

/// A number that a thread or a device has put: what orders the two is a barrier or a completion.
#[inline]
pub fn number(word: &AtomicU64) -> f64 {
    f64::from_bits(word.load(Ordering::Relaxed))
}

/// Puts a number.
#[inline]
pub fn put_number(word: &AtomicU64, value: f64) {
    word.store(value.to_bits(), Ordering::Relaxed);
}
