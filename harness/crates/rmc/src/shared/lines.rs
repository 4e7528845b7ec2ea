//! Copies of whole cache lines from or to what is registered.
//!
//! Within a copy lines are not fetched ahead: processors do that, and better; between copies the endpoint does
//! (`endpoint::window`). Words are whole: processors promise it for 8 bytes
//! (Intel SDM vol. 3A, 9.1.1; AMD APM vol. 2, 7.3.2). Not intrinsics: other threads may use what is registered, and
//! only an instruction is no data race.

#[cfg(all(target_arch = "x86_64", not(miri)))]
pub use self::registers::{know_the_processor, load_lines, store_lines};
#[cfg(not(all(target_arch = "x86_64", not(miri))))]
pub use self::words::{know_the_processor, load_lines, store_lines};

#[cfg(all(target_arch = "x86_64", not(miri)))]
mod registers {
    use std::{
        arch::x86_64::{__cpuid, __cpuid_count},
        sync::LazyLock,
    };

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

    /// Lines from which on one instruction copies them where that is the fastest. Ours: more than a packet has.
    const MORE: usize = 64;

    /// The way in which lines are copied.
    #[derive(Clone, Copy, Debug)]
    enum Way {
        Singly,
        /// By registers of 32 bytes; 4 lines or more.
        Wide,
        /// By an instruction that repeats itself. Of lines that another core wrote it is the fastest on processors
        /// of AMD (`examples/fabric_cost`: 145 ns a read of 8 KiB, 170 by wide registers), and slower than those
        /// on processors of Intel.
        Repeating,
    }

    impl Way {
        /// The fastest that the processor has.
        #[inline]
        fn of(lines: usize) -> Self {
            if lines >= MORE && *REPEATS {
                Self::Repeating
            } else if lines >= MANY && std::arch::is_x86_feature_detected!("avx") {
                Self::Wide
            } else {
                Self::Singly
            }
        }
    }

    /// Whether this is a processor of AMD (APM vol. 3, CPUID 0) that moves strings as fast as it can, short ones
    /// too (FSRM: CPUID 7, EDX bit 4).
    static REPEATS: LazyLock<bool> = LazyLock::new(|| {
        let first = __cpuid(0);
        let vendor = [first.ebx, first.edx, first.ecx];
        vendor == [*b"Auth", *b"enti", *b"cAMD"].map(u32::from_le_bytes)
            && first.eax >= 7
            && __cpuid_count(7, 0).edx & (1 << 4) != 0
    });

    /// Looks at the processor: before the data path does.
    pub fn know_the_processor() {
        LazyLock::force(&REPEATS);
    }

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

    /// As [`copy_singly`], by `rep movsq`: a load and a store of each word (Intel SDM vol. 2B, MOVS; AMD APM vol. 3,
    /// MOVSx), in whatever order the processor likes.
    ///
    /// # Safety
    /// As [`copy_singly`].
    #[inline]
    unsafe fn copy_repeating(from: *const u8, to: *mut u8, lines: usize) {
        // SAFETY: the caller's; the direction flag is clear, as everywhere between functions.
        unsafe {
            std::arch::asm!(
                "rep movsq",
                inout("rcx") lines * LINE_BYTES / size_of::<u64>() => _,
                inout("rsi") from => _,
                inout("rdi") to => _,
                options(nostack, preserves_flags),
            );
        }
    }

    /// As [`copy_singly`], in one way.
    ///
    /// # Safety
    /// As [`copy_singly`]; the processor has that way, and there are as many lines as it needs.
    #[inline]
    unsafe fn copy(way: Way, from: *const u8, to: *mut u8, lines: usize) {
        debug_assert!(lines >= if matches!(way, Way::Wide) { 4 } else { 1 });
        let done = match way {
            Way::Singly => 0,
            Way::Wide => lines / 4 * 4,
            Way::Repeating => lines,
        };
        let behind = done * LINE_BYTES;
        // SAFETY: the caller's, of what each copies.
        unsafe {
            match way {
                Way::Singly => {}
                Way::Wide => copy_fours(from, to, lines / 4),
                Way::Repeating => copy_repeating(from, to, lines),
            }
            if done < lines {
                copy_singly(from.wrapping_add(behind), to.wrapping_add(behind), lines - done);
            }
        }
    }

    /// Copies aligned cache lines, one at least, to any place.
    ///
    /// # Safety
    /// Both are mapped, the first is aligned.
    #[inline]
    pub unsafe fn load_lines(from: *const u8, to: *mut u8, lines: usize) {
        // SAFETY: the caller's; of the ways it is one that the processor has, for so many lines.
        unsafe { copy(Way::of(lines), from, to, lines) }
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

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn each_way_copies_as_the_others_do() {
            let mut from = vec![0_u8; 81 * LINE_BYTES];
            from.iter_mut().zip(0..).for_each(|(byte, index)| *byte = (index / 7) as u8 | 1);
            let aligned = from.as_ptr().align_offset(LINE_BYTES);
            let mut ways = vec![Way::Singly, Way::Repeating];
            ways.extend(std::arch::is_x86_feature_detected!("avx").then_some(Way::Wide));
            for way in ways {
                for lines in (4..=38).chain(62..=70) {
                    let mut to = vec![0_u8; 80 * LINE_BYTES];
                    // SAFETY: both are memory of this function, and longer.
                    unsafe {
                        copy(way, from.as_ptr().add(aligned), to.as_mut_ptr().add(33), lines)
                    };
                    let (before, rest) = to.split_at(33);
                    let (copied, behind) = rest.split_at(lines * LINE_BYTES);
                    assert_eq!(
                        copied,
                        &from[aligned..aligned + copied.len()],
                        "{lines} lines, {way:?}"
                    );
                    assert!(
                        before.iter().chain(behind).all(|byte| *byte == 0),
                        "{lines} lines, {way:?}"
                    );
                }
            }
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", not(miri))))]
mod words {
    use std::sync::atomic::{AtomicU64, Ordering};

    use crate::shared::ring::LINE_BYTES;

    const WORD: usize = size_of::<u64>();

    /// There is nothing to know.
    pub fn know_the_processor() {}

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
    struct Aligned([u8; 80 * LINE_BYTES]);

    #[test]
    fn any_number_of_lines_is_copied_exactly_to_any_place() {
        let from = Aligned(std::array::from_fn(|index| (index / 7) as u8 | 1));
        for lines in (1..=38).chain(62..=70) {
            let bytes = lines * LINE_BYTES;
            let expected = |before: usize| {
                let mut all = [0; 80 * LINE_BYTES];
                all[before..before + bytes].copy_from_slice(&from.0[..bytes]);
                all
            };
            let mut to = Aligned([0; 80 * LINE_BYTES]);
            // SAFETY: both are memory of this function, aligned, and have a line more.
            unsafe { store_lines(from.0.as_ptr(), to.0.as_mut_ptr().add(LINE_BYTES), lines) };
            assert_eq!(to.0, expected(LINE_BYTES), "{lines} lines");
            for before in [1, 8, 33, 64] {
                let mut to = Aligned([0; 80 * LINE_BYTES]);
                // SAFETY: as above.
                unsafe { load_lines(from.0.as_ptr(), to.0.as_mut_ptr().add(before), lines) };
                assert_eq!(to.0, expected(before), "{lines} lines, {before} bytes behind a line");
            }
        }
    }
}
