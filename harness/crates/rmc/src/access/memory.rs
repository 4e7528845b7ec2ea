//! Memory of the access library: what peers reach, and what operations read into and write from.

use std::{
    cell::Cell, marker::PhantomData, mem::MaybeUninit, ops::Deref, rc::Rc, sync::atomic::AtomicU64,
};

use onesided_transport::{Access, RegisterError, RegisteredMemory, RemoteMemory};

use crate::{
    device::{RmcDevice, RmcRegion},
    shared::{line, ring::LINE_BYTES},
};

/// Values that any bytes are one of, without padding, references or anything to drop.
///
/// # Safety
/// Every pattern of bits is a value, and every byte of a value belongs to a field. Its alignment
/// is that of a cache line at most.
pub unsafe trait Plain: Copy + 'static {}

macro_rules! plain {
    ($($number:ty)*) => { $(
        // SAFETY: numbers have no padding, and all patterns.
        unsafe impl Plain for $number {}
    )* };
}
plain!(u8 i8 u16 i16 u32 i32 u64 i64 u128 i128 usize isize f32 f64);

// SAFETY: an array is its elements, one behind the other.
unsafe impl<T: Plain, const COUNT: usize> Plain for [T; COUNT] {}

/// Zeroed memory, registered on a node.
pub(super) type Memory = RegisteredMemory<RmcRegion>;

/// A node's part of a context: memory that peers may access at any time, and its owner by atomic
/// accesses of words.
pub struct Segment(Memory);

impl Segment {
    /// Zeroed memory of so many bytes, that peers may access as said.
    ///
    /// # Errors
    /// When there is no memory, or the node has no more places for regions.
    pub fn new(device: &RmcDevice, bytes: usize, access: Access) -> Result<Self, RegisterError> {
        RegisteredMemory::new(device, bytes, access).map(Self)
    }

    /// What peers must know. A queue pair introduces it.
    pub fn remote(&self) -> RemoteMemory {
        self.0.remote()
    }

    /// The address of `length` bytes.
    fn place(&self, offset: usize, length: usize) -> u64 {
        self.0.at(offset, length).as_ptr() as u64
    }

    /// The aligned word at an offset: what a peer's atomics work on, atomic to them.
    ///
    /// # Panics
    /// When it is outside, or not aligned.
    #[inline]
    pub fn word(&self, offset: usize) -> &AtomicU64 {
        let address = self.place(offset, 8);
        assert!(offset.is_multiple_of(8), "offset {offset} is not that of a word");
        // SAFETY: inside the segment, which is accessed by atomics only and outlives the borrow.
        unsafe { line::word(address) }
    }

    /// A copy of a value, word by word: one that a peer writes meanwhile may be of both.
    ///
    /// # Panics
    /// When it is outside.
    #[inline]
    pub fn read<T: Plain>(&self, offset: usize) -> T {
        let mut value = MaybeUninit::<T>::uninit();
        let start = self.place(offset, size_of::<T>());
        let to = value.as_mut_ptr().cast::<u8>();
        each_line(start, size_of::<T>(), |done, address, length| {
            let mut buffer = Line([0; LINE_BYTES]);
            let within = address as usize % LINE_BYTES;
            // SAFETY: inside the segment and one line; the value has room.
            unsafe {
                line::load(address, length, buffer.0.as_mut_ptr());
                to.add(done).copy_from_nonoverlapping(buffer.0.as_ptr().add(within), length);
            }
        });
        // SAFETY: every byte was written, and any bytes are a value.
        unsafe { value.assume_init() }
    }

    /// Stores a value, word by word.
    ///
    /// # Panics
    /// When it is outside.
    #[inline]
    pub fn write<T: Plain>(&self, offset: usize, value: T) {
        let start = self.place(offset, size_of::<T>());
        let from = (&raw const value).cast::<u8>();
        each_line(start, size_of::<T>(), |done, address, length| {
            let mut buffer = Line([0; LINE_BYTES]);
            let within = address as usize % LINE_BYTES;
            // SAFETY: as in `read`; a plain value has no byte that is not its own.
            unsafe {
                buffer.0.as_mut_ptr().add(within).copy_from_nonoverlapping(from.add(done), length);
                line::store(address, length, buffer.0.as_ptr());
            }
        });
    }
}

#[repr(align(64))]
struct Line([u8; LINE_BYTES]);

/// Calls `copy(done, address, length)` for each part within a cache line.
#[inline]
fn each_line(start: u64, length: usize, mut copy: impl FnMut(usize, u64, usize)) {
    let mut done = 0;
    while done < length {
        let address = start + done as u64;
        let part = (LINE_BYTES - address as usize % LINE_BYTES).min(length - done);
        copy(done, address, part);
        done += part;
    }
}

/// Local memory that operations read into and write from, of values of one kind. It belongs to
/// one thread, as do the queue pairs that use it, so its values are [`Cell`]s.
pub struct Buffer<T> {
    memory: Rc<Memory>,
    count: usize,
    values: PhantomData<T>,
}

impl<T: Plain> Buffer<T> {
    /// So many zeroed values.
    ///
    /// # Errors
    /// When the node has no more places for regions.
    pub fn new(device: &RmcDevice, count: usize) -> Result<Self, RegisterError> {
        const { assert!(align_of::<T>() <= LINE_BYTES, "a plain value is aligned to a line") };
        let bytes = count.saturating_mul(size_of::<T>());
        let memory = Rc::new(RegisteredMemory::new(device, bytes, Access::LOCAL)?);
        Ok(Self { memory, count, values: PhantomData })
    }

    /// The same memory once more.
    pub(super) fn share(&self) -> Self {
        Self { memory: Rc::clone(&self.memory), count: self.count, values: PhantomData }
    }

    /// The place of a value, for an operation.
    ///
    /// # Panics
    /// When there is no such value.
    #[inline]
    pub fn at(&self, index: usize) -> Place<'_> {
        let Self { memory, count, .. } = self;
        assert!(index < *count, "there is no value {index} in a buffer of {count}");
        let offset = index * size_of::<T>();
        let address = memory.at(offset, 0).as_ptr() as u64;
        Place { memory, address, room: (count - index) * size_of::<T>() }
    }
}

impl<T: Plain> Deref for Buffer<T> {
    type Target = [Cell<T>];

    #[inline]
    fn deref(&self) -> &[Cell<T>] {
        // SAFETY: the allocation has `count` values, which any bytes are. Operations change them
        // in calls of this thread's queue pairs only, as the owner of a cell may.
        unsafe { std::slice::from_raw_parts(self.memory.at(0, 0).as_ptr().cast(), self.count) }
    }
}

/// Where in a buffer an operation begins.
#[derive(Clone, Copy)]
pub struct Place<'a> {
    pub(super) memory: &'a Rc<Memory>,
    pub(super) address: u64,
    pub(super) room: usize,
}
