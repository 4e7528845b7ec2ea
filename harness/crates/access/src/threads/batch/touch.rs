//! Single accesses.

use std::{
    arch::asm,
    sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed},
};

/// Bytes of a word, the widest that one instruction accesses atomically on every machine.
const WORD: usize = 8;

/// Makes the compiler believe that the value is used, so that the load of it stays; no instruction.
#[inline(always)]
fn keep(value: u64) {
    // SAFETY: an empty instruction sequence does nothing.
    unsafe { asm!("/* {0} */", in(reg) value, options(nomem, nostack, preserves_flags)) };
}

/// Loads `BYTES` bytes: by one instruction up to 8, in words beyond.
///
/// # Safety
/// `at` is valid for reads of `BYTES` bytes and aligned to them, or to words beyond 8; others
/// access the memory by atomics only.
#[inline(always)]
pub(super) unsafe fn load<const BYTES: usize>(at: *mut u8) {
    // SAFETY: the caller's promise.
    unsafe {
        match BYTES {
            1 => keep(AtomicU8::from_ptr(at).load(Relaxed).into()),
            2 => keep(AtomicU16::from_ptr(at.cast()).load(Relaxed).into()),
            4 => keep(AtomicU32::from_ptr(at.cast()).load(Relaxed).into()),
            _ => {
                for word in 0..BYTES / WORD {
                    keep(AtomicU64::from_ptr(at.add(word * WORD).cast()).load(Relaxed));
                }
            }
        }
    }
}

/// Stores `BYTES` bytes of a value, repeated: by one instruction up to 8, in words beyond.
///
/// # Safety
/// As [`load`], for writes.
#[inline(always)]
pub(super) unsafe fn store<const BYTES: usize>(at: *mut u8, value: u64) {
    // SAFETY: the caller's promise.
    unsafe {
        match BYTES {
            1 => AtomicU8::from_ptr(at).store(value as u8, Relaxed),
            2 => AtomicU16::from_ptr(at.cast()).store(value as u16, Relaxed),
            4 => AtomicU32::from_ptr(at.cast()).store(value as u32, Relaxed),
            _ => {
                for word in 0..BYTES / WORD {
                    AtomicU64::from_ptr(at.add(word * WORD).cast()).store(value, Relaxed);
                }
            }
        }
    }
}

/// Loads a word and swaps that against one more, once. Returns 1 if it succeeded.
///
/// # Safety
/// `at` is valid for reads and writes of 8 bytes and aligned to them; others access the memory by
/// atomics only.
#[inline(always)]
pub(super) unsafe fn swap(at: *mut u8) -> u64 {
    // SAFETY: the caller's promise.
    let word = unsafe { AtomicU64::from_ptr(at.cast()) };
    let seen = word.load(Relaxed);
    u64::from(word.compare_exchange(seen, seen.wrapping_add(1), Relaxed, Relaxed).is_ok())
}

/// Swaps what is expected, then what was found, against `desired`, until it succeeds. Sequentially
/// consistent, as published; on x86-64 every atomic instruction is.
///
/// # Safety
/// As [`swap`].
#[inline(always)]
pub(super) unsafe fn swap_until_done(at: *mut u8, expected: u64, desired: u64) {
    use std::sync::atomic::Ordering::SeqCst;
    // SAFETY: the caller's promise.
    let word = unsafe { AtomicU64::from_ptr(at.cast()) };
    let mut expected = expected;
    while let Err(found) = word.compare_exchange(expected, desired, SeqCst, SeqCst) {
        expected = found;
    }
}

/// Adds 1 to a word, and takes what it was.
///
/// # Safety
/// As [`swap`].
#[inline(always)]
pub(super) unsafe fn add(at: *mut u8) {
    // SAFETY: the caller's promise.
    keep(unsafe { AtomicU64::from_ptr(at.cast()) }.fetch_add(1, Relaxed));
}

/// Reads the clock that the study's workers read (`clock_gettime(2)`).
#[inline(always)]
pub(super) fn read_real_time_clock() {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid for a write; the clock exists everywhere.
    unsafe { libc::clock_gettime(libc::CLOCK_REALTIME, &mut now) };
    keep(now.tv_nsec as u64);
}
