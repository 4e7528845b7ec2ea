//! Copies of whole cache lines from or to what is registered.
//!
//! Within a copy lines are not fetched ahead: processors do that, and better; between copies the endpoint does
//! (`endpoint::window`). Words are whole: processors promise it for 8 bytes
//! (Intel SDM vol. 3A, 9.1.1; AMD APM vol. 2, 7.3.2). Not intrinsics: other threads may use what is registered, and
//! only an instruction is no data race.

#[cfg(all(target_arch = "x86_64", not(miri)))]
pub use self::registers::{load_lines, store_lines};
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
pub use self::words::{load_lines, store_lines};

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod registers {
    use crate::shared::ring::LINE_BYTES;

    /// Copies aligned cache lines, one at least, to any place, by registers of 16 bytes.
    ///
    /// # Safety
    /// Both are mapped, the first is aligned.
    #[inline]
    unsafe fn copy_singly(from: *const u8, to: *mut u8, lines: usize) {
        // SAFETY: the caller's.
        unsafe {
            std::arch::asm!(
                "2:",
                "movaps {a}, [{from}]",
                "movaps {b}, [{from} + 16]",
                "movaps {c}, [{from} + 32]",
                "movaps {d}, [{from} + 48]",
                "movups [{to}], {a}",
                "movups [{to} + 16], {b}",
                "movups [{to} + 32], {c}",
                "movups [{to} + 48], {d}",
                "add {from}, 64",
                "add {to}, 64",
                "dec {lines}",
                "jnz 2b",
                from = inout(reg) from => _,
                to = inout(reg) to => _,
                lines = inout(reg) lines => _,
                a = out(xmm_reg) _,
                b = out(xmm_reg) _,
                c = out(xmm_reg) _,
                d = out(xmm_reg) _,
                options(nostack),
            );
        }
    }

    /// Lines from which on they are copied four at a time where the processor can. Ours: what asks for leave to copy.
    const MANY: usize = 16;

    /// As [`copy_singly`], four lines at a time by registers of 32 bytes: less than half of the instructions.
    ///
    /// # Safety
    /// Both are mapped and have so many times four lines, one at least; the first is aligned.
    #[target_feature(enable = "avx")]
    unsafe fn copy_fours(from: *const u8, to: *mut u8, fours: usize) {
        // SAFETY: the caller's.
        unsafe {
            std::arch::asm!(
                "2:",
                "vmovdqa {a}, [{from}]",
                "vmovdqa {b}, [{from} + 32]",
                "vmovdqa {c}, [{from} + 64]",
                "vmovdqa {d}, [{from} + 96]",
                "vmovdqa {e}, [{from} + 128]",
                "vmovdqa {f}, [{from} + 160]",
                "vmovdqa {g}, [{from} + 192]",
                "vmovdqa {h}, [{from} + 224]",
                "vmovdqu [{to}], {a}",
                "vmovdqu [{to} + 32], {b}",
                "vmovdqu [{to} + 64], {c}",
                "vmovdqu [{to} + 96], {d}",
                "vmovdqu [{to} + 128], {e}",
                "vmovdqu [{to} + 160], {f}",
                "vmovdqu [{to} + 192], {g}",
                "vmovdqu [{to} + 224], {h}",
                "add {from}, 256",
                "add {to}, 256",
                "dec {fours}",
                "jnz 2b",
                from = inout(reg) from => _,
                to = inout(reg) to => _,
                fours = inout(reg) fours => _,
                a = out(ymm_reg) _,
                b = out(ymm_reg) _,
                c = out(ymm_reg) _,
                d = out(ymm_reg) _,
                e = out(ymm_reg) _,
                f = out(ymm_reg) _,
                g = out(ymm_reg) _,
                h = out(ymm_reg) _,
                options(nostack),
            );
        }
        // What follows uses narrow registers, which take longer on some processors where wide ones hold anything.
        std::arch::x86_64::_mm256_zeroupper();
    }

    /// Copies aligned cache lines, one at least, to any place.
    ///
    /// # Safety
    /// Both are mapped, the first is aligned.
    #[inline]
    pub unsafe fn load_lines(from: *const u8, to: *mut u8, lines: usize) {
        let mut done = 0;
        if lines >= MANY && std::arch::is_x86_feature_detected!("avx") {
            // SAFETY: the caller's; the processor has what it takes.
            unsafe { copy_fours(from, to, lines / 4) };
            done = lines / 4 * 4;
        }
        if done < lines {
            let behind = done * LINE_BYTES;
            // SAFETY: the caller's, of what is left.
            unsafe {
                copy_singly(from.wrapping_add(behind), to.wrapping_add(behind), lines - done)
            };
        }
    }

    /// The same to what is registered.
    ///
    /// # Safety
    /// Both are mapped and aligned.
    #[inline]
    pub unsafe fn store_lines(from: *const u8, to: *mut u8, lines: usize) {
        // SAFETY: the caller's.
        unsafe { load_lines(from, to, lines) }
    }
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
mod words {
    use std::sync::atomic::{AtomicU64, Ordering};

    use crate::shared::ring::LINE_BYTES;

    const WORD: usize = size_of::<u64>();

    /// Copies aligned cache lines, word by word, to others, which are registered.
    ///
    /// # Safety
    /// Both are mapped and aligned.
    #[inline]
    pub unsafe fn store_lines(from: *const u8, to: *mut u8, lines: usize) {
        for index in 0..lines * LINE_BYTES / WORD {
            // SAFETY: the caller's; what is registered is accessed by atomics.
            unsafe {
                let word = from.cast::<u64>().add(index).read();
                AtomicU64::from_ptr(to.cast::<u64>().add(index)).store(word, Ordering::Relaxed);
            }
        }
    }

    /// The same to any place from what is registered.
    ///
    /// # Safety
    /// Both are mapped, the first is aligned.
    #[inline]
    pub unsafe fn load_lines(from: *const u8, to: *mut u8, lines: usize) {
        for index in 0..lines * LINE_BYTES / WORD {
            // SAFETY: the caller's; what is registered is accessed by atomics.
            unsafe {
                let word = AtomicU64::from_ptr(from.cast_mut().cast::<u64>().add(index));
                to.cast::<u64>().add(index).write_unaligned(word.load(Ordering::Relaxed));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shared::ring::LINE_BYTES;

    #[repr(C, align(64))]
    struct Aligned([u8; 40 * LINE_BYTES]);

    #[test]
    fn any_number_of_lines_is_copied_exactly_to_any_place() {
        let from = Aligned(std::array::from_fn(|index| (index / 7) as u8 | 1));
        for lines in 1..=38 {
            let bytes = lines * LINE_BYTES;
            let expected = |before: usize| {
                let mut all = [0; 40 * LINE_BYTES];
                all[before..before + bytes].copy_from_slice(&from.0[..bytes]);
                all
            };
            let mut to = Aligned([0; 40 * LINE_BYTES]);
            // SAFETY: both are memory of this function, aligned, and have a line more.
            unsafe { store_lines(from.0.as_ptr(), to.0.as_mut_ptr().add(LINE_BYTES), lines) };
            assert_eq!(to.0, expected(LINE_BYTES), "{lines} lines");
            for before in [1, 8, 33, 64] {
                let mut to = Aligned([0; 40 * LINE_BYTES]);
                // SAFETY: as above.
                unsafe { load_lines(from.0.as_ptr(), to.0.as_mut_ptr().add(before), lines) };
                assert_eq!(to.0, expected(before), "{lines} lines, {before} bytes behind a line");
            }
        }
    }
}
