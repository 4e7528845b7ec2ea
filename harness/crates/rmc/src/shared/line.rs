//! How the bytes of a packet get from a line into memory of a region, and back.
//!
//! Threads of the region's owner may use the same memory at any time, so it is only accessed by
//! atomic instructions of this machine, word by word where the word is whole and aligned, byte by
//! byte at the ends. Their order does not matter (relaxed): what orders them for anybody else is
//! the packet that is published behind them. What is stored is also released as a whole: a thread
//! of the owner that polls its own memory, and acquires a word of it, sees what the peer and this
//! node have seen before. Among each other words have no order. One thread at a time executes what is
//! asked of a node, so between two remote accesses to it a line is never seen half written.

use std::sync::atomic::{AtomicU8, AtomicU64, Ordering, fence};

use super::{
    lines::{load_lines, store_lines},
    ring::{LINE_BYTES, prefetch},
};

/// Bytes of a word.
const WORD: usize = size_of::<u64>();

/// Calls `word` or `byte` for each piece of a part of a line.
#[inline]
fn pieces(address: u64, length: usize, mut word: impl FnMut(usize), mut byte: impl FnMut(usize)) {
    let mut offset = 0;
    while offset < length {
        if (address as usize + offset).is_multiple_of(WORD) && length - offset >= WORD {
            word(offset);
            offset += WORD;
        } else {
            byte(offset);
            offset += 1;
        }
    }
}

/// Calls `part` for the parts of the first and the last cache line that so many bytes have, and
/// `whole` for the whole lines between them: where they are behind the first byte, and how many
/// bytes, or lines.
#[inline]
fn parts(
    address: u64,
    length: usize,
    mut part: impl FnMut(usize, usize),
    whole: impl FnOnce(usize, usize),
) {
    let first = (address as usize).wrapping_neg() % LINE_BYTES;
    let first = first.min(length);
    if first > 0 {
        part(0, first);
    }
    let lines = (length - first) / LINE_BYTES;
    if lines > 0 {
        whole(first, lines);
    }
    let done = first + lines * LINE_BYTES;
    if done < length {
        part(done, length - done);
    }
}

/// Has the cache fetch so many lines, to be read: a hint about any address.
#[inline]
pub fn fetch_ahead<const LINES: usize>(address: u64) {
    let first = address as *const u8;
    for line in 0..LINES {
        prefetch(first.wrapping_add(line * LINE_BYTES));
    }
}

/// Copies `length` bytes at `address` to lines, at the same offset of the first one.
///
/// # Safety
/// The bytes are mapped; the lines are as many as the bytes touch, and nobody else accesses them.
#[inline]
pub unsafe fn load(address: u64, length: usize, lines: *mut u8) {
    // SAFETY: the caller's.
    unsafe { copy(address, length, lines.wrapping_add(address as usize % LINE_BYTES)) };
}

/// Copies `length` bytes at `address`, a cache line after the other, to wherever `to` is.
///
/// # Safety
/// The bytes are mapped; `to` has room for as many, and nobody else accesses it.
#[inline]
pub unsafe fn copy(address: u64, length: usize, to: *mut u8) {
    parts(
        address,
        length,
        // SAFETY: the caller's, for each line of it.
        |offset, length| unsafe { load_within(address + offset as u64, length, to.add(offset)) },
        // SAFETY: as above; they begin where a line does.
        |offset, lines| unsafe {
            load_lines((address + offset as u64) as *const u8, to.add(offset), lines);
        },
    );
}

/// Copies `length` bytes of lines to `address`, from the same offset of the first one.
///
/// # Safety
/// As [`load`].
#[inline]
pub unsafe fn store(address: u64, length: usize, lines: *const u8) {
    // On x86-64 it is no instruction.
    fence(Ordering::Release);
    let from = lines.wrapping_add(address as usize % LINE_BYTES);
    parts(
        address,
        length,
        // SAFETY: the caller's, for each line of it.
        |offset, length| unsafe { store_part(address + offset as u64, length, from.add(offset)) },
        // SAFETY: as above; they begin where a line does, in both.
        |offset, lines| unsafe {
            store_lines(from.add(offset), (address + offset as u64) as *mut u8, lines);
        },
    );
}

/// Copies `length` bytes of lines, from the start of the first one, to `address`.
///
/// # Safety
/// As [`load`].
pub unsafe fn store_from(address: u64, length: usize, from: *const u8) {
    if (address as usize).is_multiple_of(LINE_BYTES) {
        // SAFETY: the caller's; the offset in the first line is the same.
        return unsafe { store(address, length, from) };
    }
    // On x86-64 it is no instruction.
    fence(Ordering::Release);
    // SAFETY: the caller's.
    unsafe { store_part(address, length, from) };
}

/// Copies bytes within one cache line to wherever `to` is.
///
/// # Safety
/// As [`copy`].
#[inline]
pub unsafe fn load_within(address: u64, length: usize, to: *mut u8) {
    if length == LINE_BYTES {
        // SAFETY: the caller's; a whole line within one line is an aligned one.
        return unsafe { load_lines(address as *const u8, to, 1) };
    }
    pieces(
        address,
        length,
        |offset| {
            let from = (address as usize + offset) as *mut u64;
            // SAFETY: aligned, inside what the caller vouches for.
            unsafe {
                let word = AtomicU64::from_ptr(from).load(Ordering::Relaxed);
                to.add(offset).cast::<u64>().write_unaligned(word);
            }
        },
        |offset| {
            let from = (address as usize + offset) as *mut u8;
            // SAFETY: inside what the caller vouches for.
            unsafe { to.add(offset).write(AtomicU8::from_ptr(from).load(Ordering::Relaxed)) }
        },
    );
}

/// Copies bytes, word by word, from wherever `from` is.
///
/// # Safety
/// As [`load`].
#[inline]
unsafe fn store_part(address: u64, length: usize, from: *const u8) {
    pieces(
        address,
        length,
        |offset| {
            let to = (address as usize + offset) as *mut u64;
            // SAFETY: as in `load_within`.
            unsafe {
                let word = from.add(offset).cast::<u64>().read_unaligned();
                AtomicU64::from_ptr(to).store(word, Ordering::Relaxed);
            }
        },
        |offset| {
            let to = (address as usize + offset) as *mut u8;
            // SAFETY: as in `load_within`.
            unsafe { AtomicU8::from_ptr(to).store(from.add(offset).read(), Ordering::Relaxed) }
        },
    );
}

/// Copies words to others.
///
/// # Safety
/// All words that `to` has are mapped at `address`, which is aligned.
#[inline]
pub unsafe fn copy_words(address: u64, to: &[AtomicU64]) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    if (address as usize).is_multiple_of(LINE_BYTES) && to.len().is_multiple_of(LINE_BYTES / WORD) {
        let (from, place, lines) =
            (address as *const u8, to.as_ptr(), to.len() * WORD / LINE_BYTES);
        if lines > 0 {
            // SAFETY: the caller's; whole lines, and whoever stores to `to` meanwhile stores words.
            unsafe { load_lines(from, place.cast_mut().cast(), lines) };
        }
        return;
    }
    for (index, word) in to.iter().enumerate() {
        // SAFETY: the caller's.
        let from = unsafe { self::word(address + (index * WORD) as u64) };
        word.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// The word at `address`, for atomics.
///
/// # Safety
/// It is mapped and aligned, for as long as the reference is used.
#[inline]
pub unsafe fn word<'a>(address: u64) -> &'a AtomicU64 {
    // SAFETY: the caller's.
    unsafe { AtomicU64::from_ptr(address as *mut u64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C, align(64))]
    struct Aligned([u8; 64]);

    #[test]
    fn every_part_of_a_line_is_copied_exactly_both_ways() {
        for start in 0..64 {
            for length in 0..=64 - start {
                let mut memory = Aligned(std::array::from_fn(|index| index as u8 + 1));
                let mut line = Aligned([0; 64]);
                let address = (&raw mut memory.0).cast::<u8>() as u64 + start as u64;
                // SAFETY: both are lines of this function.
                unsafe { load(address, length, line.0.as_mut_ptr()) };
                for (index, byte) in line.0.iter().enumerate() {
                    let within = (start..start + length).contains(&index);
                    assert_eq!(*byte, if within { index as u8 + 1 } else { 0 });
                }
                let line = Aligned([0xaa; 64]);
                // SAFETY: as above.
                unsafe { store(address, length, line.0.as_ptr()) };
                for (index, byte) in memory.0.iter().enumerate() {
                    let within = (start..start + length).contains(&index);
                    assert_eq!(*byte, if within { 0xaa } else { index as u8 + 1 });
                }
            }
        }
    }
}
