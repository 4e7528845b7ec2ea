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

use super::ring::LINE_BYTES;

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

/// Calls `part` for the part of each cache line that so many bytes have: where it is behind the
/// first byte, and its length.
#[inline]
fn parts(address: u64, length: usize, mut part: impl FnMut(usize, usize)) {
    let first = (LINE_BYTES - address as usize % LINE_BYTES).min(length);
    part(0, first);
    let mut offset = first;
    while length - offset >= LINE_BYTES {
        part(offset, LINE_BYTES);
        offset += LINE_BYTES;
    }
    if offset < length {
        part(offset, length - offset);
    }
}

/// Copies `length` bytes at `address` to lines, at the same offset of the first one.
///
/// # Safety
/// The bytes are mapped; the lines are as many as the bytes touch, and nobody else accesses them.
#[inline]
pub unsafe fn load(address: u64, length: usize, lines: *mut u8) {
    let to = lines.wrapping_add(address as usize % LINE_BYTES);
    // SAFETY: the caller's, for each line of it.
    parts(address, length, |offset, length| unsafe {
        load_part(address + offset as u64, length, to.add(offset));
    });
}

/// Copies `length` bytes at `address`, a cache line after the other, to wherever `to` is.
///
/// # Safety
/// The bytes are mapped; `to` has room for as many, and nobody else accesses it.
#[inline]
pub unsafe fn copy(address: u64, length: usize, to: *mut u8) {
    // SAFETY: the caller's, for each line of it.
    parts(address, length, |offset, length| unsafe {
        load_part(address + offset as u64, length, to.add(offset));
    });
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
    // SAFETY: the caller's, for each line of it.
    parts(address, length, |offset, length| unsafe {
        store_part(address + offset as u64, length, from.add(offset));
    });
}

/// Copies bytes within one cache line to wherever `to` is.
///
/// # Safety
/// As [`copy`].
#[inline]
unsafe fn load_part(address: u64, length: usize, to: *mut u8) {
    if length == LINE_BYTES {
        // SAFETY: the caller's; a whole line within one line is an aligned one.
        return unsafe { load_whole(address as *const u8, to) };
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

/// Copies bytes from a line to the same place within one cache line.
///
/// # Safety
/// As [`load`].
#[inline]
unsafe fn store_part(address: u64, length: usize, from: *const u8) {
    if length == LINE_BYTES {
        // SAFETY: the caller's; a whole line within one line is an aligned one.
        return unsafe { store_whole(from, address as *mut u8) };
    }
    pieces(
        address,
        length,
        |offset| {
            let to = (address as usize + offset) as *mut u64;
            // SAFETY: as in `load_part`.
            unsafe {
                let word = from.add(offset).cast::<u64>().read();
                AtomicU64::from_ptr(to).store(word, Ordering::Relaxed);
            }
        },
        |offset| {
            let to = (address as usize + offset) as *mut u8;
            // SAFETY: as in `load_part`.
            unsafe { AtomicU8::from_ptr(to).store(from.add(offset).read(), Ordering::Relaxed) }
        },
    );
}

/// Copies an aligned cache line by loads and stores of 16 bytes, the former aligned, the latter
/// where `$store` says so. Words are whole: processors promise it for 8 bytes (Intel SDM vol. 3A,
/// 9.1.1; AMD APM vol. 2, 7.3.2). Not intrinsics: other threads may use what is registered, and
/// only an instruction is no data race.
#[cfg(all(target_arch = "x86_64", not(miri)))]
macro_rules! copy_line {
    ($from:ident, $to:ident, $store:literal) => {
        std::arch::asm!(
            "movaps {a}, [{from}]",
            "movaps {b}, [{from} + 16]",
            "movaps {c}, [{from} + 32]",
            "movaps {d}, [{from} + 48]",
            concat!($store, " [{to}], {a}"),
            concat!($store, " [{to} + 16], {b}"),
            concat!($store, " [{to} + 32], {c}"),
            concat!($store, " [{to} + 48], {d}"),
            from = in(reg) $from,
            to = in(reg) $to,
            a = out(xmm_reg) _,
            b = out(xmm_reg) _,
            c = out(xmm_reg) _,
            d = out(xmm_reg) _,
            options(nostack, preserves_flags),
        )
    };
}

/// Copies an aligned cache line to another.
///
/// # Safety
/// Both are mapped and aligned.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline]
unsafe fn store_whole(from: *const u8, to: *mut u8) {
    // SAFETY: the caller's.
    unsafe { copy_line!(from, to, "movaps") }
}

/// Copies an aligned cache line to any place.
///
/// # Safety
/// Both are mapped, the first is aligned.
#[cfg(all(target_arch = "x86_64", not(miri)))]
#[inline]
unsafe fn load_whole(from: *const u8, to: *mut u8) {
    // SAFETY: the caller's.
    unsafe { copy_line!(from, to, "movups") }
}

/// As above, word by word.
///
/// # Safety
/// As above.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline]
unsafe fn store_whole(from: *const u8, to: *mut u8) {
    for index in 0..LINE_BYTES / WORD {
        // SAFETY: the caller's; what is registered is accessed by atomics.
        unsafe {
            let word = from.cast::<u64>().add(index).read();
            AtomicU64::from_ptr(to.cast::<u64>().add(index)).store(word, Ordering::Relaxed);
        }
    }
}

/// As above, word by word.
///
/// # Safety
/// As above.
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
#[inline]
unsafe fn load_whole(from: *const u8, to: *mut u8) {
    for index in 0..LINE_BYTES / WORD {
        // SAFETY: the caller's; what is registered is accessed by atomics.
        unsafe {
            let word = AtomicU64::from_ptr(from.cast_mut().cast::<u64>().add(index));
            to.cast::<u64>().add(index).write_unaligned(word.load(Ordering::Relaxed));
        }
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
