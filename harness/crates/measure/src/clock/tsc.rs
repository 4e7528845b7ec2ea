//! The x86 time stamp counter (Intel SDM vol. 3, 19.17; AMD APM vol. 3, `RDTSC`).

use std::{
    arch::x86_64::{__cpuid, _rdtsc},
    fs,
};

use super::ClockSource;

pub(super) const SOURCE: ClockSource = ClockSource::TimeStampCounter;

/// Its rate is known only from measuring it.
pub(super) const EXACT_HZ: Option<u64> = None;

#[inline(always)]
pub(super) fn read() -> u64 {
    // SAFETY: every x86-64 CPU has the instruction; Linux leaves it enabled for user code unless
    // a process asks otherwise for itself (`PR_SET_TSC`, `prctl(2)`).
    unsafe { _rdtsc() }
}

/// Whether CPU and kernel both promise a constant rate. A kernel that does not say anything does
/// not contradict the CPU.
pub(super) fn is_invariant() -> bool {
    let cpuinfo = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    cpu_promises_constant_rate() && kernel_promises_constant_rate(&cpuinfo).unwrap_or(true)
}

/// CPUID leaf 0x8000_0007, EDX bit 8: "invariant TSC".
fn cpu_promises_constant_rate() -> bool {
    const HIGHEST_EXTENDED_LEAF: u32 = 0x8000_0000;
    const POWER_MANAGEMENT_LEAF: u32 = 0x8000_0007;
    const INVARIANT_TSC: u32 = 1 << 8;
    __cpuid(HIGHEST_EXTENDED_LEAF).eax >= POWER_MANAGEMENT_LEAF
        && __cpuid(POWER_MANAGEMENT_LEAF).edx & INVARIANT_TSC != 0
}

/// The kernel's flags `constant_tsc` (whatever the frequency) and `nonstop_tsc` (through sleep
/// states); absent where there is no line of flags.
fn kernel_promises_constant_rate(cpuinfo: &str) -> Option<bool> {
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags"))?;
    let has = |flag| flags.split_ascii_whitespace().any(|word| word == flag);
    Some(has("constant_tsc") && has("nonstop_tsc"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kernel_flags_are_needed() {
        let promises = |flags: &str| {
            kernel_promises_constant_rate(&format!(
                "processor\t: 0\nflags\t\t: fpu {flags} rdtscp\n"
            ))
        };
        assert_eq!(promises("constant_tsc nonstop_tsc"), Some(true));
        assert_eq!(promises("constant_tsc"), Some(false));
        assert_eq!(promises("nonstop_tsc_s3 constant_tsc"), Some(false));
        assert_eq!(kernel_promises_constant_rate("processor : 0\n"), None);
    }
}
