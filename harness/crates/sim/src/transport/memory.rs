//! Memory of this process that devices move bytes of.
//!
//! Peers' accesses are not ordered with those of the memory's owner, so bytes are moved by relaxed
//! atomic instructions: of words where all is aligned, else of bytes. Words and bytes of one place
//! may be accessed in both sizes at once, which the language's model leaves open and the processors
//! that this runs on define.

#![allow(unsafe_code)]

use std::{
    marker::PhantomData,
    ptr,
    sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed, Ordering::SeqCst},
};

const WORD: usize = size_of::<u64>();

/// Memory that is mapped.
#[derive(Debug)]
pub(super) struct Mapped {
    start: u64,
    length: u64,
}

/// A part of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    start: usize,
    length: usize,
    of: PhantomData<&'a Mapped>,
}

impl Mapped {
    /// `length` bytes at `start`.
    ///
    /// # Safety
    /// As long as the value lives they are mapped and readable, and writable where anything is
    /// moved to them; whoever else uses them expects what is moved to them to change.
    pub(super) unsafe fn new(start: u64, length: u64) -> Self {
        Self { start, length }
    }

    /// Where it begins.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// `length` bytes at `address`; none where they are not all inside.
    pub(super) fn part(&self, address: u64, length: u32) -> Option<Part<'_>> {
        let offset = address.checked_sub(self.start)?;
        let left = self.length.checked_sub(offset)?;
        let length = usize::try_from(length).ok().filter(|length| *length as u64 <= left)?;
        Some(Part { start: usize::try_from(address).ok()?, length, of: PhantomData })
    }
}

impl Part<'_> {
    /// How long it is, in bytes.
    pub(super) fn length(self) -> usize {
        self.length
    }

    fn byte(&self, index: usize) -> &AtomicU8 {
        assert!(index < self.length, "byte {index} is outside a part of {}", self.length);
        // SAFETY: inside what is mapped as long as the part lives; the address was told by the
        // owner of the memory.
        unsafe { AtomicU8::from_ptr(ptr::with_exposed_provenance_mut(self.start + index)) }
    }

    fn word(&self, index: usize) -> &AtomicU64 {
        let inside = (index + 1) * WORD <= self.length;
        assert!(inside && self.start.is_multiple_of(WORD), "word {index} is outside, or askew");
        // SAFETY: as for `byte`, and aligned.
        unsafe { AtomicU64::from_ptr(ptr::with_exposed_provenance_mut(self.start + index * WORD)) }
    }

    fn is_of_words(self) -> bool {
        self.start.is_multiple_of(WORD) && self.length.is_multiple_of(WORD)
    }
}

/// Moves bytes between parts of one length, lowest first.
///
/// # Panics
/// When the lengths differ.
pub(super) fn copy(from: Part<'_>, to: Part<'_>) {
    assert_eq!(from.length, to.length, "parts of one length are copied");
    if from.is_of_words() && to.is_of_words() {
        for index in 0..from.length / WORD {
            to.word(index).store(from.word(index).load(Relaxed), Relaxed);
        }
    } else {
        for index in 0..from.length {
            to.byte(index).store(from.byte(index).load(Relaxed), Relaxed);
        }
    }
}

/// Moves bytes out of memory into as long a slice.
pub(super) fn take(from: Part<'_>, into: &mut [u8]) {
    assert_eq!(from.length, into.len(), "a slice of the part's length is filled");
    for (index, byte) in into.iter_mut().enumerate() {
        *byte = from.byte(index).load(Relaxed);
    }
}

/// Moves bytes of as long a slice into memory.
pub(super) fn put(bytes: &[u8], to: Part<'_>) {
    assert_eq!(bytes.len(), to.length, "a slice of the part's length is laid down");
    for (index, byte) in bytes.iter().enumerate() {
        to.byte(index).store(*byte, Relaxed);
    }
}

/// Adds to the word that an aligned part begins with, modulo 2^64; what it was.
pub(super) fn fetch_and_add(at: Part<'_>, add: u64) -> u64 {
    at.word(0).fetch_add(add, SeqCst)
}

/// Replaces the word that an aligned part begins with if it is `compare`; what it was.
pub(super) fn compare_and_swap(at: Part<'_>, compare: u64, swap: u64) -> u64 {
    match at.word(0).compare_exchange(compare, swap, SeqCst, SeqCst) {
        Ok(previous) | Err(previous) => previous,
    }
}
