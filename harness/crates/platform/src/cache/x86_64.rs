//! The instructions of x86-64.

use std::arch::asm;
use std::arch::x86_64::_rdtsc;
use std::arch::x86_64::{__cpuid, __cpuid_count, __rdtscp, _mm_clflush, _mm_lfence, _mm_mfence};

use super::CacheError;

/// Which instruction flushes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Instruction {
    /// Flushes of several lines overlap.
    Clflushopt,
    /// One after the other.
    Clflush,
}

/// Flushes lines by the best instruction there is.
#[derive(Debug)]
pub(super) struct Flusher {
    instruction: Instruction,
    line_bytes: usize,
}

impl Flusher {
    pub(super) fn of_this_cpu() -> Result<Self, CacheError> {
        // SDM volume 2, CPUID: leaf 1, EDX bit 19 `CLFSH`, EBX bits 15 to 8 its line in units of
        // 8 bytes; leaf 7, EBX bit 23 `CLFLUSHOPT`.
        let features = __cpuid(1);
        if features.edx & 1 << 19 == 0 {
            return Err(CacheError::NoFlush);
        }
        let line_bytes = (features.ebx >> 8 & 0xff) as usize * 8;
        if !line_bytes.is_power_of_two() || line_bytes < 32 {
            return Err(CacheError::NoFlush);
        }
        let optimised = __cpuid(0).eax >= 7 && __cpuid_count(7, 0).ebx & 1 << 23 != 0;
        let instruction = if optimised { Instruction::Clflushopt } else { Instruction::Clflush };
        Ok(Self { instruction, line_bytes })
    }

    /// The instruction's name.
    pub(super) fn name(&self) -> &'static str {
        match self.instruction {
            Instruction::Clflushopt => "clflushopt",
            Instruction::Clflush => "clflush",
        }
    }

    /// What one instruction flushes, in bytes: a power of two, 32 or more.
    pub(super) fn line_bytes(&self) -> usize {
        self.line_bytes
    }

    /// Flushes every line of a region, and waits until that is done.
    ///
    /// # Safety
    /// The region is mapped and readable.
    pub(super) unsafe fn region(&self, start: *const u8, length: usize) {
        let first = start.wrapping_sub(start.addr() % self.line_bytes);
        let bytes = start.addr() - first.addr() + length;
        let count = if length == 0 { 0 } else { bytes.div_ceil(self.line_bytes) };
        // SAFETY: each is a line of the region.
        unsafe { self.each((0..count).map(|line| first.wrapping_add(line * self.line_bytes))) };
    }

    /// Flushes these lines, and waits until that is done.
    ///
    /// # Safety
    /// The lines are mapped and readable.
    pub(super) unsafe fn each(&self, lines: impl Iterator<Item = *const u8>) {
        // SAFETY: fences need SSE2, which every x86-64 CPU has; flushing an address that can be
        // read changes no value, and the CPU has the instruction (see `of_this_cpu`).
        unsafe {
            // Earlier stores go first: clflushopt is not ordered after those to other lines.
            _mm_mfence();
            for line in lines {
                match self.instruction {
                    Instruction::Clflush => _mm_clflush(line),
                    Instruction::Clflushopt => {
                        asm!("clflushopt [{}]", in(reg) line, options(nostack, preserves_flags));
                    }
                }
            }
            _mm_mfence();
        }
    }
}

/// The ticks of the time stamp counter that one load takes, with the fences around it.
///
/// # Safety
/// The address is mapped and readable.
#[inline(never)]
pub(super) unsafe fn timed_load(address: *const u8) -> u64 {
    let mut cpu = 0;
    // SAFETY: every x86-64 server CPU has the instructions; the caller vouches for the address.
    unsafe {
        _mm_mfence();
        _mm_lfence();
        let before = _rdtsc();
        _mm_lfence();
        address.read_volatile();
        // Waits until the load is done; the fence after it keeps what follows from starting.
        let after = __rdtscp(&mut cpu);
        _mm_lfence();
        after.saturating_sub(before)
    }
}
