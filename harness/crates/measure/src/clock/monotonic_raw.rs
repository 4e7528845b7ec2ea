//! `CLOCK_MONOTONIC_RAW` as the counter, where user code has no other.

use super::{ClockSource, calibration::kernel_nanoseconds};

#[cfg_attr(target_arch = "x86_64", allow(dead_code, reason = "the other counter is in use"))]
pub(super) const SOURCE: ClockSource = ClockSource::MonotonicRaw;

/// Its ticks are nanoseconds by definition (`clock_gettime(2)`).
#[cfg_attr(target_arch = "x86_64", allow(dead_code, reason = "the other counter is in use"))]
pub(super) const EXACT_HZ: Option<u64> = Some(1_000_000_000);

/// # Panics
/// When the kernel takes the clock away; calibration has read it before.
#[inline(always)]
pub(super) fn read() -> u64 {
    kernel_nanoseconds().expect("CLOCK_MONOTONIC_RAW was readable at calibration")
}

/// The kernel keeps its rate.
#[cfg_attr(target_arch = "x86_64", allow(dead_code, reason = "the other counter is in use"))]
pub(super) fn is_invariant() -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_clock_never_goes_back() {
        let mut last = read();
        for _ in 0..10_000 {
            let now = read();
            assert!(now >= last);
            last = now;
        }
    }
}
